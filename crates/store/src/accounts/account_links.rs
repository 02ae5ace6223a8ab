//! Links that mails carry: invitations and password resets.

use domain::{AccountLinkId, BrandId, LinkPurpose, Role, Timestamp, UserId, UserState};

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A link. Its secret is in no row: it is derived from the nonce.
#[derive(Clone, Debug)]
pub struct AccountLink {
    /// Its id.
    pub id: AccountLinkId,
    /// The tenant.
    pub brand: BrandId,
    /// For whom.
    pub user: UserId,
    /// For what.
    pub purpose: LinkPurpose,
    /// What its secret is derived from.
    pub nonce: Vec<u8>,
    /// The user who had it sent; none if nobody who was signed in did.
    pub created_by: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
    /// When it was used.
    pub used_at: Option<Timestamp>,
}

/// What a new link is made of.
#[derive(Clone, Debug)]
pub struct NewAccountLink<'a> {
    /// The tenant.
    pub brand: BrandId,
    /// For whom.
    pub user: UserId,
    /// For what.
    pub purpose: LinkPurpose,
    /// What its secret is derived from.
    pub nonce: &'a [u8],
    /// The hash of the secret, by which the link is found.
    pub hash: &'a [u8],
    /// The user who has it sent.
    pub created_by: Option<UserId>,
    /// From when on it opens nothing.
    pub expires_at: Timestamp,
}

/// A link with what its mail says about those concerned.
#[derive(Clone, Debug)]
pub struct AccountLinkDetails {
    /// The link.
    pub link: AccountLink,
    /// Where the mail goes.
    pub email: String,
    /// What they are called.
    pub name: String,
    /// What they may do, or will.
    pub role: Role,
    /// Where they stand.
    pub state: UserState,
    /// What the brand is called.
    pub brand_name: String,
    /// In which zone the brand tells times.
    pub time_zone: String,
    /// What the user who had it sent is called.
    pub created_by_name: Option<String>,
    /// Whether someone else has claimed the email meanwhile.
    pub email_is_taken: bool,
}

impl AccountLink {
    /// Whether it still opens something.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.used_at.is_none() && now < self.expires_at
    }
}

const COLUMNS: &str =
    "select id, brand_id, user_id, purpose, nonce, created_by, created_at, expires_at, used_at
    from account_links";

const DETAILS: &str =
    "select l.id, l.brand_id, l.user_id, l.purpose, l.nonce, l.created_by, l.created_at, l.expires_at,
         l.used_at, u.email, u.name, u.role, u.state, b.name as brand_name, b.time_zone,
         c.name as created_by_name,
         exists (
             select 1 from users o
             where o.email_key = case when length(u.email_key) > length(' ' || u.brand_id)
                     then substr(u.email_key, 1, length(u.email_key) - length(' ' || u.brand_id)) end
                 and o.email_key || ' ' || u.brand_id = u.email_key
         ) as email_is_taken
     from account_links l join users u on u.id = l.user_id join brands b on b.id = l.brand_id
         left join users c on c.id = l.created_by
     where l.id = $1";

impl FromRow for AccountLink {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            brand: row.get("brand_id")?,
            user: row.get("user_id")?,
            purpose: row.parse("purpose", |word| LinkPurpose::parse(word).ok_or(()))?,
            nonce: row.get("nonce")?,
            created_by: row.get("created_by")?,
            created_at: row.get("created_at")?,
            expires_at: row.get("expires_at")?,
            used_at: row.get("used_at")?,
        })
    }
}

impl FromRow for AccountLinkDetails {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            link: AccountLink::from_row(row)?,
            email: row.get("email")?,
            name: row.get("name")?,
            role: row.parse("role", Role::parse)?,
            state: row.parse("state", |word| UserState::parse(word).ok_or(()))?,
            brand_name: row.get("brand_name")?,
            time_zone: row.get("time_zone")?,
            created_by_name: row.get("created_by_name")?,
            email_is_taken: row.get("email_is_taken")?,
        })
    }
}

/// All links of the installation.
pub struct AccountLinks<'a>(&'a mut Tx);

impl Tx {
    /// All links of the installation.
    pub fn account_links(&mut self, _: &Platform) -> AccountLinks<'_> {
        AccountLinks(self)
    }
}

impl AccountLinks<'_> {
    /// Adds one.
    pub async fn add(&mut self, new: &NewAccountLink<'_>, now: Timestamp) -> Result<AccountLink, Error> {
        self.0
            .one(sql!(
                "insert into account_links (brand_id, user_id, purpose, nonce, hash, created_by, created_at, expires_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8)
                 returning id, brand_id, user_id, purpose, nonce, created_by, created_at, expires_at, used_at",
                new.brand,
                new.user,
                new.purpose.as_str(),
                new.nonce,
                new.hash,
                new.created_by,
                now,
                new.expires_at
            ))
            .await
    }

    /// The one of that id.
    pub async fn find(&mut self, id: AccountLinkId) -> Result<Option<AccountLink>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where id = $?", [id.into()])).await
    }

    /// The one whose secret has that hash, be it live or not.
    pub async fn by_hash(&mut self, hash: &[u8]) -> Result<Option<AccountLink>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where hash = $?", [hash.into()])).await
    }

    /// The same; other writers wait until this transaction ends, so that a link is used once.
    pub async fn by_hash_locked(&mut self, hash: &[u8]) -> Result<Option<AccountLink>, Error> {
        let lock = self.0.row_lock();
        self.0.optional(sql!(COLUMNS).push_with(" where hash = $?", [hash.into()]).push(lock)).await
    }

    /// The one of that id, with what its mail says. Whether its address is taken is found by the index of addresses: what the
    /// user's own key has behind the address, see migration 0018, is cut off first, and then compared.
    pub async fn find_details(&mut self, id: AccountLinkId) -> Result<Option<AccountLinkDetails>, Error> {
        self.0.optional(sql!(DETAILS, id)).await
    }

    /// How the engine would find that one: what a test of indexes looks at.
    pub async fn explain_details(&mut self, id: AccountLinkId) -> Result<Vec<String>, Error> {
        self.0.explain(sql!(DETAILS, id)).await
    }

    /// How many of a user for that purpose were made within a period, and when the last of them was.
    pub async fn count_created(
        &mut self,
        user: UserId,
        purpose: LinkPurpose,
        (after, until): (Timestamp, Timestamp),
    ) -> Result<(i64, Option<Timestamp>), Error> {
        struct Made(i64, Option<Timestamp>);
        impl FromRow for Made {
            fn from_row(row: &Row) -> Result<Self, Error> {
                Ok(Self(row.get("count")?, row.get("last")?))
            }
        }
        let Made(count, last) = self
            .0
            .one(sql!(
                "select count(*) as count, max(created_at) as last from account_links
                 where user_id = $1 and purpose = $2 and created_at > $3 and created_at <= $4",
                user,
                purpose.as_str(),
                after,
                until
            ))
            .await?;
        Ok((count, last))
    }

    /// Remembers that it was used; false if it had been before.
    pub async fn mark_used(&mut self, id: AccountLinkId, now: Timestamp) -> Result<bool, Error> {
        let marked = self
            .0
            .execute(sql!("update account_links set used_at = $2 where id = $1 and used_at is null", id, now))
            .await?;
        Ok(marked > 0)
    }

    /// Ends what is still live of a user's links for one purpose, and tells how many those were. They count as used too: an end by
    /// time alone would be none after the clock was set back.
    pub async fn end_by_purpose(
        &mut self,
        user: UserId,
        purpose: LinkPurpose,
        now: Timestamp,
    ) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update account_links set expires_at = $3, used_at = $3
                 where user_id = $1 and purpose = $2 and used_at is null and expires_at > $3",
                user,
                purpose.as_str(),
                now
            ))
            .await
    }

    /// Ends what is still live of all links of a user.
    pub async fn end_by_user(&mut self, user: UserId, now: Timestamp) -> Result<(), Error> {
        for purpose in LinkPurpose::ALL {
            self.end_by_purpose(user, purpose, now).await?;
        }
        Ok(())
    }

    /// Ends all that are still live, and tells how many those were.
    pub async fn end_all(&mut self, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update account_links set expires_at = $1 where used_at is null and expires_at > $1",
                now
            ))
            .await
    }

    /// Forgets those that expired before then.
    pub async fn delete_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from account_links where expires_at < $1", before)).await
    }
}

//! Links in emails: invitations and password resets.

use domain::{AccountLinkId, BrandId, LinkPurpose, Role, Timestamp, UserId, UserState};

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A link in an email. Its secret is not stored; it is derived from the nonce.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AccountLink {
    pub id: AccountLinkId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    #[row(column = "user_id")]
    pub user: UserId,
    pub purpose: LinkPurpose,
    /// The secret is derived from it.
    pub nonce: Vec<u8>,
    /// The user who requested the email, or none if it was requested without a session.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    /// Time from which the link is no longer valid.
    pub expires_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct NewAccountLink<'a> {
    pub brand: BrandId,
    pub user: UserId,
    pub purpose: LinkPurpose,
    /// The secret is derived from it.
    pub nonce: &'a [u8],
    /// Hash of the secret, by which the link is found.
    pub hash: &'a [u8],
    /// The user who requested the email.
    pub created_by: Option<UserId>,
    /// Time from which the link is no longer valid.
    pub expires_at: Timestamp,
}

/// A link with the fields that its email needs.
#[derive(Clone, Debug, macros::FromRow)]
pub struct AccountLinkDetails {
    #[row(flatten)]
    pub link: AccountLink,
    /// The recipient's address.
    pub email: String,
    /// The recipient's name.
    pub name: String,
    /// The recipient's role, now or after accepting the invitation.
    pub role: Role,
    /// The recipient's state.
    pub state: UserState,
    pub brand_name: String,
    /// The brand's time zone, in which the email shows times.
    pub time_zone: String,
    /// Name of the user who requested the email.
    pub created_by_name: Option<String>,
    /// Whether another user has claimed the email address meanwhile.
    pub email_is_taken: bool,
}

impl AccountLink {
    /// Whether the link is unused and not expired.
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

/// All account links of the installation.
pub struct AccountLinks<'a>(&'a mut Tx);

impl Tx {
    pub fn account_links(&mut self, _: &Platform) -> AccountLinks<'_> {
        AccountLinks(self)
    }
}

#[macros::boxed]
impl AccountLinks<'_> {
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

    pub async fn find(&mut self, id: AccountLinkId) -> Result<Option<AccountLink>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where id = $?", [id.into()])).await
    }

    /// Finds the link whose secret has that hash, whether it is live or not.
    pub async fn by_hash(&mut self, hash: &[u8]) -> Result<Option<AccountLink>, Error> {
        self.0.optional(sql!(COLUMNS).push_with(" where hash = $?", [hash.into()])).await
    }

    /// The same; other writers wait until this transaction ends, so that a link is used only once.
    pub async fn by_hash_locked(&mut self, hash: &[u8]) -> Result<Option<AccountLink>, Error> {
        let lock = self.0.row_lock();
        self.0.optional(sql!(COLUMNS).push_with(" where hash = $?", [hash.into()]).push(lock)).await
    }

    /// Finds a link with the fields that its email needs. Whether the address is taken is found through the index of addresses: the
    /// suffix of the user's own key (see migration 0018) is cut off first, and then compared.
    pub async fn find_details(&mut self, id: AccountLinkId) -> Result<Option<AccountLinkDetails>, Error> {
        self.0.optional(sql!(DETAILS, id)).await
    }

    /// Returns the query plan of [`Self::find_details`], for tests of indexes.
    pub async fn explain_details(&mut self, id: AccountLinkId) -> Result<Vec<String>, Error> {
        self.0.explain(sql!(DETAILS, id)).await
    }

    /// Returns the number of links created for a user and purpose within a period, and the time of the last one.
    pub async fn count_created(
        &mut self,
        user: UserId,
        purpose: LinkPurpose,
        (after, until): (Timestamp, Timestamp),
    ) -> Result<(i64, Option<Timestamp>), Error> {
        #[derive(macros::FromRow)]
        struct Made(#[row(column = "count")] i64, #[row(column = "last")] Option<Timestamp>);
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

    /// Marks a link as used. Returns false if it already was.
    pub async fn mark_used(&mut self, id: AccountLinkId, now: Timestamp) -> Result<bool, Error> {
        let marked = self
            .0
            .execute(sql!("update account_links set used_at = $2 where id = $1 and used_at is null", id, now))
            .await?;
        Ok(marked > 0)
    }

    /// Ends the live links of a user for one purpose and returns their number. They are marked as used too, because an expiry time alone
    /// would become valid again after the clock is set back.
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

    /// Ends the live links of a user for all purposes.
    pub async fn end_by_user(&mut self, user: UserId, now: Timestamp) -> Result<(), Error> {
        for purpose in LinkPurpose::ALL {
            self.end_by_purpose(user, purpose, now).await?;
        }
        Ok(())
    }

    /// Ends all live links and returns their number.
    pub async fn end_all(&mut self, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update account_links set expires_at = $1 where used_at is null and expires_at > $1",
                now
            ))
            .await
    }

    /// Deletes links that expired before this time.
    pub async fn delete_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from account_links where expires_at < $1", before)).await
    }
}

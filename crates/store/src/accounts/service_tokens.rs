//! The tokens of service accounts. They are JWTs; only a hash of each token's `jti` is stored.

use domain::{BrandId, Role, ServiceTokenId, Timestamp, UserId, UserState};

use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A token with its account and brand.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ServiceTokenWithAccount {
    pub id: ServiceTokenId,
    #[row(column = "account_id")]
    pub account: UserId,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub brand_name: String,
    /// The name of the account.
    pub name: String,
    pub role: Role,
    /// Active until the account is archived.
    pub state: UserState,
    /// Whether the account sees only some projects.
    pub restricted: bool,
    /// Whether viewers of the brand see people's names too.
    pub viewers_see_names: bool,
    pub expires_at: Timestamp,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
}

/// A token as it is listed on the command line.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ListedServiceToken {
    pub id: ServiceTokenId,
    #[row(column = "account_id")]
    pub account: UserId,
    /// The name of the account.
    pub account_name: String,
    #[row(column = "brand_id")]
    pub brand: BrandId,
    pub brand_name: String,
    pub issued_at: Timestamp,
    pub expires_at: Timestamp,
    /// Precise to the minute.
    pub last_used_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// `rotated` or `revoked`; none if the token has expired.
    pub ended_by: Option<String>,
}

const COLUMNS_WITH_ACCOUNT: &str =
    "select t.id, t.account_id, t.brand_id, b.name as brand_name, u.name, u.role, u.state, u.restricted,
    b.viewers_see_names, t.expires_at, t.last_used_at, t.ended_at
    from service_tokens t join users u on u.id = t.account_id join brands b on b.id = t.brand_id";

const LISTED_COLUMNS: &str =
    "select t.id, t.account_id, u.name as account_name, t.brand_id, b.name as brand_name, t.issued_at,
    t.expires_at, t.last_used_at, t.ended_at, t.ended_by
    from service_tokens t join users u on u.id = t.account_id join brands b on b.id = t.brand_id";

/// All tokens of service accounts of the installation.
pub struct ServiceTokens<'a>(&'a mut Tx);

impl Tx {
    pub fn service_tokens(&mut self, _: &Platform) -> ServiceTokens<'_> {
        ServiceTokens(self)
    }
}

#[macros::boxed]
impl ServiceTokens<'_> {
    /// Adds a token to an account, which must not have another current one. The issuer is none on the command line.
    pub async fn add(
        &mut self,
        (brand, account): (BrandId, UserId),
        issuer: Option<UserId>,
        hash: [u8; 32],
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<ServiceTokenId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into service_tokens (brand_id, account_id, issued_by, hash, issued_at, expires_at)
                 values ($1, $2, $3, $4, $5, $6) returning id",
                brand,
                account,
                issuer,
                hash,
                now,
                expires_at
            ))
            .await?;
        Ok(id)
    }

    /// Lets the current token of an account work until that time at the latest, because a new one replaces it, and returns its id. The
    /// token before it ends now, so that an account never has more than two.
    pub async fn rotate_out(
        &mut self,
        account: UserId,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<ServiceTokenId>, Error> {
        self.0
            .execute(sql!(
                "update service_tokens set ended_at = $2, ended_by = 'rotated'
                 where account_id = $1 and ended_at is null and replaced_at is not null",
                account,
                now
            ))
            .await?;
        let replaced: Option<Id<ServiceTokenId>> = if until > now {
            self.0
                .optional(sql!(
                    "update service_tokens set replaced_at = $2,
                         expires_at = case when expires_at < $3 then expires_at else $3 end
                     where account_id = $1 and ended_at is null and replaced_at is null returning id",
                    account,
                    now,
                    until
                ))
                .await?
        } else {
            self.0
                .optional(sql!(
                    "update service_tokens set ended_at = $2, ended_by = 'rotated'
                     where account_id = $1 and ended_at is null and replaced_at is null returning id",
                    account,
                    now
                ))
                .await?
        };
        Ok(replaced.map(|Id(id)| id))
    }

    /// Lets no token of an account work after that time.
    pub async fn limit_expiry(&mut self, account: UserId, at: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update service_tokens set expires_at = $2
                 where account_id = $1 and ended_at is null and expires_at > $2",
                account,
                at
            ))
            .await?;
        Ok(())
    }

    /// Ends a token and returns whether it was live.
    pub async fn revoke(&mut self, id: ServiceTokenId, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update service_tokens set ended_at = $2, ended_by = 'revoked' where id = $1 and ended_at is null",
                id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    /// Ends a token because it has expired, and returns whether it was live.
    pub async fn expire(&mut self, id: ServiceTokenId, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update service_tokens set ended_at = $2 where id = $1 and ended_at is null",
                id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    /// Ends all tokens of an account and returns how many were live.
    pub async fn revoke_all_of(&mut self, account: UserId, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update service_tokens set ended_at = $2, ended_by = 'revoked'
                 where account_id = $1 and ended_at is null",
                account,
                now
            ))
            .await
    }

    /// Ends the tokens of an account that this user has not issued, and returns how many were live.
    pub async fn revoke_all_of_others(
        &mut self,
        account: UserId,
        issuer: UserId,
        now: Timestamp,
    ) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update service_tokens set ended_at = $3, ended_by = 'revoked'
                 where account_id = $1 and ended_at is null and (issued_by is null or issued_by <> $2)",
                account,
                issuer,
                now
            ))
            .await
    }

    /// Ends all tokens of the installation and returns how many were live.
    pub async fn revoke_all(&mut self, now: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update service_tokens set ended_at = $1, ended_by = 'revoked' where ended_at is null",
                now
            ))
            .await
    }

    /// Finds the token with that hash, live or ended.
    pub async fn by_hash(&mut self, hash: [u8; 32]) -> Result<Option<ServiceTokenWithAccount>, Error> {
        self.0.optional(sql!(COLUMNS_WITH_ACCOUNT).push_with(" where t.hash = $?", [hash.into()])).await
    }

    /// Finds tokens by id, live or ended. There must not be thousands.
    pub async fn among(&mut self, ids: &[ServiceTokenId]) -> Result<Vec<ServiceTokenWithAccount>, Error> {
        let statement = sql!(COLUMNS_WITH_ACCOUNT).push(" where 1 = 1");
        self.0.all(statement.and_in_padded("t.id", ids.iter().copied())).await
    }

    /// Finds a token, live or ended.
    pub async fn by_id(&mut self, id: ServiceTokenId) -> Result<Option<ListedServiceToken>, Error> {
        self.0.optional(sql!(LISTED_COLUMNS).push_with(" where t.id = $?", [id.into()])).await
    }

    /// Returns all tokens, or those of one brand, oldest first.
    pub async fn all(&mut self, brand: Option<BrandId>) -> Result<Vec<ListedServiceToken>, Error> {
        let mut statement = sql!(LISTED_COLUMNS);
        if let Some(brand) = brand {
            statement = statement.push_with(" where t.brand_id = $?", [brand.into()]);
        }
        self.0.all(statement.push(" order by t.id")).await
    }

    pub async fn record_use(&mut self, id: ServiceTokenId, now: Timestamp) -> Result<(), Error> {
        self.0.execute(sql!("update service_tokens set last_used_at = $2 where id = $1", id, now)).await?;
        Ok(())
    }
}

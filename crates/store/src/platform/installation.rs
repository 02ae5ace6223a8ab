//! The installation row: its id, the version of its authentication, its secrets and signing keys.

use domain::Timestamp;

use crate::engine::page::Count;
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The single row that all processes of an installation share.
#[derive(Clone, Debug, macros::FromRow)]
pub struct Installation {
    /// Differs between databases, so that data stored elsewhere can be matched to its database.
    pub store_id: String,
    /// Keys the hashes of personal fields in the audit log, and the secrets of account links are derived from it. Sealed.
    pub audit_key: Vec<u8>,
    /// Id of the installation key that seals all secrets, or none while nothing is sealed yet.
    pub key_id: Option<String>,
}

/// The keys that the database is sealed with.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct KeyState {
    /// Id of the installation key, or none while nothing is sealed yet.
    pub key_id: Option<String>,
    /// The newest epoch, or 0 if there is none.
    pub epoch: i64,
}

/// A key that signs access tokens.
#[derive(Clone, macros::FromRow)]
pub struct SigningKey {
    /// The public key id in the header of each token.
    pub kid: String,
    /// The sealed key.
    pub secret: Vec<u8>,
    pub created_at: Timestamp,
    /// Time at which another key replaced it. Tokens that it signed stay valid until they expire.
    pub retired_at: Option<Timestamp>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

#[derive(macros::FromRow)]
struct Version(#[row(column = "auth_version")] i64);

#[derive(macros::FromRow)]
struct Heads(#[row(column = "heads")] Option<Vec<u8>>);

/// The installation row and the signing keys.
pub struct Installations<'a>(&'a mut Tx);

impl Tx {
    pub fn installation(&mut self, _: &Platform) -> Installations<'_> {
        Installations(self)
    }
}

#[macros::boxed]
impl Installations<'_> {
    /// Inserts the row unless it exists. Hosts that start concurrently agree on the first one.
    pub async fn ensure(&mut self, store_id: &str, audit_key: &[u8], now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into installation (id, store_id, auth_version, audit_key, created_at)
                 values (1, $1, 1, $2, $3) on conflict (id) do nothing",
                store_id,
                audit_key,
                now
            ))
            .await?;
        Ok(())
    }

    pub async fn get(&mut self) -> Result<Installation, Error> {
        self.0.one(sql!("select store_id, audit_key, key_id from installation where id = 1")).await
    }

    /// Replaces the sealed audit key.
    pub async fn set_audit_key(&mut self, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update installation set audit_key = $1 where id = 1", sealed)).await?;
        Ok(())
    }

    pub async fn key_state(&mut self) -> Result<KeyState, Error> {
        self.0
            .one(sql!(
                "select key_id, (select coalesce(max(epoch), 0) from key_epochs) as epoch
                 from installation where id = 1"
            ))
            .await
    }

    /// Sets the id of the installation key that seals all secrets from now on.
    pub async fn set_key_id(&mut self, key_id: &str) -> Result<(), Error> {
        self.0.execute(sql!("update installation set key_id = $1 where id = 1", key_id)).await?;
        Ok(())
    }

    /// Returns the sealed record of the files in which heads of the audit chains were recorded.
    pub async fn heads(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Heads(heads) = self.0.one(sql!("select heads from installation where id = 1")).await?;
        Ok(heads)
    }

    /// Replaces that sealed record.
    pub async fn set_heads(&mut self, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update installation set heads = $1 where id = 1", sealed)).await?;
        Ok(())
    }

    /// Whether an installation key has sealed the secrets of this database.
    pub async fn is_sealed(&mut self) -> Result<bool, Error> {
        let statement = sql!("select count(*) as count from installation where key_id is not null");
        let Count(count) = self.0.one(statement).await?;
        Ok(count > 0)
    }

    /// Returns the number that changes with every logout, revocation, role or password change.
    pub async fn auth_version(&mut self) -> Result<i64, Error> {
        let Version(version) = self.0.one(sql!("select auth_version from installation where id = 1")).await?;
        Ok(version)
    }

    /// Notifies every process that its cached sessions, tokens and keys may be stale.
    pub async fn bump_auth_version(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("update installation set auth_version = auth_version + 1 where id = 1")).await?;
        Ok(())
    }

    /// Locks the installation row until the end of the transaction.
    pub async fn lock(&mut self) -> Result<(), Error> {
        let lock = self.0.row_lock();
        self.0.one::<Version>(sql!("select auth_version from installation where id = 1").push(lock)).await?;
        Ok(())
    }

    /// Lists all signing keys, newest first.
    pub async fn signing_keys(&mut self) -> Result<Vec<SigningKey>, Error> {
        self.0
            .all(sql!("select kid, secret, created_at, retired_at from signing_keys order by id desc"))
            .await
    }

    /// Returns the key that signs now. It is not replaced before the end of a transaction that has locked the installation.
    pub async fn current_signing_key(&mut self) -> Result<Option<SigningKey>, Error> {
        self.0
            .optional(sql!(
                "select kid, secret, created_at, retired_at from signing_keys where retired_at is null
                 order by id desc limit 1"
            ))
            .await
    }

    /// Deletes all signing keys, so that no token that they signed is valid any more. Another must be added in the same transaction.
    pub async fn delete_signing_keys(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("delete from signing_keys")).await?;
        Ok(())
    }

    /// Adds the key that signs from now on and retires the others.
    pub async fn add_signing_key(&mut self, kid: &str, secret: &[u8], now: Timestamp) -> Result<(), Error> {
        self.0.execute(sql!("update signing_keys set retired_at = $1 where retired_at is null", now)).await?;
        self.0
            .execute(sql!(
                "insert into signing_keys (kid, secret, created_at) values ($1, $2, $3)",
                kid,
                secret,
                now
            ))
            .await?;
        Ok(())
    }
}

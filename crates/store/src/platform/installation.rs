//! What the installation itself keeps: its id, the version of its authentication, its secrets.

use domain::Timestamp;

use crate::engine::page::Count;
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// The one row that every process of an installation shares.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Differs between databases, so that copies kept elsewhere know whose they are.
    pub store_id: String,
    /// Keys the hashes of personal fields in the audit log, and derives the secrets of links. Sealed.
    pub audit_key: Vec<u8>,
    /// Which installation key seals all secrets; none while nothing is sealed yet.
    pub key_id: Option<String>,
}

/// Which keys the database is sealed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// The installation key; none while nothing is sealed yet.
    pub key_id: Option<String>,
    /// The newest epoch; 0 if there is none.
    pub epoch: i64,
}

impl FromRow for KeyState {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { key_id: row.get("key_id")?, epoch: row.get("epoch")? })
    }
}

/// A key that signs access tokens.
#[derive(Clone)]
pub struct SigningKey {
    /// Its public name, in the header of each token.
    pub kid: String,
    /// The key itself. Sealed.
    pub secret: Vec<u8>,
    /// Since when.
    pub created_at: Timestamp,
    /// When another took its place; tokens it signed stay good until they expire.
    pub retired_at: Option<Timestamp>,
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

impl FromRow for Installation {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            store_id: row.get("store_id")?,
            audit_key: row.get("audit_key")?,
            key_id: row.get("key_id")?,
        })
    }
}

impl FromRow for SigningKey {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            kid: row.get("kid")?,
            secret: row.get("secret")?,
            created_at: row.get("created_at")?,
            retired_at: row.get("retired_at")?,
        })
    }
}

struct Version(i64);

impl FromRow for Version {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.get("auth_version").map(Self)
    }
}

struct Heads(Option<Vec<u8>>);

impl FromRow for Heads {
    fn from_row(row: &Row) -> Result<Self, Error> {
        row.get("heads").map(Self)
    }
}

/// The installation's row and its signing keys.
pub struct Installations<'a>(&'a mut Tx);

impl Tx {
    /// The installation's own rows.
    pub fn installation(&mut self, _: &Platform) -> Installations<'_> {
        Installations(self)
    }
}

impl Installations<'_> {
    /// Makes the row unless there is one. Hosts that start at once agree on the first.
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

    /// The row.
    pub async fn get(&mut self) -> Result<Installation, Error> {
        self.0.one(sql!("select store_id, audit_key, key_id from installation where id = 1")).await
    }

    /// Puts another sealed audit key in the place of the old one.
    pub async fn set_audit_key(&mut self, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update installation set audit_key = $1 where id = 1", sealed)).await?;
        Ok(())
    }

    /// Which keys the database is sealed with.
    pub async fn key_state(&mut self) -> Result<KeyState, Error> {
        self.0
            .one(sql!(
                "select key_id, (select coalesce(max(epoch), 0) from key_epochs) as epoch
                 from installation where id = 1"
            ))
            .await
    }

    /// Writes down which installation key seals all secrets from now on.
    pub async fn set_key_id(&mut self, key_id: &str) -> Result<(), Error> {
        self.0.execute(sql!("update installation set key_id = $1 where id = 1", key_id)).await?;
        Ok(())
    }

    /// What is known of the files that heads of the audit chains were recorded in. Sealed.
    pub async fn heads(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Heads(heads) = self.0.one(sql!("select heads from installation where id = 1")).await?;
        Ok(heads)
    }

    /// Puts another such value in the place of the old one.
    pub async fn set_heads(&mut self, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update installation set heads = $1 where id = 1", sealed)).await?;
        Ok(())
    }

    /// Whether an installation key has sealed the secrets of this database yet.
    pub async fn is_sealed(&mut self) -> Result<bool, Error> {
        let statement = sql!("select count(*) as count from installation where key_id is not null");
        let Count(count) = self.0.one(statement).await?;
        Ok(count > 0)
    }

    /// The number that moves with every logout, revocation, role or password change.
    pub async fn auth_version(&mut self) -> Result<i64, Error> {
        let Version(version) = self.0.one(sql!("select auth_version from installation where id = 1")).await?;
        Ok(version)
    }

    /// Tells every process that what it remembers of sessions, tokens and keys may be stale.
    pub async fn bump_auth_version(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("update installation set auth_version = auth_version + 1 where id = 1")).await?;
        Ok(())
    }

    /// Waits until no other transaction works on the installation's row; held to the end of this one.
    pub async fn lock(&mut self) -> Result<(), Error> {
        let lock = self.0.row_lock();
        self.0.one::<Version>(sql!("select auth_version from installation where id = 1").push(lock)).await?;
        Ok(())
    }

    /// All signing keys, the newest first.
    pub async fn signing_keys(&mut self) -> Result<Vec<SigningKey>, Error> {
        self.0
            .all(sql!("select kid, secret, created_at, retired_at from signing_keys order by id desc"))
            .await
    }

    /// Adds the key that signs from now on, and retires the others.
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

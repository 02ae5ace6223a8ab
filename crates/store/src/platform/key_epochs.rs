//! The keys of epochs, sealed under the installation key, and every column that is sealed with them.

use domain::Timestamp;

use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A column whose values are sealed. `id` of its rows is a number; what a value is bound to is the text of another column.
#[derive(Debug)]
pub struct SealedColumn {
    /// `table.column`: what the values are sealed for.
    pub purpose: &'static str,
    /// Up to `$2` rows after the id `$1`, in the order of their ids: id, context, sealed.
    page: &'static str,
    /// Puts `$2` into the row `$1`.
    replace: &'static str,
    /// What to do with the rows when the key is lost: they can never be opened again. None for what is made anew.
    on_key_loss: Option<&'static str>,
}

/// Every sealed column. Whoever adds one adds it here: rotation goes over this list, and so does a restore without the key.
pub const SEALED_COLUMNS: &[SealedColumn] = &[
    SealedColumn {
        purpose: "installation.audit_key",
        page: "select id, cast(id as text) as context, audit_key as sealed from installation
               where id > $1 order by id limit $2",
        replace: "update installation set audit_key = $2 where id = $1",
        on_key_loss: None,
    },
    SealedColumn {
        purpose: "installation.heads",
        page: "select id, cast(id as text) as context, heads as sealed from installation
               where heads is not null and id > $1 order by id limit $2",
        replace: "update installation set heads = $2 where id = $1",
        on_key_loss: Some("update installation set heads = null"),
    },
    SealedColumn {
        purpose: "signing_keys.secret",
        page: "select id, kid as context, secret as sealed from signing_keys where id > $1 order by id limit $2",
        replace: "update signing_keys set secret = $2 where id = $1",
        on_key_loss: Some("delete from signing_keys"),
    },
    SealedColumn {
        purpose: "sessions.secret",
        // A cookie session's is the hash of its cookie, and is looked for.
        page: "select id, cast(user_id as text) as context, secret as sealed from sessions
               where kind = 'jwt' and id > $1 order by id limit $2",
        replace: "update sessions set secret = $2 where id = $1",
        on_key_loss: Some("delete from sessions where kind = 'jwt'"),
    },
    SealedColumn {
        purpose: "second_factors.secret",
        page: "select user_id as id, cast(user_id as text) as context, secret as sealed from second_factors
               where user_id > $1 order by user_id limit $2",
        replace: "update second_factors set secret = $2 where user_id = $1",
        on_key_loss: Some("delete from second_factors"),
    },
];

/// A value of a sealed column.
pub struct SealedValue {
    /// Its row.
    pub id: i64,
    /// What it is bound to.
    pub context: String,
    /// The value as it stands.
    pub sealed: Vec<u8>,
}

impl FromRow for SealedValue {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { id: row.get("id")?, context: row.get("context")?, sealed: row.get("sealed")? })
    }
}

/// The key of an epoch.
pub struct KeyEpoch {
    /// Its number, from 1.
    pub epoch: i64,
    /// Sealed under the installation key; none if that was given up as lost.
    pub sealed: Option<Vec<u8>>,
}

impl FromRow for KeyEpoch {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self { epoch: row.get("epoch")?, sealed: row.get("sealed")? })
    }
}

/// The keys of epochs, and the values that are sealed with them.
pub struct KeyEpochs<'a>(&'a mut Tx);

impl Tx {
    /// The keys of epochs, and the values that are sealed with them.
    pub fn key_epochs(&mut self, _: &Platform) -> KeyEpochs<'_> {
        KeyEpochs(self)
    }
}

impl KeyEpochs<'_> {
    /// All of them, the oldest first.
    pub async fn all(&mut self) -> Result<Vec<KeyEpoch>, Error> {
        self.0.all(sql!("select epoch, sealed from key_epochs order by epoch")).await
    }

    /// Adds one.
    pub async fn add(&mut self, epoch: i64, sealed: &[u8], now: Timestamp) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into key_epochs (epoch, sealed, created_at) values ($1, $2, $3)",
                epoch,
                sealed,
                now
            ))
            .await?;
        Ok(())
    }

    /// Puts the key of an epoch that was sealed anew in the place of the old one.
    pub async fn replace(&mut self, epoch: i64, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update key_epochs set sealed = $2 where epoch = $1", epoch, sealed)).await?;
        Ok(())
    }

    /// Gives up the keys of all epochs.
    pub async fn discard_keys(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("update key_epochs set sealed = null")).await?;
        Ok(())
    }

    /// Up to `limit` values of a column after the row of this id.
    pub async fn values(
        &mut self,
        column: &SealedColumn,
        after: i64,
        limit: i64,
    ) -> Result<Vec<SealedValue>, Error> {
        self.0.all(sql!(column.page, after, limit)).await
    }

    /// Puts a value in the place of another.
    pub async fn replace_value(
        &mut self,
        column: &SealedColumn,
        id: i64,
        sealed: Vec<u8>,
    ) -> Result<(), Error> {
        self.0.execute(sql!(column.replace, id, sealed)).await?;
        Ok(())
    }

    /// Takes away what can never be opened again.
    pub async fn delete_values(&mut self, column: &SealedColumn) -> Result<u64, Error> {
        match column.on_key_loss {
            Some(text) => self.0.execute(sql!(text)).await,
            None => Ok(0),
        }
    }
}

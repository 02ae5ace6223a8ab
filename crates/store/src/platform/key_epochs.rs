//! The epoch keys, sealed with the installation key, and the columns whose values are sealed with them.

use domain::Timestamp;

use crate::engine::statement::sql;
use crate::{Error, Platform, Tx};

/// A column with sealed values. The `id` of its rows is a number; each value is bound to the text of another column, its context.
#[derive(Debug)]
pub struct SealedColumn {
    /// `table.column`, which the values are bound to as well.
    pub purpose: &'static str,
    /// Selects id, context and sealed value of up to `$2` rows after the id `$1`, in order of their ids.
    page: &'static str,
    /// Stores `$2` in the row `$1`.
    replace: &'static str,
    /// Removes the values when the key is lost, because they can never be opened again. None for a value that is generated anew.
    on_key_loss: Option<&'static str>,
}

/// Every sealed column. A new one must be added here: key rotation and a restore without the key process this list.
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
        // A cookie session stores the hash of its cookie instead, by which it is found.
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
    SealedColumn {
        purpose: "webhooks.secret",
        page: "select id, cast(id as text) as context, secret as sealed from webhooks
               where secret is not null and id > $1 order by id limit $2",
        replace: "update webhooks set secret = $2 where id = $1",
        // A webhook without a secret could only be called unsigned: it is disabled until the secret is rotated. One that was disabled
        // before stays so for its reason.
        on_key_loss: Some(
            "update webhooks set secret = null, old_secret = null, old_secret_until = null,
                 disabled_at = coalesce(disabled_at, updated_at), disabled_reason = coalesce(disabled_reason, 'key_lost'),
                 version = version + 1",
        ),
    },
    SealedColumn {
        purpose: "webhooks.old_secret",
        page: "select id, cast(id as text) as context, old_secret as sealed from webhooks
               where old_secret is not null and id > $1 order by id limit $2",
        replace: "update webhooks set old_secret = $2 where id = $1",
        on_key_loss: Some("update webhooks set old_secret = null, old_secret_until = null"),
    },
];

/// A value of a sealed column.
#[derive(macros::FromRow)]
pub struct SealedValue {
    pub id: i64,
    /// The text that the value is bound to.
    pub context: String,
    pub sealed: Vec<u8>,
}

#[derive(macros::FromRow)]
pub struct KeyEpoch {
    /// Counted from 1.
    pub epoch: i64,
    /// The key, sealed with the installation key, or none if that was declared lost.
    pub sealed: Option<Vec<u8>>,
}

/// The epoch keys and the values that are sealed with them.
pub struct KeyEpochs<'a>(&'a mut Tx);

impl Tx {
    pub fn key_epochs(&mut self, _: &Platform) -> KeyEpochs<'_> {
        KeyEpochs(self)
    }
}

#[macros::boxed]
impl KeyEpochs<'_> {
    /// Lists all epochs, oldest first.
    pub async fn all(&mut self) -> Result<Vec<KeyEpoch>, Error> {
        self.0.all(sql!("select epoch, sealed from key_epochs order by epoch")).await
    }

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

    /// Replaces the sealed key of an epoch.
    pub async fn replace(&mut self, epoch: i64, sealed: &[u8]) -> Result<(), Error> {
        self.0.execute(sql!("update key_epochs set sealed = $2 where epoch = $1", epoch, sealed)).await?;
        Ok(())
    }

    /// Deletes the keys of all epochs, which are lost.
    pub async fn discard_keys(&mut self) -> Result<(), Error> {
        self.0.execute(sql!("update key_epochs set sealed = null")).await?;
        Ok(())
    }

    /// Returns up to `limit` values of a column after the row of this id.
    pub async fn values(
        &mut self,
        column: &SealedColumn,
        after: i64,
        limit: i64,
    ) -> Result<Vec<SealedValue>, Error> {
        self.0.all(sql!(column.page, after, limit)).await
    }

    pub async fn replace_value(
        &mut self,
        column: &SealedColumn,
        id: i64,
        sealed: Vec<u8>,
    ) -> Result<(), Error> {
        self.0.execute(sql!(column.replace, id, sealed)).await?;
        Ok(())
    }

    /// Deletes values that can never be opened again.
    pub async fn delete_values(&mut self, column: &SealedColumn) -> Result<u64, Error> {
        match column.on_key_loss {
            Some(text) => self.0.execute(sql!(text)).await,
            None => Ok(0),
        }
    }
}

//! How the installation key and the database come together: at the first start, at every other, and at a rotation.

use std::sync::{Arc, PoisonError};

use domain::{Random, Timestamp};
use store::{Installation, Platform, SEALED_COLUMNS, Tx};

use crate::sealing::Ring;
use crate::{App, Error, KeySource};

/// How many values are sealed anew between two looks for more.
const PAGE: i64 = 500;

/// Opens the secrets of the installation, whose row this transaction holds. If nothing is sealed yet, the key is made and on disk
/// before the transaction ends; of hosts that start at once, one does this and the others wait for the row.
pub(crate) async fn open(
    tx: &mut Tx,
    platform: &Platform,
    source: &KeySource,
    (random, now): (&Random, Timestamp),
) -> Result<(Ring, Installation), Error> {
    let installation = tx.installation(platform).get().await?;
    if let Some(id) = &installation.key_id {
        let key = source.find(id)?;
        let rows = tx.key_epochs(platform).all().await?;
        return Ok((Ring::open(&key, &rows, &installation.audit_key)?, installation));
    }
    let key = source.find_or_make(random)?;
    let ring = Ring::begin(&key, 1, installation.audit_key.clone(), random);
    for column in SEALED_COLUMNS {
        let mut after = 0;
        loop {
            let values = tx.key_epochs(platform).values(column, after, PAGE).await?;
            let Some(last) = values.last() else { break };
            after = last.id;
            for value in values {
                let sealed = ring.seal(column.purpose, value.context.as_bytes(), &value.sealed, random)?;
                tx.key_epochs(platform).replace_value(column, value.id, sealed).await?;
            }
        }
    }
    for (epoch, key_of_epoch) in ring.epochs() {
        tx.key_epochs(platform).add(epoch.into(), &key_of_epoch.seal(&key, epoch, random)?, now).await?;
    }
    tx.installation(platform).set_key_id(&ring.key_id).await?;
    tracing::info!(
        "the secrets in the database are sealed with the installation key of {}",
        source.describe()
    );
    Ok((ring, installation))
}

impl App {
    /// The keys, as this process knows them.
    pub(crate) fn keys(&self) -> Arc<Ring> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }
}

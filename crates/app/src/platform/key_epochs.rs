//! Opening the secrets of the database with the installation key: at the first start, at later starts and during a rotation.

use std::sync::{Arc, PoisonError};

use domain::{Clock, Random, Timestamp};
use serde_json::json;
use store::{Installation, Platform, SEALED_COLUMNS, Store, Tx};

use crate::platform::audit_chain::{INSTALLATION_CHAIN, mark_chains, seal_rows};
use crate::platform::audit_chain_ends::{authenticate_ends, warn_of_invalid_ends};
use crate::platform::audit_heads;
use crate::platform::sealing::{DERIVATION_KEY_SEAL, KeyRing};
use crate::{App, Error, InstallationKey, KeySource};

/// Values sealed again per page.
const PAGE_SIZE: i64 = 500;

/// Opens the secrets of the installation, whose row this transaction has locked. If nothing is sealed yet, the key is generated and on disk
/// before the transaction ends; of hosts that start at the same time, one does this and the others wait for the row.
pub(crate) async fn open_keys(
    tx: &mut Tx,
    platform: &Platform,
    source: &KeySource,
    (random, now): (&Random, Timestamp),
) -> Result<(KeyRing, Installation), Error> {
    let installation = tx.installation(platform).get().await?;
    if let Some(id) = &installation.key_id {
        let key = source.find(id)?;
        let rows = tx.key_epochs(platform).all().await?;
        return Ok((KeyRing::open(&key, &rows, &installation.audit_key)?, installation));
    }
    let key = source.find_or_create(random)?;
    let ring = KeyRing::new(&key, 1, installation.audit_key.clone(), random);
    if !tx.audits(platform).ends().await?.is_empty() {
        // A database from before there were keys: anyone could have computed its chains so far.
        tx.audits(platform).chain_locked(INSTALLATION_CHAIN).await?;
        mark_chains(tx, platform, &ring, false).await?;
        authenticate_ends(tx, platform, &ring).await?;
    }
    seal_values(tx, platform, &ring, random, |value| Ok(value.sealed.clone())).await?;
    audit_heads::init_recorded_files(tx, platform, (&ring, random)).await?;
    switch_installation_key(tx, platform, (&key, &ring), (random, now)).await?;
    tracing::info!(
        "the secrets in the database are sealed with the installation key of {}",
        source.describe()
    );
    Ok((ring, installation))
}

/// Seals the values of all columns with the newest epoch of a ring; `open` returns their plain text. The old values are overwritten,
/// because they were readable or sealed with a key that may have leaked.
async fn seal_values(
    tx: &mut Tx,
    platform: &Platform,
    ring: &KeyRing,
    random: &Random,
    open: impl Fn(&SealedValue<'_>) -> Result<Vec<u8>, Error>,
) -> Result<(), Error> {
    tx.enable_secure_delete().await?;
    for column in SEALED_COLUMNS {
        let mut after = 0;
        loop {
            let values = tx.key_epochs(platform).values(column, after, PAGE_SIZE).await?;
            let Some(last) = values.last() else { break };
            after = last.id;
            for value in values {
                let context = value.context.as_bytes();
                let plain = open(&SealedValue { purpose: column.purpose, context, sealed: &value.sealed })?;
                let sealed = ring.seal(column.purpose, context, &plain, random)?;
                tx.key_epochs(platform).replace_value(column, value.id, sealed).await?;
            }
        }
    }
    Ok(())
}

/// A value in its column.
struct SealedValue<'a> {
    purpose: &'static str,
    context: &'a [u8],
    sealed: &'a Vec<u8>,
}

/// Stores the keys of all epochs, sealed under an installation key, and makes it the current one.
async fn switch_installation_key(
    tx: &mut Tx,
    platform: &Platform,
    (key, ring): (&InstallationKey, &KeyRing),
    (random, now): (&Random, Timestamp),
) -> Result<(), Error> {
    for (epoch, key_of_epoch) in ring.epochs() {
        let sealed = key_of_epoch.seal(key, epoch, random)?;
        if epoch == ring.current {
            tx.key_epochs(platform).add(epoch.into(), &sealed, now).await?;
        } else {
            tx.key_epochs(platform).replace(epoch.into(), &sealed).await?;
        }
    }
    Ok(tx.installation(platform).set_key_id(&ring.key_id).await?)
}

#[macros::boxed]
impl App {
    /// Returns the keys as this process knows them.
    pub(crate) fn keys(&self) -> Arc<KeyRing> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the id of the installation key, and where it is.
    pub fn describe_key(&self) -> (String, String) {
        (self.keys().key_id.clone(), self.key_source.describe())
    }

    fn set_keys(&self, ring: KeyRing) -> Arc<KeyRing> {
        let ring = Arc::new(ring);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&ring);
        ring
    }

    /// Returns the keys as the database has them now, and reads them again after a rotation. Fails if this host does not have the new
    /// installation key; the next call looks for it again.
    pub(crate) async fn refresh_keys(&self, tx: &mut Tx) -> Result<Arc<KeyRing>, Error> {
        let known = self.keys();
        let state = tx.installation(&self.platform).key_state().await?;
        if state.key_id.as_ref() == Some(&known.key_id) && state.epoch == i64::from(known.current) {
            return Ok(known);
        }
        let id = state.key_id.ok_or_else(|| Error::internal("the database is no longer sealed"))?;
        let key = self.key_source.find(&id)?;
        let rows = tx.key_epochs(&self.platform).all().await?;
        let installation = tx.installation(&self.platform).get().await?;
        let ring = self.set_keys(KeyRing::open(&key, &rows, &installation.audit_key)?);
        tracing::info!("the installation key is now {id}");
        Ok(ring)
    }

    /// Checks that this process has the installation key that the database is sealed with.
    pub async fn check_keys(&self) -> Result<(), Error> {
        let mut tx = self.store.read().await?;
        self.refresh_keys(&mut tx).await.map(drop)
    }

    /// Unseals a value that this transaction has read. Unlike [`App::unseal`], it notices a rotation immediately.
    pub(crate) async fn unseal_in(
        &self,
        tx: &mut Tx,
        (purpose, context): (&'static str, &[u8]),
        sealed: &[u8],
    ) -> Result<Vec<u8>, Error> {
        match self.unseal(purpose, context, sealed) {
            Err(error) if error.code == Error::KEY_MISSING => {
                self.refresh_keys(tx).await?.unseal(purpose, context, sealed)
            }
            other => other,
        }
    }

    /// Generates the next installation key without using it yet, so that it can be copied to every host first. Returns where it is.
    pub fn prepare_installation_key(&self) -> Result<String, Error> {
        self.key_source.prepare(&self.keys().key_id, &self.random)
    }

    /// Rotates the installation key: the next key is written beside the old one, everything is sealed again in one transaction, and the
    /// next key is moved to the place of the old one. If the process is killed in between, the next start finds the key that it needs, and
    /// another call finishes the rotation instead of starting a second one.
    pub async fn rotate_installation_key(&self) -> Result<RotatedKey, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        tx.installation(&self.platform).lock().await?;
        let old = self.refresh_keys(&mut tx).await?;
        if self.key_source.was_rotated_to(&old.key_id)? {
            drop(tx);
            self.key_source.end_rotation(&old.key_id)?;
            return Ok(RotatedKey { id: old.key_id.clone(), was_already_sealed: true });
        }
        let key = self.key_source.next(&old.key_id, &self.random)?;
        self.key_source.begin_rotation(&old.key_id)?;
        self.lock_audit_log(&mut tx).await?;
        warn_of_invalid_ends(&mut tx, &self.platform, &old).await?;
        let new = old.with_new_epoch(&key, old.current + 1, &self.random);
        mark_chains(&mut tx, &self.platform, &new, false).await?;
        seal_values(&mut tx, &self.platform, &new, &self.random, |value| {
            old.unseal(value.purpose, value.context, value.sealed)
        })
        .await?;
        switch_installation_key(&mut tx, &self.platform, (&key, &new), (&self.random, now)).await?;
        let details = json!({ "before": old.key_id, "after": new.key_id, "epoch": new.current });
        self.record_installation_audit(&mut tx, "installation_key.rotated", details).await?;
        self.commit_access_change(tx).await?;
        let id = new.key_id.clone();
        self.set_keys(new);
        self.key_source.end_rotation(&id)?;
        Ok(RotatedKey { id, was_already_sealed: false })
    }
}

/// The result of a rotation.
#[derive(Clone, Debug)]
pub struct RotatedKey {
    /// The id of the new key.
    pub id: String,
    /// Whether an earlier, interrupted call had already sealed everything.
    pub was_already_sealed: bool,
}

/// The sessions and links that ended with a lost key.
#[derive(Clone, Copy, Debug)]
pub struct LostSecrets {
    /// Number of sessions that ended.
    pub sessions: u64,
    /// Number of invitations and password resets that ended.
    pub links: u64,
}

/// Gives a new key to a database whose installation key is lost. Values that only the old key could open are deleted, all sessions and
/// links end, and the audit chains are marked: up to here they can no longer be verified.
pub async fn replace_lost_key(
    (store, platform): &(Store, Platform),
    source: &KeySource,
    clock: &Clock,
    random: &Random,
) -> Result<LostSecrets, Error> {
    let now = clock.now();
    let mut tx = store.begin().await?;
    tx.installation(platform).lock().await?;
    let before = tx.installation(platform).key_state().await?;
    let key = source.create_replacement(random)?;
    let epoch = u32::try_from(before.epoch + 1).map_err(Error::internal)?;
    let ring = KeyRing::new(&key, epoch, random.bytes::<32>().to_vec(), random);
    tx.audits(platform).chain_locked(INSTALLATION_CHAIN).await?;
    // Rows that are not sealed yet contain hashes under the lost key too, so that they cannot be verified either.
    while seal_rows(&mut tx, platform, (before.epoch, None)).await?.0 > 0 {}
    mark_chains(&mut tx, platform, &ring, true).await?;
    authenticate_ends(&mut tx, platform, &ring).await?;
    let sessions = tx.sessions(platform).end_all(now).await?;
    let links = tx.account_links(platform).end_all(now).await?;
    // The keys that signed them are lost, too.
    tx.service_tokens(platform).revoke_all(now).await?;
    tx.key_epochs(platform).discard_keys().await?;
    for column in SEALED_COLUMNS {
        tx.key_epochs(platform).delete_values(column).await?;
    }
    let (purpose, context) = DERIVATION_KEY_SEAL;
    let derivation_key = ring.seal(purpose, context, &ring.derivation_key, random)?;
    tx.installation(platform).set_audit_key(&derivation_key).await?;
    audit_heads::init_recorded_files(&mut tx, platform, (&ring, random)).await?;
    switch_installation_key(&mut tx, platform, (&key, &ring), (random, now)).await?;
    tx.installation(platform).bump_auth_version().await?;
    tx.commit().await?;
    Ok(LostSecrets { sessions, links })
}

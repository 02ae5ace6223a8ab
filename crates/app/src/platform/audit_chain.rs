//! The chain over the audit log: the hash of every row covers all rows before it, under the key of an epoch.

use domain::{AuditRow, BrandId};
use sha2::{Digest, Sha256};
use store::{AuditMark, ChainState, Platform, Seal, Tx};

use crate::platform::audit_chain_ends::{end_mac, is_end_authentic, warn_of_invalid_end};
use crate::platform::audit_heads::Head;
use crate::platform::crypto::hmac_sha256;
use crate::platform::sealing::{EpochKey, KeyRing};
use crate::{App, Error};

/// Rows sealed per transaction, and read per page when the chain is checked.
pub(crate) const PAGE_SIZE: i64 = 500;

/// The chain of actions on the installation itself.
pub(crate) const INSTALLATION_CHAIN: i64 = 0;

/// The epoch of links from before there were keys.
pub(crate) const UNKEYED_EPOCH: i64 = 0;

#[macros::boxed]
impl App {
    /// Appends rows that are not sealed yet to their chains; returns how many.
    pub async fn seal_audit_log(&self) -> Result<u64, Error> {
        self.record_initial_heads().await?;
        let mut sealed = 0;
        loop {
            if self.store.read().await?.audits(&self.platform).unsealed(1).await?.is_empty() {
                return Ok(sealed);
            }
            sealed += self.seal_batch().await?;
        }
    }

    /// Locks the audit log: the end of the installation's chain serves as a lock that sealing, rotation and housekeeping share.
    pub(crate) async fn lock_audit_log(&self, tx: &mut Tx) -> Result<ChainState, Error> {
        Ok(tx.audits(&self.platform).chain_locked(INSTALLATION_CHAIN).await?)
    }

    async fn seal_batch(&self) -> Result<u64, Error> {
        let mut tx = self.store.begin().await?;
        self.lock_audit_log(&mut tx).await?;
        // After the lock, which a rotation holds to its end: a link under an older key would otherwise follow the mark of the new epoch.
        let keys = self.refresh_keys(&mut tx).await?;
        let epoch = i64::from(keys.current);
        let (sealed, moved) = seal_rows(&mut tx, &self.platform, (epoch, Some(&keys))).await?;
        tx.commit().await?;
        // After the commit, because a recorded head must exist. If a crash prevents this, the next head covers these links too.
        let heads = moved.into_iter().map(|state| Head::of(&state, epoch)).collect();
        self.record_heads(heads).await;
        Ok(sealed)
    }
}

/// Seals up to [`PAGE_SIZE`] rows in the order of their ids; returns how many, and the chains that grew.
pub(crate) async fn seal_rows(
    tx: &mut Tx,
    platform: &Platform,
    (epoch, keys): (i64, Option<&KeyRing>),
) -> Result<(u64, Vec<ChainState>), Error> {
    let key = keys.and_then(|keys| keys.epoch(epoch));
    let mut chains: Vec<ChainState> = Vec::new();
    // Chains whose end is not authentic: appending to them must not make them look valid.
    let mut invalid_chains = Vec::new();
    let rows = tx.audits(platform).unsealed(PAGE_SIZE).await?;
    for row in &rows {
        let chain = chain_of(row);
        let index = match chains.iter().position(|state| state.chain == chain) {
            Some(index) => index,
            None => {
                let state = tx.audits(platform).chain_locked(chain).await?;
                if keys.is_some_and(|keys| !is_end_authentic(keys, &state)) {
                    warn_of_invalid_end(chain);
                    invalid_chains.push(chain);
                }
                chains.push(state);
                chains.len() - 1
            }
        };
        let state = &mut chains[index];
        state.position += 1;
        state.head = link_hash(key, state, row);
        let seal = Seal { position: state.position, audit: row.id, hash: state.head.clone(), epoch };
        state.mac = key.filter(|_| !invalid_chains.contains(&chain)).map(|key| end_mac(epoch, key, state));
        tx.audits(platform).seal(chain, &seal, state.mac.as_deref()).await?;
    }
    Ok((rows.len() as u64, chains))
}

/// Marks the ends of all chains at the start of the newest epoch of `keys`. The transaction holds the lock of the audit log.
pub(crate) async fn mark_chains(
    tx: &mut Tx,
    platform: &Platform,
    keys: &KeyRing,
    key_lost: bool,
) -> Result<(), Error> {
    let epoch = i64::from(keys.current);
    let key = keys.epoch(epoch).ok_or_else(|| Error::internal("the newest epoch has no key"))?;
    for state in tx.audits(platform).ends().await? {
        if state.position == 0 {
            continue;
        }
        let ChainState { chain, position, head, .. } = state;
        let mut mark = AuditMark { chain, epoch, position, head, key_lost, mac: Vec::new() };
        mark.mac = mark_mac(key, &mark);
        tx.audit_marks(platform).add(&mark).await?;
    }
    Ok(())
}

/// Computes the authentication code of a mark.
pub(crate) fn mark_mac(key: &EpochKey, mark: &AuditMark) -> Vec<u8> {
    let parts: [&[u8]; 6] = [
        b"mark\0",
        &mark.chain.to_be_bytes(),
        &mark.epoch.to_be_bytes(),
        &mark.position.to_be_bytes(),
        &[u8::from(mark.key_lost)],
        &mark.head,
    ];
    hmac_sha256(&key.derive("audit chain", ""), &parts).to_vec()
}

pub(crate) fn chain_of(row: &AuditRow) -> i64 {
    row.brand.map_or(INSTALLATION_CHAIN, |BrandId(brand)| brand)
}

/// Computes the hash of a row on top of all rows before it. `at` has the position of the row and the hash of the previous one. Without a
/// key it is a plain hash, as it was before there were keys.
pub(crate) fn link_hash(key: Option<&EpochKey>, at: &ChainState, row: &AuditRow) -> Vec<u8> {
    let row = encode_row(row);
    match key {
        None => Sha256::new().chain_update(&at.head).chain_update(row).finalize().to_vec(),
        Some(key) => {
            let (chain, position) = (at.chain.to_be_bytes(), at.position.to_be_bytes());
            let parts: [&[u8]; 5] = [b"link\0", &chain, &position, &at.head, &row];
            hmac_sha256(&key.derive("audit chain", ""), &parts).to_vec()
        }
    }
}

/// Each field is preceded by its length, so that no two rows have the same encoding.
fn encode_row(row: &AuditRow) -> Vec<u8> {
    let mut all = Vec::new();
    let mut field = |bytes: Option<&[u8]>| match bytes {
        Some(bytes) => {
            all.push(1);
            all.extend((bytes.len() as u64).to_be_bytes());
            all.extend(bytes);
        }
        None => all.push(0),
    };
    field(Some(&row.id.0.to_be_bytes()));
    field(row.brand.map(|brand| brand.0.to_be_bytes()).as_ref().map(|bytes| &bytes[..]));
    field(Some(&row.at.micros().to_be_bytes()));
    field(Some(row.actor_kind.as_bytes()));
    field(row.actor_id.map(i64::to_be_bytes).as_ref().map(|bytes| &bytes[..]));
    field(Some(row.action.as_bytes()));
    field(Some(row.target_kind.as_bytes()));
    field(row.target_id.map(i64::to_be_bytes).as_ref().map(|bytes| &bytes[..]));
    field(Some(row.details.as_bytes()));
    field(row.personal_hash.as_deref());
    field(row.address.as_deref().map(str::as_bytes));
    field(row.request_id.as_deref().map(str::as_bytes));
    all
}

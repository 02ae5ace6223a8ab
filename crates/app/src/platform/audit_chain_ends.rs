//! The authenticated end of an audit chain.
//!
//! Anyone who can write to the database can remove the last links of a chain and move its end. The end therefore has an authentication
//! code: moving it takes the key, or a copy of the row from when the chain ended there.

use store::{ChainState, Platform, Tx};

use crate::Error;
use crate::platform::crypto::{constant_time_eq, hmac_sha256};
use crate::platform::sealing::{EpochKey, KeyRing};

/// Length of the prefix that holds the epoch of the key.
const EPOCH_BYTES: usize = 8;

/// Authenticates the end of a chain: the epoch of the key, followed by the authentication code.
pub(crate) fn end_mac(epoch: i64, key: &EpochKey, end: &ChainState) -> Vec<u8> {
    let (chain, position) = (end.chain.to_be_bytes(), end.position.to_be_bytes());
    let parts: [&[u8]; 4] = [b"end\0", &chain, &position, &end.head];
    let mac = hmac_sha256(&key.derive("audit chain", ""), &parts);
    [&epoch.to_be_bytes()[..], &mac].concat()
}

/// Returns whether a key of this installation authenticated the end of a chain. The mark of an epoch is not enough: it shows where the
/// chain stood when the epoch began, so that cutting the chain back to it would go unnoticed.
pub(crate) fn is_end_authentic(keys: &KeyRing, end: &ChainState) -> bool {
    if end.position == 0 {
        return true;
    }
    end.mac.as_ref().is_some_and(|mac| {
        let epoch = mac.first_chunk::<EPOCH_BYTES>().map(|bytes| i64::from_be_bytes(*bytes));
        let made = epoch.and_then(|epoch| Some(end_mac(epoch, keys.epoch(epoch)?, end)));
        made.is_some_and(|made| constant_time_eq(&made, mac))
    })
}

/// Accepts the ends of all chains where nothing could have authenticated them: with the first key, after a lost key, and if an operator
/// asks for it. The transaction holds the lock of the audit log. Returns the number of chains.
pub(crate) async fn authenticate_ends(
    tx: &mut Tx,
    platform: &Platform,
    keys: &KeyRing,
) -> Result<usize, Error> {
    let epoch = i64::from(keys.current);
    let key = keys.epoch(epoch).ok_or_else(|| Error::internal("the newest epoch has no key"))?;
    let ends = tx.audits(platform).ends().await?;
    for end in ends.iter().filter(|end| end.position > 0) {
        tx.audits(platform).set_end_mac(end.chain, &end_mac(epoch, key, end)).await?;
    }
    Ok(ends.len())
}

/// Logs the chains whose end is not authentic. A new epoch does not make them valid.
pub(crate) async fn warn_of_invalid_ends(
    tx: &mut Tx,
    platform: &Platform,
    keys: &KeyRing,
) -> Result<(), Error> {
    for end in tx.audits(platform).ends().await? {
        if !is_end_authentic(keys, &end) {
            warn_of_invalid_end(end.chain);
        }
    }
    Ok(())
}

pub(crate) fn warn_of_invalid_end(chain: i64) {
    tracing::error!(
        "the audit chain {chain} has an end that this installation did not write: run keepclear check"
    );
}

//! The end of an audit chain, authenticated.
//!
//! Whoever can write to the database can take the last links of a chain away and say that it ends before them. So the place where it ends
//! carries a mac of its own: to end it elsewhere takes the key, or a copy of the row from when it did end there.

use store::{ChainState, Platform, Tx};

use crate::Error;
use crate::platform::installation_key::hmac_sha256;
use crate::platform::sealing::{EpochKey, KeyRing};

/// How many bytes of the mac say which epoch's key made it.
const EPOCH_BYTES: usize = 8;

/// What authenticates that a chain ends here: the epoch whose key makes it, and the mac.
pub(crate) fn end_mac(epoch: i64, key: &EpochKey, end: &ChainState) -> Vec<u8> {
    let (chain, position) = (end.chain.to_be_bytes(), end.position.to_be_bytes());
    let parts: [&[u8]; 4] = [b"end\0", &chain, &position, &end.head];
    let mac = hmac_sha256(&key.derive("audit chain", ""), &parts);
    [&epoch.to_be_bytes()[..], &mac].concat()
}

/// Whether a key of this installation put the end of a chain where it is. The mark of an epoch does not say so: it says where the chain
/// stood when the epoch began, so whoever cuts the chain back to it has not ended it there.
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

/// Takes the ends of all chains as they are, where nothing could have authenticated them: as the first key begins, as one is lost, and if an
/// operator says so. The transaction holds the lock of the audit log. Tells how many chains there are.
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

/// Logs which chains do not end where a key ended them. A new epoch does not make them sound.
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
        "the audit chain {chain} does not end where this installation ended it: run keepclear check"
    );
}

pub(crate) fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    bool::from(subtle::ConstantTimeEq::ct_eq(one, other))
}

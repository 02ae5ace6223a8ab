//! The end of an audit chain, authenticated.
//!
//! Whoever can write to the database can take the last links of a chain away and say that it ends before them. So the place where it ends
//! carries a mac of its own: to end it elsewhere takes the key, or a copy of the row from when it did end there.

use store::{AuditMark, ChainState, Platform, Tx};

use crate::Error;
use crate::audit_chain::mac_of_mark;
use crate::installation_key::derive;
use crate::sealing::{EpochKey, Ring};

/// How many bytes of the mac say which epoch's key made it.
const EPOCH_BYTES: usize = 8;

/// What authenticates that a chain ends here: the epoch whose key makes it, and the mac.
pub(crate) fn mac_of_end(epoch: i64, key: &EpochKey, end: &ChainState) -> Vec<u8> {
    let (chain, position) = (end.chain.to_be_bytes(), end.position.to_be_bytes());
    let parts: [&[u8]; 4] = [b"end\0", &chain, &position, &end.head];
    let mac = derive(&key.derive("audit chain", ""), &parts);
    [&epoch.to_be_bytes()[..], &mac].concat()
}

/// Whether a key of this installation put the end of a chain where it is: by its mac, or by a mark of an epoch that began there.
pub(crate) fn end_holds(keys: &Ring, end: &ChainState, marks: &[AuditMark]) -> bool {
    if end.position == 0 {
        return true;
    }
    let by_mac = end.mac.as_ref().is_some_and(|mac| {
        let epoch = mac.first_chunk::<EPOCH_BYTES>().map(|bytes| i64::from_be_bytes(*bytes));
        let made = epoch.and_then(|epoch| Some(mac_of_end(epoch, keys.epoch(epoch)?, end)));
        made.is_some_and(|made| same(&made, mac))
    });
    by_mac
        || marks.iter().any(|mark| {
            let key = keys.epoch(mark.epoch);
            (mark.position, &mark.head) == (end.position, &end.head)
                && key.is_some_and(|key| same(&mac_of_mark(key, mark), &mark.mac))
        })
}

/// The same for a sealer that is about to append to the chain.
pub(crate) async fn end_holds_in(
    tx: &mut Tx,
    platform: &Platform,
    keys: &Ring,
    end: &ChainState,
) -> Result<bool, Error> {
    if end_holds(keys, end, &[]) {
        return Ok(true);
    }
    let marks = tx.audit_marks(platform).of_chain(end.chain).await?;
    Ok(end_holds(keys, end, &marks))
}

pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    bool::from(subtle::ConstantTimeEq::ct_eq(one, other))
}

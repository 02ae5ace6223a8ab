//! Checks the audit chains against their keys, the marks of epochs, and the heads recorded outside the database.

use std::collections::HashMap;

use domain::AuditRow;
use store::{AuditMark, ChainState, RecordedChain, Seal};

use crate::platform::audit_chain::{
    INSTALLATION_CHAIN, PAGE_SIZE, UNKEYED_EPOCH, chain_of, link_hash, mark_mac,
};
use crate::platform::audit_chain_ends::is_end_authentic;
use crate::platform::audit_heads::{ChainHeads, HeadsByPosition, RecordedHeads};
use crate::platform::audit_report::AuditReport;
use crate::platform::crypto::constant_time_eq;
use crate::platform::sealing::KeyRing;
use crate::{App, Error};

/// Links that a killed process can leave without a recorded head: a batch, and what others seal until it restarts and records the heads
/// of all chains.
const MAX_UNRECORDED: i64 = 2 * PAGE_SIZE;

/// The valid marks of a chain.
struct Marks {
    valid: Vec<AuditMark>,
    /// Position up to which the keys are lost.
    key_lost_until: i64,
}

impl Marks {
    fn read(name: &str, marks: Vec<AuditMark>, keys: &KeyRing, report: &mut AuditReport) -> Self {
        let is_sound = |mark: &AuditMark| {
            keys.epoch(mark.epoch).is_some_and(|key| constant_time_eq(&mark_mac(key, mark), &mark.mac))
        };
        let (valid, others): (Vec<_>, Vec<_>) = marks.into_iter().partition(is_sound);
        let lost = valid.iter().filter(|mark| mark.key_lost).map(|mark| mark.position);
        let key_lost_until = lost.max().unwrap_or(0);
        for mark in others {
            // A mark from before a loss cannot be checked, and nothing depends on it.
            if keys.epoch(mark.epoch).is_some() || mark.position > key_lost_until {
                report.faults.push(format!("{name}: the mark of epoch {} was changed", mark.epoch));
            }
        }
        Self { valid, key_lost_until }
    }

    /// Returns whether a link at this position may belong to this epoch: the newest begun before it, or one between that and the next.
    fn allows(&self, position: i64, epoch: i64) -> bool {
        let begun = self.valid.iter().filter(|mark| mark.position < position).map(|mark| mark.epoch).max();
        let next = self.valid.iter().filter(|mark| mark.position >= position).map(|mark| mark.epoch).min();
        // Unkeyed links are only valid if a mark of a keyed epoch covers them.
        let keyed = epoch != UNKEYED_EPOCH || next.is_some();
        keyed && begun.is_none_or(|begun| epoch >= begun) && next.is_none_or(|next| epoch < next)
    }
}

#[macros::boxed]
impl App {
    /// Checks every chain from its start.
    pub async fn check_audit_log(&self) -> Result<AuditReport, Error> {
        self.check_all_chains(None).await
    }

    /// Checks every chain, also against the recorded heads. These were read before, so that the chains may have grown since.
    pub async fn check_audit_log_with_heads(&self, heads: &RecordedHeads) -> Result<AuditReport, Error> {
        self.check_all_chains(Some(heads)).await
    }

    async fn check_all_chains(&self, heads: Option<&RecordedHeads>) -> Result<AuditReport, Error> {
        let mut report = AuditReport::default();
        let keys = {
            let mut tx = self.store.read().await?;
            self.refresh_keys(&mut tx).await?
        };
        let mut recorded = match heads {
            Some(heads) => ChainHeads::merge(heads, (&self.store_id, &keys), &mut report),
            None => ChainHeads::default(),
        };
        let is_complete = heads.is_some_and(|heads| heads.check_files(&mut report));
        let chains = self.store.read().await?.audits(&self.platform).chains().await?;
        for chain in chains {
            let heads = recorded.take(chain.chain);
            self.check_chain(&chain, (&keys, heads, is_complete), &mut report).await?;
        }
        for (chain, heads) in recorded.remaining() {
            report_truncation(&chain_name(chain), 0, heads, &mut report);
        }
        let waiting = self.store.read().await?.audits(&self.platform).unsealed(PAGE_SIZE).await?.len();
        if waiting > 0 {
            report.notices.push(format!(
                "at least {waiting} rows are not sealed yet; a running service seals them, and until then changes to them cannot be \
                 detected"
            ));
        }
        let missing = self.store.read().await?.audits(&self.platform).missing_texts(PAGE_SIZE).await?;
        if let Some(first) = missing.first() {
            let count = missing.len();
            report.faults.push(format!(
                "{count} rows of the audit log lack their personal text, the first of them row {first}, although nobody they refer \
                 to was erased"
            ));
        }
        let strays = self.store.read().await?.audits(&self.platform).count_orphans().await?;
        if strays > 0 {
            report
                .faults
                .push(format!("{strays} rows of the audit log are neither sealed nor waiting to be sealed"));
        }
        Ok(report)
    }

    async fn check_chain(
        &self,
        chain: &RecordedChain,
        (keys, mut heads, is_complete): (&KeyRing, HeadsByPosition, bool),
        report: &mut AuditReport,
    ) -> Result<(), Error> {
        let name = chain_name(chain.chain);
        let marks = self.store.read().await?.audit_marks(&self.platform).of_chain(chain.chain).await?;
        let marks = Marks::read(&name, marks, keys, report);
        let mut at = ChainState { chain: chain.chain, position: 0, head: vec![0; 32], mac: None };
        let recorded_until = heads.keys().copied().max().unwrap_or(0);
        // The hash at the recorded end; rows that are sealed meanwhile follow it.
        let mut end = None;
        loop {
            let mut tx = self.store.read().await?;
            let seals = tx.audits(&self.platform).seals(chain.chain, at.position, PAGE_SIZE).await?;
            let rows = tx.audits(&self.platform).sealed_rows(chain.chain, at.position, PAGE_SIZE).await?;
            drop(tx);
            if seals.is_empty() {
                break;
            }
            let rows: HashMap<_, _> = rows.iter().map(|row| (row.id, row)).collect();
            for seal in seals {
                at.position += 1;
                let row = rows.get(&seal.audit).copied().filter(|row| chain_of(row) == chain.chain);
                if let Err(fault) = self.check_link(&mut at, (&seal, row), (keys, &marks), report) {
                    report.faults.push(format!("{name}: {fault}"));
                    return Ok(());
                }
                if at.position == chain.position {
                    end = Some(at.head.clone());
                }
                if let Some((when, mac)) = heads.remove(&at.position) {
                    if mac != at.head {
                        let position = at.position;
                        report
                            .faults
                            .push(format!("{name}: link {position} is not the one recorded at {when}"));
                        return Ok(());
                    }
                    report.heads += 1;
                }
            }
        }
        // Read after the links, so that it is never behind them.
        let ends = self.store.read().await?.audits(&self.platform).ends().await?;
        let ended_at = ends.iter().find(|end| end.chain == chain.chain).map_or(0, |end| end.position);
        if at.position > ended_at {
            report.faults.push(format!(
                "{name}: it has {} links, but its record says that it ends at link {ended_at}: an older record was restored",
                at.position
            ));
        }
        let first_mark = marks.valid.iter().find(|mark| !mark.key_lost && mark.epoch == 1);
        if let Some(mark) = first_mark {
            report.notices.push(format!(
                "{name}: links 1 to {} were written before there was a key and are only covered by its first mark",
                mark.position
            ));
        }
        if marks.key_lost_until > 0 {
            report.notices.push(format!(
                "{name}: the key of links 1 to {} is lost; changes to them can only be detected by recorded heads",
                marks.key_lost_until
            ));
        }
        report_truncation(&name, at.position, heads, report);
        let marked_until = marks.valid.iter().map(|mark| mark.position).max().unwrap_or(0);
        if let Some(mark) = marks.valid.iter().find(|mark| mark.position > at.position) {
            report.faults.push(format!(
                "{name}: it ends at link {}, but epoch {} began after link {}: its end was cut off",
                at.position, mark.epoch, mark.position
            ));
        }
        let unrecorded = chain.position - recorded_until.max(marked_until);
        if is_complete && unrecorded > MAX_UNRECORDED {
            report.faults.push(format!(
                "{name}: no head was recorded for its last {unrecorded} links, although each batch has one: recorded heads are missing"
            ));
        }
        let Some(recorded) = &chain.head else {
            report.faults.push(format!("{name}: there is no record of its end"));
            return Ok(());
        };
        match end {
            _ if chain.position == 0 => {}
            None => report
                .faults
                .push(format!("{name}: it ends at link {} instead of {}", at.position, chain.position)),
            Some(end) if end != *recorded => {
                report.faults.push(format!("{name}: its end is not the one on record"));
            }
            Some(head) => {
                let (chain, position, mac) = (chain.chain, chain.position, chain.mac.clone());
                if !is_end_authentic(keys, &ChainState { chain, position, head, mac }) {
                    report.faults.push(format!(
                        "{name}: no key of this installation ended it at link {position}: links were cut off, or an older \
                         version wrote it; keepclear check --accept-heads accepts it as it is"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Checks the link at this position and advances to its hash, or returns the fault.
    fn check_link(
        &self,
        at: &mut ChainState,
        (seal, row): (&Seal, Option<&AuditRow>),
        (keys, marks): (&KeyRing, &Marks),
        report: &mut AuditReport,
    ) -> Result<(), String> {
        let position = at.position;
        if seal.position != position {
            return Err(format!("link {position} is missing"));
        }
        let row = row.ok_or_else(|| format!("the row of link {position} is missing"))?;
        let id = row.id;
        if !marks.allows(position, seal.epoch) {
            return Err(format!("link {position} is of epoch {}, which no mark allows there", seal.epoch));
        }
        if position <= marks.key_lost_until {
            at.head.clone_from(&seal.hash);
            report.unchecked += 1;
        } else {
            let key = match seal.epoch {
                UNKEYED_EPOCH => None,
                epoch => Some(keys.epoch(epoch).ok_or(format!("link {position} is of an unknown epoch"))?),
            };
            at.head = link_hash(key, at, row);
            if !constant_time_eq(&at.head, &seal.hash) {
                return Err(format!("row {id} was changed after it was sealed"));
            }
            if let (Some(text), Some(hash)) = (&row.personal_text, &row.personal_hash)
                && self.keyed_hash(text) != *hash
            {
                report
                    .faults
                    .push(format!("{}: the personal text of row {id} was changed", chain_name(at.chain)));
            }
            report.sealed += 1;
        }
        match marks.valid.iter().find(|mark| mark.position == position && mark.head != at.head) {
            Some(mark) => {
                Err(format!("link {position} is not the one that epoch {} began after", mark.epoch))
            }
            None => Ok(()),
        }
    }
}

/// Reports recorded heads beyond the end of their chain.
fn report_truncation(name: &str, end: i64, heads: HeadsByPosition, report: &mut AuditReport) {
    if let Some((position, (when, _))) = heads.into_iter().max_by_key(|(position, _)| *position) {
        report.faults.push(format!(
            "{name}: it ends at link {end}, but link {position} was recorded at {when}: its end was cut off"
        ));
    }
}

fn chain_name(chain: i64) -> String {
    match chain {
        INSTALLATION_CHAIN => "the installation's audit chain".to_owned(),
        brand => format!("the audit chain of brand {brand}"),
    }
}

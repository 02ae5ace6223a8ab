//! Reads recorded heads and merges them by chain.

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use domain::{Timestamp, decode_hex};

use super::file::{ParsedFile, rotated_path};
use super::line::{HeadsLine, SignedLine};
use super::recorded_files::{RecordedFile, host_name};
use crate::platform::audit_report::AuditReport;
use crate::platform::sealing::KeyRing;
use crate::{App, Error};

#[derive(Debug)]
pub struct HeadsLog {
    lines: Vec<SignedLine>,
    unreadable: usize,
    gaps: usize,
    path: PathBuf,
}

impl HeadsLog {
    /// Reads a file and its rotated predecessor, if any. None if there is no file.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let files = [read_one(&rotated_path(path))?, read_one(path)?];
        if files.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut log = Self { lines: Vec::new(), unreadable: 0, gaps: 0, path: path.to_owned() };
        for found in files.into_iter().flatten() {
            log.gaps += found.gaps();
            log.unreadable += found.unreadable;
            log.lines.extend(found.lines);
        }
        Ok(Some(log))
    }
}

fn read_one(path: &Path) -> Result<Option<ParsedFile>, Error> {
    match ParsedFile::read(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Error::internal(format!("The heads in {} cannot be read: {error}.", path.display())))
        }
    }
}

/// Recorded heads, and the database's record of the files.
#[derive(Debug)]
pub struct RecordedHeads {
    /// None if the database has no valid record: it was removed, or an older version wrote the database.
    files: Option<Vec<RecordedFile>>,
    logs: Vec<HeadsLog>,
    own: PathBuf,
}

impl RecordedHeads {
    /// Returns whether no heads were ever recorded, according to the database and the files.
    pub fn is_empty(&self) -> bool {
        self.logs.iter().all(|log| log.lines.is_empty()) && self.files.as_ref().is_none_or(Vec::is_empty)
    }

    /// Compares the files with the database's record; returns whether all recorded files are available.
    pub(crate) fn check_files(&self, report: &mut AuditReport) -> bool {
        let Some(known) = &self.files else {
            report.faults.push(format!(
                "the database does not say which heads of the audit chains were recorded. {ACCEPT}"
            ));
            return true;
        };
        let here = |file: &RecordedFile| {
            self.logs.iter().find(|log| log.lines.iter().any(|found| found.line.file == file.file))
        };
        let own_is_known = known.iter().any(|file| here(file).is_some_and(|log| log.path == self.own));
        let mut is_complete = true;
        for file in known {
            let (path, at) = (&file.path, file.at);
            if let Some(log) = here(file) {
                if !log.lines.iter().any(|found| found.signature == file.tip) {
                    let path = log.path.display();
                    report.faults.push(format!(
                        "{path}: the line that was written at {at} is missing: its end was cut off. {ACCEPT}"
                    ));
                }
                continue;
            }
            is_complete = false;
            let is_own = Path::new(path) == self.own && (!own_is_known || file.host == host_name());
            if is_own {
                report.faults.push(format!(
                    "{path}: heads were recorded in it until {at}, but they are missing. {ACCEPT}"
                ));
            } else {
                let host = &file.host;
                report.notices.push(format!(
                    "warning: heads that were recorded in {path} of the host {host:?} until {at} were not compared; \
                     pass that file with --heads"
                ));
            }
        }
        is_complete
    }
}

/// The advice for an operator who knows the reason of a fault.
const ACCEPT: &str = "If you know the reason, keepclear check --accept-heads accepts the chains as they are";

#[macros::boxed]
impl App {
    /// Reads the heads that this host and others recorded.
    pub async fn read_heads(&self, others: &[PathBuf]) -> Result<RecordedHeads, Error> {
        // In this order: a file is never behind the database's record of it, and the chains, which are read last, are never behind
        // the files.
        let files = self.recorded_files().await?;
        let mut logs = Vec::new();
        for path in others {
            let log = HeadsLog::read(path)?;
            logs.push(log.ok_or_else(|| Error::internal(format!("There is no file {}.", path.display())))?);
        }
        let own = self.heads_path().to_owned();
        if !others.contains(&own) {
            logs.extend(HeadsLog::read(&own)?);
        }
        Ok(RecordedHeads { files, logs, own })
    }
}

/// The recorded heads of a chain by position: the time, and the hash.
pub(crate) type HeadsByPosition = HashMap<i64, (Timestamp, Vec<u8>)>;

/// The recorded heads that must be found, by chain.
#[derive(Default)]
pub(crate) struct ChainHeads(HashMap<i64, HeadsByPosition>);

impl ChainHeads {
    /// Merges the records of several hosts. Each is read in its own order; a restore on one host explains what others recorded before it.
    pub fn merge(heads: &RecordedHeads, (store, keys): (&str, &KeyRing), report: &mut AuditReport) -> Self {
        let mut resets: Vec<(usize, HeadsLine)> = Vec::new();
        let mut valid_lines: Vec<Vec<HeadsLine>> = Vec::new();
        for (host, log) in heads.logs.iter().enumerate() {
            let lines = log.valid_lines((store, keys), report);
            resets.extend(lines.iter().filter(|line| line.is_reset()).map(|line| (host, line.clone())));
            valid_lines.push(lines);
        }
        let mut all = Self::default();
        for (host, lines) in valid_lines.into_iter().enumerate() {
            let mut own: HashMap<i64, HeadsByPosition> = HashMap::new();
            for line in lines {
                if line.accepted {
                    own.clear();
                } else if line.restored_from.is_some() {
                    for (chain, heads) in &mut own {
                        heads.retain(|position, _| *position <= line.position_of(*chain));
                    }
                }
                for head in &line.heads {
                    let explained = |(at, reset): &(usize, HeadsLine)| {
                        let is_beyond = reset.accepted || head.position > reset.position_of(head.chain);
                        *at != host && line.at <= reset.at && is_beyond
                    };
                    if !resets.iter().any(explained) {
                        let mac = decode_hex(&head.mac).unwrap_or_default();
                        add_head(&mut own, (head.chain, head.position), (line.at, mac), report);
                    }
                }
            }
            for (chain, heads) in own {
                for (position, found) in heads {
                    add_head(&mut all.0, (chain, position), found, report);
                }
            }
        }
        let mut given = HashSet::new();
        for (_, reset) in resets {
            let notice = match reset.restored_from {
                Some(made_at) => format!("restored at {} from a backup of {made_at}", reset.at),
                None => format!("an operator accepted the chains as they were at {}", reset.at),
            };
            if given.insert(notice.clone()) {
                report.notices.push(notice);
            }
        }
        all
    }

    /// Takes the recorded heads of a chain.
    pub fn take(&mut self, chain: i64) -> HeadsByPosition {
        self.0.remove(&chain).unwrap_or_default()
    }

    /// Returns the chains that have not been taken.
    pub fn remaining(self) -> impl Iterator<Item = (i64, HeadsByPosition)> {
        self.0.into_iter()
    }
}

impl HeadsLog {
    /// Returns the lines signed by a key of this installation, and reports the others.
    fn valid_lines(&self, (store, keys): (&str, &KeyRing), report: &mut AuditReport) -> Vec<HeadsLine> {
        let (path, mut lines) = (self.path.display(), Vec::new());
        let (mut forged, mut foreign, mut before_reset) = (0_u64, 0_u64, 0_u64);
        // A reset contains the heads of all chains. Earlier lines may belong to an epoch that the restored database does not know.
        // A rotated file repeats the reset; its first occurrence counts.
        let is_sound = |found: &&SignedLine| found.line.is_reset() && found.is_signed(keys) == Some(true);
        let reset = self.lines.iter().rfind(is_sound).map(|found| &found.signature);
        let last_reset = self.lines.iter().position(|found| Some(&found.signature) == reset).unwrap_or(0);
        for (index, found) in self.lines.iter().enumerate() {
            let line = &found.line;
            let is_signed = found.is_signed(keys);
            if index < last_reset && is_signed != Some(true) {
                before_reset += 1;
            // Lines signed with a lost key cannot be verified, but their heads can still be compared.
            } else if !is_signed.unwrap_or(!line.is_reset()) {
                forged += 1;
            } else if line.store != store {
                foreign += 1;
            } else {
                report.newest_head = report.newest_head.max(Some(line.at));
                lines.push(line.clone());
            }
        }
        if before_reset > 0 {
            report.notices.push(format!(
                "{path}: {before_reset} lines from before the last restore are signed with keys that the restored database does not know"
            ));
        }
        if forged > 0 {
            report
                .faults
                .push(format!("{path}: {forged} lines are not signed with a key of this installation"));
        }
        if foreign > 0 {
            report.faults.push(format!("{path}: {foreign} lines belong to another installation"));
        }
        if self.gaps > 0 {
            report.faults.push(format!(
                "{path}: {} lines do not follow the previous one: lines were removed or inserted",
                self.gaps
            ));
        }
        if self.unreadable > 0 {
            report.notices.push(format!("{path}: {} lines cannot be read", self.unreadable));
        }
        lines
    }
}

/// Adds the recorded head of a link. A second record that differs shows that a chain was truncated and extended again.
fn add_head(
    all: &mut HashMap<i64, HeadsByPosition>,
    (chain, position): (i64, i64),
    (at, mac): (Timestamp, Vec<u8>),
    report: &mut AuditReport,
) {
    let existing = all.entry(chain).or_default().entry(position).or_insert_with(|| (at, mac.clone()));
    if existing.1 != mac {
        let (one, other) = (existing.0, at);
        report.faults.push(format!(
            "link {position} of the audit chain {chain} was recorded at {one} and differently at {other}"
        ));
    }
}

#[cfg(test)]
impl RecordedHeads {
    /// Creates recorded heads without a database's record.
    pub(crate) fn of(logs: Vec<HeadsLog>) -> Self {
        Self { files: Some(Vec::new()), logs, own: PathBuf::new() }
    }
}

//! Heads of the audit chains, recorded outside the database.
//!
//! Whoever can write to the database can cut the end of a chain off, and nothing in the database would show it. So whenever the
//! sealer has moved chains, it appends their heads to a file that lies beside the installation key, and to the log. A line is JSON
//! and signed with the key of its epoch. The newest head of a chain stands for all before it, so the file need not grow for ever: when
//! it is large, it becomes `….1` in the place of an older one, and a new one begins with the newest heads of all chains.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use store::ChainState;

use crate::audit_check::AuditReport;
use crate::installation_key::{derive, from_hexadecimal, hexadecimal};
use crate::sealing::{EpochKey, Ring};
use crate::{App, Error};

/// What the file is called, in the data folder.
pub(crate) const HEADS_FILE: &str = "audit-heads.log";

/// Where a file becomes the older one. It holds some 20,000 lines.
const LARGE_BYTES: u64 = 4 << 20;

/// Where a chain stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    chain: i64,
    position: i64,
    epoch: i64,
    mac: String,
}

impl Head {
    pub fn of(state: &ChainState, epoch: i64) -> Self {
        Self { chain: state.chain, position: state.position, epoch, mac: hexadecimal(&state.head) }
    }
}

/// A line of the file, without its signature.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    at: Timestamp,
    store: String,
    /// The epoch whose key signs it.
    epoch: i64,
    /// The backup that the database was restored from at this time; what was recorded before and lies beyond these heads is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    restored_from: Option<Timestamp>,
    heads: Vec<Head>,
}

const SIGNATURE: &str = ",\"signature\":\"";

impl Line {
    fn signed(&self, key: &EpochKey) -> Result<String, Error> {
        let text = serde_json::to_string(self).map_err(Error::internal)?;
        let signature = signature(key, &text);
        let open = text.strip_suffix('}').unwrap_or(&text);
        Ok(format!("{open}{SIGNATURE}{signature}\"}}"))
    }
}

fn signature(key: &EpochKey, text: &str) -> String {
    hexadecimal(&derive(&key.derive("audit heads", ""), &[text.as_bytes()]))
}

/// The file of this process, and what could not be written to it yet.
pub(crate) struct AuditHeads {
    path: PathBuf,
    /// Newest heads that are not in the file: its disk was full, or it is new.
    pending: Arc<Mutex<BTreeMap<i64, Head>>>,
}

impl AuditHeads {
    pub fn at(path: PathBuf) -> Self {
        Self { path, pending: Arc::default() }
    }
}

impl App {
    /// Where heads are recorded.
    pub fn heads_path(&self) -> &Path {
        &self.heads.path
    }

    /// Records heads in the file and in the log. If the file cannot be written to, they wait for the next time.
    pub(crate) async fn record_heads(&self, moved: Vec<Head>) {
        let heads: Vec<Head> = {
            let mut pending = self.heads.pending.lock().unwrap_or_else(PoisonError::into_inner);
            pending.extend(moved.into_iter().map(|head| (head.chain, head)));
            pending.values().cloned().collect()
        };
        if heads.is_empty() {
            return;
        }
        match self.append_line(heads.clone(), None).await {
            Ok(()) => {
                let mut pending = self.heads.pending.lock().unwrap_or_else(PoisonError::into_inner);
                pending.retain(|_, head| !heads.contains(head));
            }
            Err(error) => tracing::error!("the heads of the audit chains were not recorded: {error}"),
        }
    }

    /// Records that the database is now that of a backup, and so may lack what was recorded.
    pub(crate) async fn record_reset(&self, made_at: Timestamp) -> Result<(), Error> {
        let ends = self.store.read().await?.audits(&self.platform).ends().await?;
        let epoch = i64::from(self.keys().current);
        let heads = ends.iter().filter(|end| end.position > 0).map(|end| Head::of(end, epoch)).collect();
        self.append_line(heads, Some(made_at)).await
    }

    async fn append_line(&self, heads: Vec<Head>, restored_from: Option<Timestamp>) -> Result<(), Error> {
        let keys = self.keys();
        let epoch = i64::from(keys.current);
        let key = keys.epoch(epoch).ok_or_else(|| Error::internal("the newest epoch has no key"))?.clone();
        let line = Line { at: self.clock.now(), store: self.store_id.clone(), epoch, restored_from, heads };
        let text = line.signed(&key)?;
        tracing::info!(target: "audit_heads", "{text}");
        let path = self.heads.path.clone();
        let key = (key, epoch);
        let work = move || append(&path, &text, &key).map_err(|error| format!("{}: {error}", path.display()));
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.map_err(Error::internal),
            Err(error) => Err(Error::internal(error)),
        }
    }
}

/// Appends a line, and has it on disk. Other processes of this host may do the same: each has the file to itself meanwhile.
fn append(path: &Path, text: &str, key: &(EpochKey, i64)) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut file = loop {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.lock()?;
        // Another may have renamed it while this one waited.
        if is_at(&file, path)? {
            break file;
        }
    };
    let length = file.metadata()?.len();
    if length >= LARGE_BYTES
        && let Some(newest) = newest_of(path, key)
    {
        fs::rename(path, older(path))?;
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut fresh = options.open(path)?;
        fresh.lock()?;
        fresh.write_all(format!("{newest}\n{text}\n").as_bytes())?;
        fresh.sync_all()?;
        return sync_folder(path);
    }
    // One that was killed while it wrote leaves a piece of a line; what follows stands on a line of its own.
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let start = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{start}{text}\n").as_bytes())?;
    file.sync_data()?;
    if length == 0 { sync_folder(path) } else { Ok(()) }
}

fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        match fs::metadata(path) {
            Ok(there) => Ok(there.ino() == file.metadata()?.ino()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
    #[cfg(not(unix))]
    Ok(true)
}

fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn older(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".1");
    path.with_file_name(name)
}

/// What a new file begins with: the last reset as it was signed, and one line with the newest head of every chain. A reset carries all
/// heads there were, so nothing from before it is needed.
fn newest_of(path: &Path, key: &(EpochKey, i64)) -> Option<String> {
    let log = HeadsLog::read_one(path).ok()?;
    let mut heads: BTreeMap<i64, Head> = BTreeMap::new();
    let (mut last, mut reset) = (None, String::new());
    for (line, (text, signed)) in log.lines {
        if line.restored_from.is_some() {
            heads.clear();
            reset = format!("{}{SIGNATURE}{signed}\"}}\n", text.strip_suffix('}').unwrap_or(&text));
        }
        heads.extend(line.heads.iter().cloned().map(|head| (head.chain, head)));
        last = Some(line);
    }
    let newest = Line { restored_from: None, heads: heads.into_values().collect(), ..last? };
    // The key is the one of now, which may have followed that of the last line.
    Some(format!("{reset}{}", Line { epoch: key.1, ..newest }.signed(&key.0).ok()?))
}

/// The recorded heads of a host.
#[derive(Debug)]
pub struct HeadsLog {
    /// With the text that is signed and its signature.
    lines: Vec<(Line, (String, String))>,
    /// How many lines cannot be read: those that a killed process left unfinished.
    unreadable: usize,
    path: PathBuf,
}

impl HeadsLog {
    /// Reads a file, and the older one beside it if there is one. None if there is no file.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let before = Self::read_one(&older(path));
        let mut log = match Self::read_one(path) {
            Ok(log) => log,
            Err(error) if error.kind() == ErrorKind::NotFound && before.is_err() => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Self { lines: Vec::new(), unreadable: 0, path: path.to_owned() }
            }
            Err(error) => return Err(Error::internal(format!("{} cannot be read: {error}", path.display()))),
        };
        if let Ok(mut before) = before {
            before.lines.append(&mut log.lines);
            log.lines = before.lines;
            log.unreadable += before.unreadable;
        }
        Ok(Some(log))
    }

    fn read_one(path: &Path) -> std::io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut log = Self { lines: Vec::new(), unreadable: 0, path: path.to_owned() };
        for text in text.lines().filter(|text| !text.trim().is_empty()) {
            match read_line(text) {
                Some(line) => log.lines.push(line),
                None => log.unreadable += 1,
            }
        }
        Ok(log)
    }
}

fn read_line(text: &str) -> Option<(Line, (String, String))> {
    let (open, signature) = text.strip_suffix("\"}")?.rsplit_once(SIGNATURE)?;
    let body = format!("{open}}}");
    Some((serde_json::from_str(&body).ok()?, (body, signature.to_owned())))
}

/// What was recorded of a chain, by position: when, and the hash there.
pub(crate) type Recorded = HashMap<i64, (Timestamp, Vec<u8>)>;

/// What was recorded of each chain and has to be found in it.
pub(crate) struct ChainHeads(HashMap<i64, Recorded>);

impl ChainHeads {
    /// Puts the records of several hosts together. Each is read in its own order; a restore on one host explains what others
    /// recorded before it.
    pub fn join(logs: &[HeadsLog], (store, keys): (&str, &Ring), report: &mut AuditReport) -> Self {
        let mut resets: Vec<(usize, Line)> = Vec::new();
        let mut sound: Vec<Vec<Line>> = Vec::new();
        for (host, log) in logs.iter().enumerate() {
            let (path, mut lines) = (log.path.display(), Vec::new());
            let (mut forged, mut foreign) = (0_u64, 0_u64);
            for (line, (text, signed)) in &log.lines {
                let key = keys.epoch(line.epoch);
                // Of a key that was given up as lost nothing can be checked; its heads can still be compared.
                let is_forged =
                    key.map_or(line.restored_from.is_some(), |key| signature(key, text) != *signed);
                if is_forged {
                    forged += 1;
                } else if line.store != store {
                    foreign += 1;
                } else {
                    report.newest_head = report.newest_head.max(Some(line.at));
                    if line.restored_from.is_some() {
                        resets.push((host, line.clone()));
                    }
                    lines.push(line.clone());
                }
            }
            if forged > 0 {
                report
                    .faults
                    .push(format!("{path}: {forged} lines are not signed with a key of this installation"));
            }
            if foreign > 0 {
                report.faults.push(format!("{path}: {foreign} lines are of another installation"));
            }
            if log.unreadable > 0 {
                report.notices.push(format!("{path}: {} lines cannot be read", log.unreadable));
            }
            sound.push(lines);
        }
        let mut all = Self(HashMap::new());
        for (host, lines) in sound.into_iter().enumerate() {
            let mut own: HashMap<i64, Recorded> = HashMap::new();
            for line in lines {
                if line.restored_from.is_some() {
                    for (chain, heads) in &mut own {
                        heads.retain(|position, _| *position <= line.position_of(*chain));
                    }
                }
                for head in &line.heads {
                    let explained = |(at, reset): &(usize, Line)| {
                        *at != host && line.at <= reset.at && head.position > reset.position_of(head.chain)
                    };
                    if !resets.iter().any(explained) {
                        let mac = from_hexadecimal(&head.mac).unwrap_or_default();
                        own.entry(head.chain).or_default().insert(head.position, (line.at, mac));
                    }
                }
            }
            for (chain, heads) in own {
                for (position, (at, mac)) in heads {
                    let kept = all.0.entry(chain).or_default().entry(position);
                    let kept = kept.or_insert_with(|| (at, mac.clone()));
                    if kept.1 != mac {
                        report
                            .faults
                            .push(format!("link {position} of chain {chain} was recorded in two forms"));
                    }
                }
            }
        }
        for (_, reset) in resets {
            let made_at = reset.restored_from.unwrap_or(reset.at);
            report.notices.push(format!("restored at {} from a backup of {made_at}", reset.at));
        }
        all
    }

    /// What was recorded of a chain: positions, when, and the hash there.
    pub fn take(&mut self, chain: i64) -> Recorded {
        self.0.remove(&chain).unwrap_or_default()
    }

    /// The chains that were not taken.
    pub fn rest(self) -> impl Iterator<Item = (i64, Recorded)> {
        self.0.into_iter()
    }
}

impl Line {
    fn position_of(&self, chain: i64) -> i64 {
        self.heads.iter().find(|head| head.chain == chain).map_or(0, |head| head.position)
    }
}

#[cfg(test)]
mod tests {
    use domain::Random;

    use super::*;
    use crate::InstallationKey;

    fn ring() -> Ring {
        let random = Random::seeded(1);
        Ring::begin(&InstallationKey::make(&random), 1, vec![7; 32], &random)
    }

    fn line(position: i64, restored: bool) -> Line {
        let state = ChainState { chain: 3, position, head: vec![position as u8; 32] };
        let at = Timestamp::from_seconds(1_772_366_430 + position);
        let restored_from = restored.then_some(at);
        Line { at, store: "s".to_owned(), epoch: 1, restored_from, heads: vec![Head::of(&state, 1)] }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("keepclear-heads-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn positions(logs: &[HeadsLog], keys: &Ring) -> (Vec<i64>, AuditReport) {
        let mut report = AuditReport::default();
        let mut heads = ChainHeads::join(logs, ("s", keys), &mut report);
        let mut positions: Vec<i64> = heads.take(3).into_keys().collect();
        positions.sort_unstable();
        (positions, report)
    }

    #[test]
    fn lines_are_signed_and_a_reset_explains_what_is_gone() {
        let (folder, keys) = (folder("reset"), ring());
        let (path, key) = (folder.join("heads"), (keys.epoch(1).unwrap().clone(), 1));
        for (position, restored) in [(5, false), (9, false), (6, true), (7, false)] {
            append(&path, &line(position, restored).signed(&key.0).unwrap(), &key).unwrap();
        }
        let log = HeadsLog::read(&path).unwrap().unwrap();
        let (found, report) = positions(&[log], &keys);
        assert_eq!((found, report.faults.len(), report.notices.len()), (vec![5, 6, 7], 0, 1), "{report:?}");
        // Another host had come as far.
        let beside = folder.join("beside");
        for position in [5, 9] {
            let mut line = line(position, false);
            line.at = Timestamp::from_seconds(1_772_366_431);
            append(&beside, &line.signed(&key.0).unwrap(), &key).unwrap();
        }
        let logs = [&path, &beside].map(|path| HeadsLog::read(path).unwrap().unwrap());
        assert_eq!(positions(&logs, &keys).0, [5, 6, 7]);

        // A reset that the key did not sign explains nothing; a piece of a line is passed over.
        let text = fs::read_to_string(&path).unwrap();
        let forged = text.replacen("\"position\":6", "\"position\":5", 1) + "{\"at\":";
        fs::write(&path, forged).unwrap();
        append(&path, &line(8, false).signed(&key.0).unwrap(), &key).unwrap();
        let log = HeadsLog::read(&path).unwrap().unwrap();
        let (found, report) = positions(&[log], &keys);
        assert_eq!((found, report.notices.len()), (vec![5, 7, 8, 9], 1), "{report:?}");
        assert!(report.faults.iter().any(|fault| fault.contains("not signed")), "{report:?}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_large_file_begins_anew_with_what_counts() {
        let (folder, keys) = (folder("large"), ring());
        let (path, key) = (folder.join("heads"), (keys.epoch(1).unwrap().clone(), 1));
        append(&path, &line(4, true).signed(&key.0).unwrap(), &key).unwrap();
        let text = line(5, false).signed(&key.0).unwrap() + "\n";
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(text.repeat(LARGE_BYTES as usize / text.len() + 1).as_bytes()).unwrap();
        append(&path, &line(6, false).signed(&key.0).unwrap(), &key).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        for _ in 0..2 {
            let log = HeadsLog::read(&path).unwrap().unwrap();
            let (found, report) = positions(&[log], &keys);
            assert_eq!((found, report.faults.len()), (vec![4, 5, 6], 0), "{report:?}");
            let _ = fs::remove_file(older(&path));
        }
        fs::remove_dir_all(folder).unwrap();
    }
}

//! The heads file: lines are appended under a lock, and each names the signature of the previous one.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use domain::{Random, encode_hex};

use super::line::{Head, HeadsLine, SignedLine};
use crate::platform::private_files::{create_parent_folder, remove_if_present, sibling_path, sync_folder};
use crate::platform::sealing::KeyRing;

/// Size at which a file is rotated; it then holds about 15,000 lines.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;

/// The end of a file after the last write of this process.
#[derive(Clone, Debug)]
pub(crate) struct Tip {
    /// Inode and length; if they are unchanged, no other process has written to the file.
    stamp: (u64, u64),
    /// The id of the file; it stays the same when the file is rotated.
    pub file: String,
    /// The signature of the last line.
    pub signature: String,
    /// The signatures of all earlier lines, if the file was read: when the process starts, and after another process has written to it.
    pub seen_signatures: Option<HashSet<String>>,
}

/// The lines of one file.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub lines: Vec<SignedLine>,
    /// Number of lines that cannot be parsed, such as those that a killed process left incomplete.
    pub unreadable: usize,
}

impl ParsedFile {
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut found = Self { lines: Vec::new(), unreadable: 0 };
        for text in text.lines().filter(|text| !text.trim().is_empty()) {
            match SignedLine::parse(text) {
                Some(line) => found.lines.push(line),
                None => found.unreadable += 1,
            }
        }
        Ok(found)
    }

    /// Counts the lines that do not follow the previous one, because lines were removed or inserted. Lines of older versions, which do not
    /// name a previous signature, may only come before all others.
    pub fn gaps(&self) -> usize {
        let is_begun = self.lines.first().is_none_or(SignedLine::can_begin);
        let pairs = self.lines.iter().zip(self.lines.iter().skip(1));
        let follows = |(before, after): &(&SignedLine, &SignedLine)| match after.line.previous.as_str() {
            "" => before.line.previous.is_empty() && before.line.file.is_empty(),
            previous => previous == before.signature,
        };
        pairs.filter(|pair| !follows(pair)).count() + usize::from(!is_begun)
    }
}

/// Appends a line and syncs it to disk. Processes of the same host take turns by locking the file. `last_tip` is the last write of this
/// process.
pub(crate) fn append(
    path: &Path,
    last_tip: Option<&Tip>,
    mut line: HeadsLine,
    (keys, random): (&KeyRing, &Random),
) -> std::io::Result<Tip> {
    create_parent_folder(path)?;
    let mut file = open_locked(path)?;
    let mut length = file.metadata()?.len();
    if length == 0 && last_tip.is_some() {
        tracing::error!("{} is missing or was emptied; a new heads file is started", path.display());
    }
    let mut tip = match last_tip {
        Some(tip) if tip.stamp == file_stamp(&file)? => Tip { seen_signatures: None, ..tip.clone() },
        _ => read_tip(path, random)?,
    };
    if length >= MAX_FILE_BYTES {
        (file, tip) = rotate_file(path, keys, tip)?;
        length = file.metadata()?.len();
    }
    line.file.clone_from(&tip.file);
    line.previous.clone_from(&tip.signature);
    let (text, signature) = sign(&line, keys)?;
    tracing::info!(target: "audit_heads", "{text}");
    // A process that was killed while writing leaves a partial line; the next line must start on a new one.
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let start = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{start}{text}\n").as_bytes())?;
    file.sync_data()?;
    if length == 0 {
        sync_folder(path)?;
    }
    Ok(Tip { stamp: file_stamp(&file)?, file: tip.file, signature, seen_signatures: tip.seen_signatures })
}

fn open_locked(path: &Path) -> std::io::Result<File> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.lock()?;
        // Another process may have rotated the file while this one waited.
        if is_same_file(&file, path)? {
            return Ok(file);
        }
    }
}

fn file_stamp(file: &File) -> std::io::Result<(u64, u64)> {
    let about = file.metadata()?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&about);
    #[cfg(not(unix))]
    let inode = 0;
    Ok((inode, about.len()))
}

fn read_tip(path: &Path, random: &Random) -> std::io::Result<Tip> {
    let mut seen_signatures: HashSet<String> = HashSet::new();
    let lines = ParsedFile::read(path)?.lines;
    match ParsedFile::read(&rotated_path(path)) {
        Ok(found) => seen_signatures.extend(found.lines.into_iter().map(|found| found.signature)),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    seen_signatures.extend(lines.iter().map(|found| found.signature.clone()));
    let last = lines.last();
    let file = last.map(|last| last.line.file.clone()).filter(|file| !file.is_empty());
    Ok(Tip {
        stamp: (0, 0),
        file: file.unwrap_or_else(|| encode_hex(&random.bytes::<8>())),
        signature: last.map(|last| last.signature.clone()).unwrap_or_default(),
        seen_signatures: Some(seen_signatures),
    })
}

fn sign(line: &HeadsLine, keys: &KeyRing) -> std::io::Result<(String, String)> {
    let key = keys.epoch(line.epoch).ok_or_else(|| std::io::Error::other("the newest epoch has no key"))?;
    line.sign(key).map_err(std::io::Error::other)
}

/// Rotates the file, and starts a new one with what still counts: the last reset as it was signed, and a line with the newest head of
/// every chain. A reset contains all heads, so that nothing before it is needed. Lines that no key of this installation has signed
/// are left out, and stay in the rotated file.
fn rotate_file(path: &Path, keys: &KeyRing, tip: Tip) -> std::io::Result<(File, Tip)> {
    let found = ParsedFile::read(path)?;
    let mut heads: BTreeMap<i64, Head> = BTreeMap::new();
    let (mut last, mut reset, mut refused) = (None, None, 0);
    for found in found.lines {
        if found.is_signed(keys) != Some(true) {
            refused += 1;
            continue;
        }
        if found.line.is_reset() {
            heads.clear();
            reset = Some(found.clone());
        }
        for head in &found.line.heads {
            // Processes of one host may write their lines in another order than they sealed.
            let newest = heads.entry(head.chain).or_insert_with(|| head.clone());
            if head.position > newest.position {
                *newest = head.clone();
            }
        }
        last = Some(found.line);
    }
    if refused > 0 {
        tracing::error!(
            "{}: {refused} lines are not signed with a key of this installation; they stay in {}",
            path.display(),
            rotated_path(path).display()
        );
    }
    let mut text = String::new();
    let mut signature = tip.signature;
    if let Some(reset) = reset {
        text = reset.to_text() + "\n";
        signature = reset.signature;
    }
    if let Some(last) = last {
        let newest = HeadsLine {
            epoch: i64::from(keys.current),
            file: tip.file.clone(),
            previous: signature,
            restored_from: None,
            accepted: false,
            begins: true,
            heads: heads.into_values().collect(),
            ..last
        };
        let signed = sign(&newest, keys)?;
        text += &(signed.0 + "\n");
        signature = signed.1;
    }
    // The path always names a file, so that no other process starts one; whoever waits for the old file notices that it moved.
    let partial = sibling_path(path, ".partial");
    remove_if_present(&partial)?;
    let mut file = open_locked(&partial)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    remove_if_present(&rotated_path(path))?;
    if fs::hard_link(path, rotated_path(path)).is_err() {
        fs::rename(path, rotated_path(path))?;
    }
    fs::rename(&partial, path)?;
    sync_folder(path)?;
    Ok((file, Tip { stamp: (0, 0), file: tip.file, signature, seen_signatures: tip.seen_signatures }))
}

fn is_same_file(file: &File, path: &Path) -> std::io::Result<bool> {
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

/// Returns the path of a file after rotation.
pub(crate) fn rotated_path(path: &Path) -> PathBuf {
    sibling_path(path, ".1")
}

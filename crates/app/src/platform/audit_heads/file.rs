//! The file of heads: lines are appended under a lock, each bound to the one before it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use domain::Random;

use super::line::{Head, HeadsLine, SignedLine};
use crate::platform::installation_key::{create_parent_folder, encode_hex};
use crate::platform::sealing::KeyRing;

/// Where a file becomes the older one. It holds some 15,000 lines.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;

/// The end of a file, as the process that wrote to it last knows it.
#[derive(Clone, Debug)]
pub(crate) struct Tip {
    /// Which file it was and how long: if it still is, nobody else has written to it.
    stamp: (u64, u64),
    /// Which file it is; stays when the file begins anew.
    pub file: String,
    /// The signature of the last line.
    pub signature: String,
    /// The signatures of all lines before it, if the file was read: when the process begins, and when someone else has written to it.
    pub seen_signatures: Option<HashSet<String>>,
}

/// Lines of one file.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub lines: Vec<SignedLine>,
    /// How many lines cannot be read: those that a killed process left unfinished.
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

    /// How many lines do not follow the one before them: something was taken out or put in between, or before the first. Lines of older versions, which do
    /// not say what they follow, can only stand before all others.
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

/// Appends a line, and has it on disk. Other processes of this host may do the same: each has the file to itself meanwhile. `known` is
/// what this process wrote last.
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
        tracing::error!("{} is gone or was emptied; a new file of heads begins", path.display());
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
    // One that was killed while it wrote leaves a piece of a line; what follows stands on a line of its own.
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
        // Another may have renamed it while this one waited.
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

/// Makes the file the older one, and begins a new one with what counts of it: the last reset as it was signed, and one line with the
/// newest head of every chain. A reset carries all heads there were, so nothing from before it is needed. What no key of this
/// installation has signed is left out, and stays in the older file.
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
            // Processes of one host may write theirs in another order than they sealed.
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
    // The path always names a file, so that no other process begins one of its own; whoever waits for the old one finds that it moved.
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

fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn remove_if_present(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What a file is called after a new one took its place.
pub(crate) fn rotated_path(path: &Path) -> PathBuf {
    sibling_path(path, ".1")
}

fn sibling_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

//! Files of a backup: for their owner alone, and on disk before anyone is told that they are there.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::commands::Failure;

/// How much is read at once.
const CHUNK_BYTES: usize = 1 << 18;

/// A file as a manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// What it is called.
    pub name: String,
    /// How long it is.
    pub size_bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
}

/// Bytes that are counted and hashed as they pass.
#[derive(Default)]
pub struct ByteDigest {
    size_bytes: u64,
    hash: Sha256,
}

impl ByteDigest {
    pub fn add(&mut self, bytes: &[u8]) {
        self.size_bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    pub fn into_entry(self, name: String) -> FileEntry {
        FileEntry { name, size_bytes: self.size_bytes, sha256: to_hex(&self.hash.finalize()) }
    }
}

pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Makes a folder, and those between it and one that is there.
pub fn create_folder(path: &Path) -> std::io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(path)
}

/// Makes a file that is not there yet.
pub fn create_file(path: &Path) -> std::io::Result<File> {
    let mut files = OpenOptions::new();
    files.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut files, 0o600);
    files.open(path)
}

/// Counts and hashes a file, on a thread where that may take its time; tells each piece's length.
pub async fn hash_file(
    path: PathBuf,
    name: String,
    on_progress: impl Fn(usize) + Send + 'static,
) -> Result<FileEntry, Failure> {
    let work = move || {
        let (mut file, mut passed) = (File::open(&path)?, ByteDigest::default());
        let mut piece = vec![0; CHUNK_BYTES];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(passed.into_entry(name)),
                read => {
                    passed.add(&piece[..read]);
                    on_progress(read);
                }
            }
        }
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome.map_err(|error: std::io::Error| Failure::from(error)),
        Err(error) => Err(Failure(format!("reading came to an end: {error}"))),
    }
}

/// Puts the names in a folder, and in those below it, on disk.
pub fn sync_folders(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}

/// Everything in a folder and below it that is no folder, by its path from there.
pub fn list_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            if entry.file_type()?.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

//! Files of a backup. Only their owner can read them, and they are synced to disk before success is reported.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use domain::encode_hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::commands::Failure;

/// The number of bytes that are read at a time.
const CHUNK_BYTES: usize = 1 << 18;

/// A file in the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    pub name: String,
    pub size_bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}

/// Counts and hashes bytes as they pass.
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
        FileEntry { name, size_bytes: self.size_bytes, sha256: encode_hex(&self.hash.finalize()) }
    }
}

/// Creates a folder and its missing parents.
pub fn create_folder(path: &Path) -> std::io::Result<()> {
    let mut folders = DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(path)
}

/// Creates a file that does not exist yet.
pub fn create_file(path: &Path) -> std::io::Result<File> {
    let mut files = OpenOptions::new();
    files.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut files, 0o600);
    files.open(path)
}

/// Counts and hashes a file on a blocking thread. The callback gets the length of each chunk.
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
        Err(error) => Err(Failure(format!("reading failed: {error}"))),
    }
}

/// Syncs the entries of a folder and of its subfolders to disk.
pub fn sync_folders(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    File::open(folder)?.sync_all()
}

/// Lists all entries below a folder that are not folders, as relative paths.
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

//! A bounded cache of parts in the data folder, for parts whose objects are on another host.
//!
//! A file has the name of its content, so that one of another brand, of another manifest or of another process is as good. Files can go at
//! any time.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use domain::{encode_hex, sorted};
use sha2::{Digest, Sha256};

const ENDING: &str = "part";

/// Files that were not used for this long are deleted, because retention may have deleted the facts in them.
const MAX_UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Debug)]
pub(crate) struct PartCache {
    folder: PathBuf,
    max_bytes: u64,
    /// None until this process has looked at the files.
    known: Mutex<Option<KnownFiles>>,
}

/// The files of the folder, as far as this process knows. Others may use the same folder.
#[derive(Clone, Copy, Debug)]
struct KnownFiles {
    bytes: u64,
    /// What this process has added since it looked at them.
    added: u64,
}

pub(super) fn hash(bytes: &[u8]) -> String {
    encode_hex(&Sha256::digest(bytes))
}

impl PartCache {
    /// Uses a folder, from which the files of earlier versions are removed: they had a folder for each brand.
    pub fn new(folder: &Path, max_bytes: u64) -> Self {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Self { folder: folder.to_owned(), max_bytes, known: Mutex::default() }
    }

    /// Returns the content with this hash, if there is a file that has it.
    pub fn read(&self, sha256: &str) -> Option<Vec<u8>> {
        let path = self.path(sha256);
        let bytes = fs::read(&path).ok()?;
        if hash(&bytes) != sha256 {
            let _ = fs::remove_file(&path);
            return None;
        }
        // The files that were not used for longest go first.
        let _ = File::open(&path).and_then(|file| file.set_modified(file_time_now()));
        Some(bytes)
    }

    /// Adds content, and removes what has been unused for longest until everything fits. A failure is only logged.
    pub fn add(&self, sha256: &str, bytes: &[u8]) {
        if bytes.len() as u64 > self.max_bytes {
            return;
        }
        let added = self.write(sha256, bytes).and_then(|()| self.make_room(bytes.len() as u64));
        if let Err(error) = added {
            tracing::warn!("{}: a part of columns was not cached: {error}", self.folder.display());
        }
    }

    fn path(&self, sha256: &str) -> PathBuf {
        self.folder.join(format!("{sha256}.{ENDING}"))
    }

    /// Writes to a temporary name first, so that a file is complete. It need not be durable: its content is compared with its name.
    fn write(&self, sha256: &str, bytes: &[u8]) -> io::Result<()> {
        create_private_dir(&self.folder)?;
        let unfinished = self.folder.join(format!("{sha256}.{}.new", std::process::id()));
        File::create(&unfinished)?.write_all(bytes)?;
        fs::rename(&unfinished, self.path(sha256))
    }

    /// Removes files if they exceed the limit after this many bytes were added. There may be very many, which are only looked at then, and
    /// whenever a quarter of the limit was added: other processes add to the folder, too.
    fn make_room(&self, added: u64) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let after = known.take().map(|of| KnownFiles { bytes: of.bytes + added, added: of.added + added });
        *known = match after {
            Some(after) if after.bytes <= self.max_bytes && after.added <= self.max_bytes / 4 => Some(after),
            _ => Some(KnownFiles { bytes: self.remove_oldest()?, added: 0 }),
        };
        Ok(())
    }

    /// Removes a tenth more than necessary, so that the next files have room, and returns the size of what is left.
    fn remove_oldest(&self) -> io::Result<u64> {
        let (mut files, mut total) = (Vec::new(), 0);
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process may have removed it.
            let Ok(about) = entry.metadata() else { continue };
            total += about.len();
            files.push((about.modified()?, about.len(), entry.path()));
        }
        if total <= self.max_bytes {
            return Ok(total);
        }
        sorted::sort(&mut files);
        for (_, size_bytes, path) in files {
            if total <= self.max_bytes - self.max_bytes / 10 {
                break;
            }
            match fs::remove_file(&path) {
                Ok(()) => total -= size_bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => total -= size_bytes,
                Err(error) => return Err(error),
            }
        }
        Ok(total)
    }
}

/// Deletes the files of a cache that were not used for long.
pub(super) fn remove_unused(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let limit = file_time_now() - MAX_UNUSED;
    for entry in entries {
        let entry = entry?;
        // Another process may have removed it.
        let Ok(about) = entry.metadata() else { continue };
        if about.is_file() && about.modified()? < limit {
            match fs::remove_file(entry.path()) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// The time that the file system itself gives to files that are written, not the time of facts.
#[expect(clippy::disallowed_methods, reason = "files that others write have the system's time")]
fn file_time_now() -> SystemTime {
    SystemTime::now()
}

/// Only the owner can read the folder, because it contains personal data.
fn create_private_dir(folder: &Path) -> io::Result<()> {
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_were_not_used_for_longest_go_first() {
        let place = testbed::temporary_folder();
        let folder = place.path().join("columns");
        fs::create_dir_all(folder.join("7")).unwrap();
        let cache = PartCache::new(&folder, 250);
        assert!(!folder.join("7").exists(), "a folder of an earlier version");
        let content: Vec<Vec<u8>> = (0..4).map(|byte| vec![byte; 100]).collect();
        let mut age = 100;
        for bytes in &content[..2] {
            cache.add(&hash(bytes), bytes);
            // Times of files may be coarse.
            let file = File::open(cache.path(&hash(bytes))).unwrap();
            file.set_modified(file_time_now() - Duration::from_secs(age)).unwrap();
            age -= 10;
        }
        assert_eq!(cache.read(&hash(&content[0])), Some(content[0].clone()));
        cache.add(&hash(&content[2]), &content[2]);
        let held = |cache: &PartCache| {
            content.iter().map(|part| cache.read(&hash(part)).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(held(&cache), [true, false, true, false]);
        // What is larger than the cache is not kept.
        let large = vec![9; 251];
        cache.add(&hash(&large), &large);
        assert_eq!(cache.read(&hash(&large)), None);
        assert_eq!(held(&PartCache::new(&folder, 250)), [true, false, true, false]);
    }

    #[test]
    fn two_processes_that_use_a_folder_exceed_the_limit_by_a_quarter_at_most() {
        let place = testbed::temporary_folder();
        let folder = place.path().join("columns");
        let caches = [PartCache::new(&folder, 1_000), PartCache::new(&folder, 1_000)];
        for byte in 0..40 {
            let bytes = vec![byte; 50];
            caches[usize::from(byte) % 2].add(&hash(&bytes), &bytes);
            let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
            let total: u64 = files.sum();
            assert!(total <= 1_250, "{total}");
        }
    }

    #[test]
    fn files_that_were_not_used_for_a_month_are_deleted() {
        let place = testbed::temporary_folder();
        let folder = place.path().join("columns");
        remove_unused(&folder).unwrap();
        let cache = PartCache::new(&folder, 1_000);
        let content: [&[u8]; 3] = [b"old", b"used", b"younger"];
        for (bytes, days) in content.into_iter().zip([31, 31, 29]) {
            cache.add(&hash(bytes), bytes);
            let file = File::open(cache.path(&hash(bytes))).unwrap();
            file.set_modified(file_time_now() - Duration::from_secs(days * 24 * 60 * 60)).unwrap();
        }
        assert!(cache.read(&hash(b"used")).is_some());
        remove_unused(&folder).unwrap();
        assert_eq!(content.map(|bytes| cache.path(&hash(bytes)).exists()), [false, true, true]);
    }

    #[test]
    fn a_file_that_is_damaged_is_none() {
        let place = testbed::temporary_folder();
        let cache = PartCache::new(place.path(), 1_000);
        cache.add(&hash(b"whole"), b"whole");
        fs::write(cache.path(&hash(b"whole")), "whol").unwrap();
        assert_eq!(cache.read(&hash(b"whole")), None);
        assert!(!cache.path(&hash(b"whole")).exists());
        cache.add(&hash(b"whole"), b"whole");
        assert_eq!(cache.read(&hash(b"whole")), Some(b"whole".to_vec()));
    }
}

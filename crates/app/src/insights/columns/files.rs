//! A copy of the columns on disk, so that a restart need not read all rows.
//!
//! Each part is an Arrow IPC file, which any Arrow tool can open. The manifest is written last; it records the store id, the
//! watermarks and the SHA-256 of each file. Files that do not match are ignored, and the columns are built from the rows.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cube::{ChunkSource, Cube, Settings};
use domain::{BrandId, encode_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::state::{ColumnsState, Watermarks};

/// Version of the file format; files of other versions are ignored.
const FORMAT_VERSION: u32 = 1;

/// The folder with the columns of a brand.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFiles {
    folder: PathBuf,
    store_id: String,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    format_version: u32,
    store_id: String,
    incursions_seq: i64,
    runtime_seq: i64,
    incursions_kept_from: Option<i64>,
    runtime_kept_from: Option<i64>,
    outline: ManifestEntry,
    parts: Vec<ManifestEntry>,
}

/// A file with its expected checksum.
#[derive(Clone, Serialize, Deserialize)]
struct ManifestEntry {
    number: u64,
    sha256: String,
}

/// The checksums of the parts on disk, by number.
pub(super) type SavedParts = HashMap<u64, String>;

fn parts_of(manifest: Manifest) -> SavedParts {
    manifest.parts.into_iter().map(|part| (part.number, part.sha256)).collect()
}

fn outline_name(number: u64) -> String {
    format!("outline-{number}")
}

fn part_name(number: u64) -> String {
    format!("part-{number}.arrow")
}

fn hash(bytes: &[u8]) -> String {
    encode_hex(&Sha256::digest(bytes))
}

impl ColumnFiles {
    pub fn new(folder: &Path, brand: BrandId, store_id: &str) -> Self {
        Self { folder: folder.join(brand.to_string()), store_id: store_id.to_owned() }
    }

    /// Opens the saved columns; none if there are no valid ones.
    pub fn open(&self) -> Option<(Cube, Watermarks)> {
        let manifest = self.manifest()?;
        let outline = fs::read(self.folder.join(outline_name(manifest.outline.number))).ok()?;
        if hash(&outline) != manifest.outline.sha256 {
            tracing::warn!("{} is damaged; the columns are built from the rows", self.folder.display());
            return None;
        }
        let hashes = manifest.parts.iter().map(|part| (part.number, part.sha256.clone())).collect();
        let source: Arc<dyn ChunkSource> = Arc::new(PartFiles { folder: self.folder.clone(), hashes });
        let applied = Watermarks {
            incursions_seq: manifest.incursions_seq,
            runtime_seq: manifest.runtime_seq,
            incursions_kept_from: manifest.incursions_kept_from,
            runtime_kept_from: manifest.runtime_kept_from,
        };
        match Cube::open(&outline, &source, Settings::default()) {
            Ok(cube) => Some((cube, applied)),
            Err(fault) => {
                tracing::warn!("{}: {fault}; the columns are built from the rows", self.folder.display());
                None
            }
        }
    }

    /// Returns the parts that the manifest on disk names.
    pub(super) fn saved_parts(&self) -> SavedParts {
        self.manifest().map(parts_of).unwrap_or_default()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn manifest(&self) -> Option<Manifest> {
        let text = fs::read(self.folder.join("manifest.json")).ok()?;
        let manifest: Manifest = serde_json::from_slice(&text).ok()?;
        (manifest.format_version == FORMAT_VERSION && manifest.store_id == self.store_id).then_some(manifest)
    }

    /// Writes the missing parts, deletes files that the manifest no longer names, and returns the parts on disk.
    pub(super) fn save(&self, state: &ColumnsState, saved_parts: &SavedParts) -> io::Result<SavedParts> {
        create_private_dir(&self.folder)?;
        let mut parts = Vec::new();
        for part in state.snapshot.parts() {
            let number = part.id().0;
            let sha256 = match saved_parts.get(&number) {
                Some(sha256) => sha256.clone(),
                None => {
                    let bytes = part.encode().map_err(io::Error::other)?;
                    self.write_atomically(&part_name(number), &bytes)?;
                    hash(&bytes)
                }
            };
            parts.push(ManifestEntry { number, sha256 });
        }
        let applied = state.watermarks;
        let outline = state.snapshot.outline();
        let number = u64::try_from(applied.incursions_seq.max(applied.runtime_seq)).unwrap_or_default();
        self.write_atomically(&outline_name(number), &outline)?;
        let manifest = Manifest {
            format_version: FORMAT_VERSION,
            store_id: self.store_id.clone(),
            incursions_seq: applied.incursions_seq,
            runtime_seq: applied.runtime_seq,
            incursions_kept_from: applied.incursions_kept_from,
            runtime_kept_from: applied.runtime_kept_from,
            outline: ManifestEntry { number, sha256: hash(&outline) },
            parts,
        };
        self.write_atomically("manifest.json", &serde_json::to_vec_pretty(&manifest)?)?;
        self.sweep(&manifest)?;
        Ok(parts_of(manifest))
    }

    /// Locks the folder for writing. Only one process holds the lock; others keep their columns in memory only.
    pub(super) fn lock(&self) -> Option<File> {
        create_private_dir(&self.folder).ok()?;
        let file = File::create(self.folder.join("lock")).ok()?;
        file.try_lock().ok().map(|()| file)
    }

    /// Writes to a temporary name first, so that the file is always either complete or the previous one.
    fn write_atomically(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (unfinished, place) = (self.folder.join(format!("{name}.new")), self.folder.join(name));
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, &place)?;
        File::open(&self.folder)?.sync_all()
    }

    fn sweep(&self, manifest: &Manifest) -> io::Result<()> {
        let mut named: Vec<String> = manifest.parts.iter().map(|part| part_name(part.number)).collect();
        named.extend([outline_name(manifest.outline.number), "manifest.json".to_owned(), "lock".to_owned()]);
        let named: std::collections::HashSet<String> = named.into_iter().collect();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(|name| !named.contains(name)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Only the owner can read the folder, because it contains personal data.
fn create_private_dir(folder: &Path) -> io::Result<()> {
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder)
}

/// Reads parts when they are first needed.
struct PartFiles {
    folder: PathBuf,
    hashes: HashMap<u64, String>,
}

impl ChunkSource for PartFiles {
    fn read(&self, part: u64) -> Result<Vec<u8>, String> {
        let expected = self.hashes.get(&part).ok_or("the part is not in the manifest")?;
        let path = self.folder.join(part_name(part));
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if hash(&bytes) != *expected {
            return Err(format!("{} is damaged", path.display()));
        }
        Ok(bytes)
    }
}

//! Columns on disk: a copy, so that a start need not read all rows.
//!
//! Each part is a file of Arrow's IPC format, which any tool of Arrow opens. The manifest, written last, says of which store
//! they are, how far they go, and what each file's SHA-256 is. Whatever does not fit is passed over, and the columns are
//! built from the rows.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cube::{ChunkSource, Cube, Settings, Snapshot};
use domain::BrandId;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::loaded::{LoadedColumns, Watermarks};

/// Of which form the files are; others are passed over.
const FORMAT_VERSION: u32 = 1;
/// Changes after which columns are saved.
const SAVE_AFTER_CHANGES: i64 = 200_000;
/// Time after which they are saved if anything changed.
const SAVE_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// Where the columns of a brand are kept.
#[derive(Clone, Debug)]
pub(crate) struct ColumnFiles {
    folder: PathBuf,
    store_id: String,
}

/// What is saved.
#[derive(Clone, Debug)]
pub(crate) struct ColumnsState {
    pub snapshot: Snapshot,
    pub watermarks: Watermarks,
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

/// A file, and what it must be like.
#[derive(Clone, Serialize, Deserialize)]
struct ManifestEntry {
    number: u64,
    sha256: String,
}

/// The parts that are on disk, by their numbers, with their hashes.
type SavedParts = HashMap<u64, String>;

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
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

impl ColumnFiles {
    pub fn new(folder: &Path, brand: BrandId, store_id: &str) -> Self {
        Self { folder: folder.join(brand.to_string()), store_id: store_id.to_owned() }
    }

    /// The columns that were saved; none if there are none that fit.
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

    fn manifest(&self) -> Option<Manifest> {
        let text = fs::read(self.folder.join("manifest.json")).ok()?;
        let manifest: Manifest = serde_json::from_slice(&text).ok()?;
        (manifest.format_version == FORMAT_VERSION && manifest.store_id == self.store_id).then_some(manifest)
    }

    /// Saves what is not there yet, and takes away what is no longer named. Gives what is there now.
    fn save(&self, state: &ColumnsState, saved_parts: &SavedParts) -> io::Result<SavedParts> {
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

    /// The right to save, which one process has; the others have columns of their own in memory.
    fn lock(&self) -> Option<File> {
        create_private_dir(&self.folder).ok()?;
        let file = File::create(self.folder.join("lock")).ok()?;
        file.try_lock().ok().map(|()| file)
    }

    /// Under a name of its own first, so that a file of that name is whole or the one before.
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

/// Only its owner can read the folder: what happened to whom is in it.
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
        let expected = self.hashes.get(&part).ok_or("it is not in the manifest")?;
        let path = self.folder.join(part_name(part));
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if hash(&bytes) != *expected {
            return Err(format!("{} is damaged", path.display()));
        }
        Ok(bytes)
    }
}

/// Saves the columns of a brand now and then, if no other process does.
pub(crate) struct ColumnSaver {
    files: ColumnFiles,
    /// Held for as long as this one saves.
    lock: Option<File>,
    saved_parts: SavedParts,
    saved_watermarks: Option<Watermarks>,
    saved_at: Instant,
}

/// Where columns came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Their files.
    Files,
    /// The rows: what lies in files under the same numbers is something else.
    Rows,
}

impl ColumnSaver {
    /// Takes the right to save, if nobody has it. To be called before the files are read.
    pub fn new(files: ColumnFiles) -> Self {
        let lock = files.lock();
        Self { files, lock, saved_parts: SavedParts::new(), saved_watermarks: None, saved_at: Instant::now() }
    }

    /// The files.
    pub fn files(&self) -> &ColumnFiles {
        &self.files
    }

    /// What is in the files need not be saved again, if nobody else can have written them since they were read.
    pub fn assume_saved(&mut self, held: &LoadedColumns, origin: Origin) {
        if origin == Origin::Files && self.lock.is_some() {
            self.saved_parts = self.files.manifest().map(parts_of).unwrap_or_default();
            self.saved_watermarks = Some(held.watermarks());
        }
    }

    /// Whether there is enough that is not saved.
    pub fn is_due(&self, held: &LoadedColumns) -> bool {
        let (now, Some(saved)) = (held.watermarks(), self.saved_watermarks) else {
            return held.incursion_count() > 0;
        };
        let changes = (now.incursions_seq - saved.incursions_seq).max(now.runtime_seq - saved.runtime_seq);
        changes >= SAVE_AFTER_CHANGES || (now != saved && self.saved_at.elapsed() >= SAVE_INTERVAL)
    }

    /// Saves what changed since the last time, if anything did.
    pub async fn save_if_changed(&mut self, held: &LoadedColumns) {
        if self.saved_watermarks != Some(held.watermarks()) && held.incursion_count() > 0 {
            self.save(held.state_to_save()).await;
        }
    }

    /// Saves. What goes wrong is told in the log: the rows are there in any case.
    pub async fn save(&mut self, state: ColumnsState) {
        (self.saved_watermarks, self.saved_at) = (Some(state.watermarks), Instant::now());
        if self.lock.is_none() {
            self.lock = self.files.lock();
        }
        if self.lock.is_none() {
            return;
        }
        let (files, known) = (self.files.clone(), std::mem::take(&mut self.saved_parts));
        let outcome = tokio::task::spawn_blocking(move || files.save(&state, &known)).await;
        match outcome {
            Ok(Ok(known)) => self.saved_parts = known,
            Ok(Err(error)) => {
                tracing::warn!("{}: columns were not saved: {error}", self.files.folder.display());
            }
            Err(error) => tracing::warn!("columns were not saved: {error}"),
        }
    }
}

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

use super::held::{Applied, Held};

/// Of which form the files are; others are passed over.
const FORM: u32 = 1;
/// Changes after which columns are saved.
const CHANGES: i64 = 200_000;
/// Time after which they are saved if anything changed.
const EVERY: Duration = Duration::from_secs(5 * 60);

/// Where the columns of a brand are kept.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    store_id: String,
}

/// What is saved.
#[derive(Clone, Debug)]
pub(crate) struct SavedState {
    pub snapshot: Snapshot,
    pub applied: Applied,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    form: u32,
    store_id: String,
    incursions_seq: i64,
    runtime_seq: i64,
    incursions_kept_from: Option<i64>,
    runtime_kept_from: Option<i64>,
    outline: Kept,
    parts: Vec<Kept>,
}

/// A file, and what it must be like.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    number: u64,
    sha256: String,
}

/// The parts that are on disk, by their numbers, with their hashes.
type Known = HashMap<u64, String>;

fn known_of(manifest: Manifest) -> Known {
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

impl Files {
    pub fn new(folder: &Path, brand: BrandId, store_id: &str) -> Self {
        Self { folder: folder.join(brand.to_string()), store_id: store_id.to_owned() }
    }

    /// The columns that were saved; none if there are none that fit.
    pub fn open(&self) -> Option<(Cube, Applied)> {
        let manifest = self.manifest()?;
        let outline = fs::read(self.folder.join(outline_name(manifest.outline.number))).ok()?;
        if hash(&outline) != manifest.outline.sha256 {
            tracing::warn!("{} is damaged; the columns are built from the rows", self.folder.display());
            return None;
        }
        let hashes = manifest.parts.iter().map(|part| (part.number, part.sha256.clone())).collect();
        let source: Arc<dyn ChunkSource> = Arc::new(Parts { folder: self.folder.clone(), hashes });
        let applied = Applied {
            incursions: manifest.incursions_seq,
            runtime: manifest.runtime_seq,
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
        (manifest.form == FORM && manifest.store_id == self.store_id).then_some(manifest)
    }

    /// Saves what is not there yet, and takes away what is no longer named. Gives what is there now.
    fn save(&self, state: &SavedState, known: &Known) -> io::Result<Known> {
        make_private(&self.folder)?;
        let mut parts = Vec::new();
        for part in state.snapshot.parts() {
            let number = part.id().0;
            let sha256 = match known.get(&number) {
                Some(sha256) => sha256.clone(),
                None => {
                    let bytes = part.encode().map_err(io::Error::other)?;
                    self.write(&part_name(number), &bytes)?;
                    hash(&bytes)
                }
            };
            parts.push(Kept { number, sha256 });
        }
        let applied = state.applied;
        let outline = state.snapshot.outline();
        let number = u64::try_from(applied.incursions.max(applied.runtime)).unwrap_or_default();
        self.write(&outline_name(number), &outline)?;
        let manifest = Manifest {
            form: FORM,
            store_id: self.store_id.clone(),
            incursions_seq: applied.incursions,
            runtime_seq: applied.runtime,
            incursions_kept_from: applied.incursions_kept_from,
            runtime_kept_from: applied.runtime_kept_from,
            outline: Kept { number, sha256: hash(&outline) },
            parts,
        };
        self.write("manifest.json", &serde_json::to_vec_pretty(&manifest)?)?;
        self.sweep(&manifest)?;
        Ok(known_of(manifest))
    }

    /// The right to save, which one process has; the others have columns of their own in memory.
    fn lock(&self) -> Option<File> {
        make_private(&self.folder).ok()?;
        let file = File::create(self.folder.join("lock")).ok()?;
        file.try_lock().ok().map(|()| file)
    }

    /// Under a name of its own first, so that a file of that name is whole or the one before.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
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
fn make_private(folder: &Path) -> io::Result<()> {
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
    folders.create(folder)
}

/// Reads parts when they are first needed.
struct Parts {
    folder: PathBuf,
    hashes: HashMap<u64, String>,
}

impl ChunkSource for Parts {
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
pub(crate) struct Saving {
    files: Files,
    /// Held for as long as this one saves.
    lock: Option<File>,
    known: Known,
    saved: Option<Applied>,
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

impl Saving {
    /// Takes the right to save, if nobody has it. To be called before the files are read.
    pub fn new(files: Files) -> Self {
        let lock = files.lock();
        Self { files, lock, known: Known::new(), saved: None, saved_at: Instant::now() }
    }

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// What is in the files need not be saved again, if nobody else can have written them since they were read.
    pub fn begins_with(&mut self, held: &Held, origin: Origin) {
        if origin == Origin::Files && self.lock.is_some() {
            self.known = self.files.manifest().map(known_of).unwrap_or_default();
            self.saved = Some(held.applied());
        }
    }

    /// Whether there is enough that is not saved.
    pub fn is_due(&self, held: &Held) -> bool {
        let (now, Some(saved)) = (held.applied(), self.saved) else { return held.incursions() > 0 };
        let changes = (now.incursions - saved.incursions).max(now.runtime - saved.runtime);
        changes >= CHANGES || (now != saved && self.saved_at.elapsed() >= EVERY)
    }

    /// Saves what changed since the last time, if anything did.
    pub async fn save_all(&mut self, held: &Held) {
        if self.saved != Some(held.applied()) && held.incursions() > 0 {
            self.save(held.saved_state()).await;
        }
    }

    /// Saves. What goes wrong is told in the log: the rows are there in any case.
    pub async fn save(&mut self, state: SavedState) {
        (self.saved, self.saved_at) = (Some(state.applied), Instant::now());
        if self.lock.is_none() {
            self.lock = self.files.lock();
        }
        if self.lock.is_none() {
            return;
        }
        let (files, known) = (self.files.clone(), std::mem::take(&mut self.known));
        let outcome = tokio::task::spawn_blocking(move || files.save(&state, &known)).await;
        match outcome {
            Ok(Ok(known)) => self.known = known,
            Ok(Err(error)) => {
                tracing::warn!("{}: columns were not saved: {error}", self.files.folder.display());
            }
            Err(error) => tracing::warn!("columns were not saved: {error}"),
        }
    }
}

//! Saves the columns of a brand from time to time, unless another process does.
//!
//! A save writes the parts that are not objects yet, and then replaces the manifest that it began with. A lease keeps other processes from
//! writing the same. If two write nevertheless, one manifest is replaced, and the parts of the other one are deleted.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use cube::PartHandle;
use domain::{Span, Timestamp};
use store::{ColumnManifest, Scope, Store};
use tokio::time::Instant;

use super::loaded::LoadedColumns;
use super::manifest::{Manifest, ManifestFault, OUTLINE, PartObject};
use super::parts::{BrandParts, FetchError, PartSource};
use super::save_rest::SaveRest;
use super::state::ColumnsState;
use super::watermarks::Watermarks;
use crate::Error;

/// Number of changes after which columns are saved.
const SAVE_AFTER_CHANGES: i64 = 200_000;
/// Time after which columns are saved if anything has changed.
const SAVE_INTERVAL: Duration = Duration::from_secs(5 * 60);
/// A process has the right to save for this long, which is longer than the interval: the next save is its, too, and writes less.
const LEASE: Span = Span::minutes(10);
/// A save that takes long renews its lease this often.
const RENEWED_EVERY: Duration = Duration::from_secs(60);

/// Saves the columns of a brand from time to time, unless another process does.
pub(crate) struct ColumnSaver {
    store: Store,
    scope: Scope,
    parts: BrandParts,
    worker: String,
    /// The columns that are saved; none before the first.
    load: Option<u64>,
    /// Their parts that are objects. Those that the manifest does not name any more are written again.
    saved_parts: HashMap<u64, PartObject>,
    saved_watermarks: Option<Watermarks>,
    saved_at: Instant,
    leased_at: Instant,
    rest: SaveRest,
}

#[macros::boxed]
impl ColumnSaver {
    pub fn new(store: Store, scope: Scope, parts: BrandParts, worker: String) -> Self {
        Self {
            store,
            scope,
            parts,
            worker,
            load: None,
            saved_parts: HashMap::new(),
            saved_watermarks: None,
            saved_at: Instant::now(),
            leased_at: Instant::now(),
            rest: SaveRest::default(),
        }
    }

    pub fn parts(&self) -> &BrandParts {
        &self.parts
    }

    /// Forgets what was saved if these are other columns, whose parts have the numbers of others. Of columns that were opened, the parts
    /// are objects already.
    fn track(&mut self, held: &LoadedColumns) {
        if self.load.replace(held.load()) == Some(held.load()) {
            return;
        }
        (self.saved_parts, self.saved_watermarks) = match held.opened_objects() {
            Some((objects, watermarks)) => (objects.clone(), Some(watermarks)),
            None => (HashMap::new(), None),
        };
    }

    /// Returns whether there are enough unsaved changes.
    pub fn is_due(&mut self, held: &LoadedColumns) -> bool {
        self.track(held);
        if !self.rest.is_over(self.parts.store.clock.monotonic()) {
            return false;
        }
        let (now, Some(saved)) = (held.watermarks(), self.saved_watermarks) else {
            return held.is_complete() && held.incursion_count() > 0;
        };
        let changes = (now.incursions_seq - saved.incursions_seq).max(now.runtime_seq - saved.runtime_seq);
        changes >= SAVE_AFTER_CHANGES || (now != saved && self.saved_at.elapsed() >= SAVE_INTERVAL)
    }

    /// Returns whether there are unsaved changes.
    pub fn has_changes(&mut self, held: &LoadedColumns) -> bool {
        self.track(held);
        self.saved_watermarks != Some(held.watermarks()) && held.is_complete() && held.incursion_count() > 0
    }

    /// Saves the columns. A failure is only logged, because the rows remain in the database. Returns false if parts that were never read
    /// are gone, so that the columns must be loaded again.
    pub async fn save(&mut self, state: ColumnsState) -> bool {
        let (brand, watermarks) = (self.scope.brand(), state.watermarks);
        let outcome = self.try_save(state).await;
        self.saved_at = Instant::now();
        match outcome {
            Ok(is_saved) => {
                self.saved_watermarks = Some(watermarks);
                self.rest = SaveRest::default();
                if !is_saved {
                    tracing::debug!("another process saves the columns of brand {brand}");
                }
            }
            Err(SaveError::Failed(error) | SaveError::OutcomeUnknown(error)) => {
                let rest = self.rest.begin(self.parts.store.clock.monotonic());
                let minutes = rest.whole_seconds() / 60;
                tracing::warn!(
                    "the columns of brand {brand} were not saved, which is tried again in {minutes} min: {error}"
                );
            }
            Err(SaveError::Lost(reason)) => {
                tracing::info!(
                    "the columns of brand {brand} are loaded again, because this is gone: {reason}"
                );
                return false;
            }
        }
        true
    }

    /// Lets other processes save.
    pub async fn release(&self) {
        let released: Result<(), Error> = async {
            let mut tx = self.store.begin().await?;
            tx.column_manifests(&self.scope).release(&self.worker).await?;
            Ok(tx.commit().await?)
        }
        .await;
        if let Err(error) = released {
            tracing::debug!(
                "the lease on the columns of brand {} ends by itself: {error}",
                self.scope.brand()
            );
        }
    }

    /// Saves; returns false if another process does.
    async fn try_save(&mut self, state: ColumnsState) -> Result<bool, SaveError> {
        let Some(begun) = self.take_lease().await? else { return Ok(false) };
        let before = match begun.manifest.as_deref().map(Manifest::parse_current) {
            Some(Ok(manifest)) => Some(manifest),
            // Its program can open the columns of this one, and not the other way round.
            Some(Err(ManifestFault::Newer)) => return Ok(false),
            Some(Err(ManifestFault::Unusable)) | None => None,
        };
        let mut written = Vec::new();
        let outcome = self.write(state, begun.revision, before, &mut written).await;
        match &outcome {
            // If the outcome is unknown, the manifest may name what was written. Otherwise it is collected.
            Ok(true) | Err(SaveError::OutcomeUnknown(_)) => {}
            Ok(false) | Err(SaveError::Failed(_) | SaveError::Lost(_)) => self.parts.delete(written).await,
        }
        if outcome.is_err() {
            // Another process may succeed. Besides, nobody forgets saved columns with deleted facts while a process may replace them.
            self.release().await;
        }
        outcome
    }

    /// Writes the missing parts and replaces the manifest. `written` are the objects that were written meanwhile.
    async fn write(
        &mut self,
        state: ColumnsState,
        revision: i64,
        before: Option<Manifest>,
        written: &mut Vec<(u64, String)>,
    ) -> Result<bool, SaveError> {
        let named: HashSet<String> =
            before.iter().flat_map(Manifest::objects).map(|object| object.upload.clone()).collect();
        let all: Vec<PartHandle> = state.snapshot.parts().collect();
        let mut parts = Vec::with_capacity(all.len());
        for part in all {
            let number = part.id().0;
            let saved = self.saved_parts.get(&number).filter(|object| named.contains(&object.upload));
            let object = match saved {
                Some(object) => object.clone(),
                None => {
                    if self.leased_at.elapsed() >= RENEWED_EVERY && self.take_lease().await?.is_none() {
                        return Ok(false);
                    }
                    let bytes = encode(part, state.source.as_deref()).await?;
                    let object = self.parts.put(number, bytes).await?;
                    written.push((number, object.upload.clone()));
                    object
                }
            };
            parts.push(object);
        }
        let snapshot = state.snapshot.clone();
        let outline =
            tokio::task::spawn_blocking(move || snapshot.outline()).await.map_err(Error::internal)?;
        let outline = self.parts.put(OUTLINE, outline).await?;
        written.push((OUTLINE, outline.upload.clone()));
        let mut manifest = Manifest::new(state.watermarks, outline, parts);
        let over = before.map(|before| manifest.replace(before, self.now())).unwrap_or_default();
        if !self.replace_manifest(revision, &manifest).await? {
            return Ok(false);
        }
        self.saved_parts = manifest.parts.into_iter().map(|object| (object.number, object)).collect();
        self.parts.delete(over.into_iter().map(|object| (object.number, object.upload)).collect()).await;
        Ok(true)
    }

    /// Replaces the manifest of a revision; returns false if another process was faster.
    async fn replace_manifest(&self, revision: i64, manifest: &Manifest) -> Result<bool, SaveError> {
        let text = manifest.to_text()?;
        let mut tx = self.store.begin().await.map_err(Error::from)?;
        let replaced = tx.column_manifests(&self.scope).replace(&self.worker, revision, &text).await;
        if replaced.map_err(Error::from)?.is_none() {
            return Ok(false);
        }
        match tx.commit().await {
            Ok(()) => Ok(true),
            Err(error @ store::Error::OutcomeUnknown(_)) => Err(SaveError::OutcomeUnknown(error.into())),
            Err(error) => Err(SaveError::Failed(error.into())),
        }
    }

    /// Takes or renews the lease; none if another process has it.
    async fn take_lease(&mut self) -> Result<Option<ColumnManifest>, Error> {
        let now = self.now();
        let mut tx = self.store.begin().await?;
        let taken = tx.column_manifests(&self.scope).take(&self.worker, now, now + LEASE).await?;
        tx.commit().await?;
        self.leased_at = Instant::now();
        Ok(taken)
    }

    fn now(&self) -> Timestamp {
        self.parts.store.clock.now()
    }
}

/// The reason why columns were not saved.
enum SaveError {
    Failed(Error),
    /// The commit may have succeeded.
    OutcomeUnknown(Error),
    /// A part that has not been read is gone.
    Lost(String),
}

impl From<Error> for SaveError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Encodes a part. One that has not been read, and that another process has replaced since, is fetched first.
async fn encode(part: PartHandle, source: Option<&PartSource>) -> Result<Vec<u8>, SaveError> {
    loop {
        let handle = part.clone();
        let encoded = tokio::task::spawn_blocking(move || handle.encode()).await.map_err(Error::internal)?;
        match (encoded, source) {
            (Ok(bytes), _) => return Ok(bytes),
            (Err(cube::Error::NotAtHand(parts)), Some(source)) => match source.fetch(&parts).await {
                Ok(()) => {}
                Err(FetchError::Lost(reason)) => return Err(SaveError::Lost(reason)),
                Err(FetchError::Unreachable(reason)) => return Err(Error::internal(reason).into()),
            },
            (Err(fault), _) => return Err(Error::internal(fault).into()),
        }
    }
}

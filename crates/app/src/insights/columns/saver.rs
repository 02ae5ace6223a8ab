//! Saves the columns of a brand from time to time, unless another process does.

use std::fs::File;
use std::time::Duration;

use tokio::time::Instant;

use super::files::{ColumnFiles, SavedParts};
use super::loaded::LoadedColumns;
use super::state::{ColumnsState, Watermarks};

/// Number of changes after which columns are saved.
const SAVE_AFTER_CHANGES: i64 = 200_000;
/// Time after which columns are saved if anything has changed.
const SAVE_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// Saves the columns of a brand from time to time, unless another process does.
pub(crate) struct ColumnSaver {
    files: ColumnFiles,
    /// Held for as long as this process saves.
    lock: Option<File>,
    saved_parts: SavedParts,
    saved_watermarks: Option<Watermarks>,
    saved_at: Instant,
}

/// The source from which columns were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Files,
    /// The rows of the database; files with the same part numbers have other content.
    Rows,
}

#[macros::boxed]
impl ColumnSaver {
    /// Takes the lock if it is free. Called before the files are read.
    pub fn new(files: ColumnFiles) -> Self {
        let lock = files.lock();
        Self { files, lock, saved_parts: SavedParts::new(), saved_watermarks: None, saved_at: Instant::now() }
    }

    pub fn files(&self) -> &ColumnFiles {
        &self.files
    }

    /// Skips saving the parts that were read from files, provided that no other process can have written them since.
    pub fn assume_saved(&mut self, held: &LoadedColumns, origin: Origin) {
        if origin == Origin::Files && self.lock.is_some() {
            self.saved_parts = self.files.saved_parts();
            self.saved_watermarks = Some(held.watermarks());
        }
    }

    /// Returns whether there are enough unsaved changes.
    pub fn is_due(&self, held: &LoadedColumns) -> bool {
        let (now, Some(saved)) = (held.watermarks(), self.saved_watermarks) else {
            return held.incursion_count() > 0;
        };
        let changes = (now.incursions_seq - saved.incursions_seq).max(now.runtime_seq - saved.runtime_seq);
        changes >= SAVE_AFTER_CHANGES || (now != saved && self.saved_at.elapsed() >= SAVE_INTERVAL)
    }

    /// Saves the changes since the last time, if any.
    pub async fn save_if_changed(&mut self, held: &LoadedColumns) {
        if self.saved_watermarks != Some(held.watermarks()) && held.incursion_count() > 0 {
            self.save(held.state_to_save()).await;
        }
    }

    /// Saves the columns. A failure is only logged, because the rows remain in the database.
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
                tracing::warn!("{}: columns were not saved: {error}", self.files.folder().display());
            }
            Err(error) => tracing::warn!("columns were not saved: {error}"),
        }
    }
}

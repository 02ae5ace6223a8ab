//! A brand's columns with their watermarks.

use std::sync::Arc;

use cube::{Attributes, Cube, Settings, Snapshot};
use domain::Timestamp;
use store::{FactChange, FactState, Scope, Store};

use super::files::ColumnFiles;
use super::state::{ColumnsState, Watermarks};
use crate::Error;

/// Changes per read: a page takes 0.1 to 0.2 seconds, so that no read transaction lasts longer.
const PAGE: usize = 50_000;

#[derive(Debug)]
pub(crate) enum CatchUpError {
    /// The rows cannot be read.
    Store(Error),
    /// The columns are damaged.
    Columns(cube::Error),
}

impl From<store::Error> for CatchUpError {
    fn from(error: store::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<cube::Error> for CatchUpError {
    fn from(error: cube::Error) -> Self {
        Self::Columns(error)
    }
}

#[derive(Debug)]
pub(crate) struct LoadedColumns {
    cube: Cube,
    watermarks: Watermarks,
    /// The kinds of worksites, machines and people, with the registry version at which they were read.
    kinds: Option<(i64, Arc<Attributes>)>,
    registry_version: i64,
}

#[macros::boxed]
impl LoadedColumns {
    /// Opens the saved columns, if they belong to this store and are not ahead of it.
    pub async fn open(store: &Store, scope: &Scope, files: &ColumnFiles) -> Result<Option<Self>, Error> {
        let state = store.read().await?.fact_changes(scope).state().await?;
        let reader = files.clone();
        let read = tokio::task::spawn_blocking(move || reader.open()).await.map_err(Error::internal)?;
        let Some((cube, applied)) = read else { return Ok(None) };
        // Columns ahead of the rows belong to another store, or the store was restored from a backup.
        if applied.incursions_seq.max(applied.runtime_seq) > state.last_seq {
            return Ok(None);
        }
        Ok(Some(Self { cube, watermarks: applied, kinds: None, registry_version: state.registry_version }))
    }

    /// Builds columns from the rows; none if they would exceed the memory limit.
    pub async fn build(store: &Store, scope: &Scope, max_bytes: usize) -> Result<Option<Self>, Error> {
        let state = store.read().await?.fact_changes(scope).state().await?;
        let mut held = Self {
            cube: Cube::new(Settings::default()),
            watermarks: Watermarks {
                incursions_seq: state.last_seq,
                runtime_seq: state.last_seq,
                incursions_kept_from: None,
                runtime_kept_from: None,
            },
            kinds: None,
            registry_version: state.registry_version,
        };
        let mut after = None;
        loop {
            let mut snapshot = store.snapshot().await?;
            let page = snapshot.fact_changes(scope).incursions_by_time(after, state.last_seq, PAGE).await?;
            snapshot.end().await?;
            let facts = page_facts(&page);
            held.cube.apply(&facts, &[]).map_err(Error::internal)?;
            if held.cube.bytes() > max_bytes {
                return Ok(None);
            }
            after = facts.last().map(|fact| (fact.started_at, fact.id));
            if facts.len() < PAGE {
                break;
            }
        }
        let mut after = None;
        loop {
            let mut snapshot = store.snapshot().await?;
            let page = snapshot.fact_changes(scope).runtime_by_time(after, state.last_seq, PAGE).await?;
            snapshot.end().await?;
            let facts = page_facts(&page);
            held.cube.apply(&[], &facts).map_err(Error::internal)?;
            if held.cube.bytes() > max_bytes {
                return Ok(None);
            }
            after = facts.last().map(|fact| (fact.started_at, fact.id));
            if facts.len() < PAGE {
                break;
            }
        }
        Ok(Some(held))
    }

    /// Applies all changes up to the brand's last one. If cancelled, the next call continues from there.
    pub async fn catch_up(&mut self, store: &Store, scope: &Scope) -> Result<(), CatchUpError> {
        let state = store.read().await?.fact_changes(scope).state().await?;
        self.registry_version = state.registry_version;
        while self.seq() < state.last_seq {
            let mut snapshot = store.snapshot().await?;
            let mut changes = snapshot.fact_changes(scope);
            let (incursions, runtime) = (self.watermarks.incursions_seq, self.watermarks.runtime_seq);
            // No upper bound: a row that has changed again since the state was read has a later number.
            let incursions = changes.incursions(incursions, i64::MAX, PAGE).await?;
            let runtime = changes.runtime(runtime, i64::MAX, PAGE).await?;
            snapshot.end().await?;
            self.cube.apply(&page_facts(&incursions), &page_facts(&runtime))?;
            let last = state.last_seq.max(last_seq(&incursions)).max(last_seq(&runtime));
            let reached = |full: bool, own: i64| if full { own } else { last };
            self.watermarks.incursions_seq = reached(incursions.len() >= PAGE, last_seq(&incursions));
            self.watermarks.runtime_seq = reached(runtime.len() >= PAGE, last_seq(&runtime));
        }
        self.drop_expired(&state)?;
        Ok(())
    }

    /// Drops the facts that retention has deleted from the rows.
    fn drop_expired(&mut self, state: &FactState) -> Result<(), cube::Error> {
        let marks = (state.incursions_kept_from, state.runtime_kept_from);
        let (incursions, runtime) = (marks.0.map(Timestamp::micros), marks.1.map(Timestamp::micros));
        if let Some(at) = marks.0.filter(|_| incursions != self.watermarks.incursions_kept_from) {
            self.cube.drop_incursions_before(at)?;
            self.watermarks.incursions_kept_from = incursions;
        }
        if let Some(at) = marks.1.filter(|_| runtime != self.watermarks.runtime_kept_from) {
            self.cube.drop_runtime_before(at)?;
            self.watermarks.runtime_kept_from = runtime;
        }
        Ok(())
    }

    /// Returns the kinds of worksites, machines and people, as the registry has them now.
    pub async fn attributes(&mut self, store: &Store, scope: &Scope) -> Result<Arc<Attributes>, Error> {
        if let Some((version, kinds)) = &self.kinds
            && *version == self.registry_version
        {
            return Ok(Arc::clone(kinds));
        }
        let kinds = store.read().await?.fact_changes(scope).kinds().await?;
        let attributes = Arc::new(Attributes {
            worksite_kinds: kinds.worksites.into_iter().collect(),
            machine_kinds: kinds.machines.into_iter().collect(),
            person_kinds: kinds.people.into_iter().collect(),
        });
        self.kinds = Some((self.registry_version, Arc::clone(&attributes)));
        Ok(attributes)
    }

    pub fn snapshot(&self) -> Snapshot {
        self.cube.snapshot()
    }

    /// Returns the brand's last change that the columns include.
    pub fn seq(&self) -> i64 {
        self.watermarks.incursions_seq.min(self.watermarks.runtime_seq)
    }

    pub fn bytes(&self) -> usize {
        self.cube.bytes()
    }

    pub fn incursion_count(&self) -> usize {
        self.cube.snapshot().incursion_count()
    }

    pub fn watermarks(&self) -> Watermarks {
        self.watermarks
    }

    pub fn state_to_save(&self) -> ColumnsState {
        ColumnsState { snapshot: self.snapshot(), watermarks: self.watermarks }
    }
}

/// Returns the sequence number of the last change of a page, or the smallest number if it is empty.
fn last_seq<T>(page: &[FactChange<T>]) -> i64 {
    page.last().map_or(i64::MIN, |last| last.seq)
}

fn page_facts<T: Copy>(page: &[FactChange<T>]) -> Vec<T> {
    page.iter().map(|change| change.fact).collect()
}

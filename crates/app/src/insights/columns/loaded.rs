//! A brand's columns with their watermarks.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cube::{Attributes, ChunkSource, Cube, Settings, Snapshot};
use domain::Timestamp;
use domain::insights::{IncursionFact, RuntimeFact};
use store::{FactChange, FactState, Scope, Store};

use super::catch_up_error::{CatchUpError, Outdated};
use super::manifest::{Manifest, PartObject};
use super::parts::{BrandParts, FetchError, PartSource};
use super::reach::{DeferredChanges, FactKey, NeededPeriod, Reach};
use super::state::ColumnsState;
use super::watermarks::Watermarks;
use crate::Error;

/// Changes per read: a page takes 0.1 to 0.2 seconds, so that no read transaction lasts longer.
const PAGE: usize = 50_000;

/// Facts of one kind that are older than those in the columns, newest first.
#[derive(Debug)]
pub(crate) enum OlderFacts {
    Incursions(Vec<IncursionFact>),
    Runtime(Vec<RuntimeFact>),
}

/// The manifest that columns were opened from.
#[derive(Debug)]
struct OpenedManifest {
    revision: i64,
    /// The changes that the saved columns include.
    watermarks: Watermarks,
    source: Arc<PartSource>,
}

#[derive(Debug)]
pub(crate) struct LoadedColumns {
    /// Distinguishes these columns from others of the same brand, whose parts may have the same numbers.
    load: u64,
    cube: Cube,
    watermarks: Watermarks,
    /// How far back they reach; none once all facts are in them.
    reach: Option<Reach>,
    deferred_incursions: DeferredChanges<IncursionFact>,
    deferred_runtime: DeferredChanges<RuntimeFact>,
    /// Whether they may have incursions that are to be left out.
    has_expired_incursions: bool,
    /// The same for runtime.
    has_expired_runtime: bool,
    /// None if they were built from rows.
    opened: Option<OpenedManifest>,
    /// The kinds of worksites, machines and people, with the registry version at which they were read.
    kinds: Option<(i64, Arc<Attributes>)>,
    registry_version: i64,
}

#[macros::boxed]
impl LoadedColumns {
    /// Opens the saved columns, if there are any that can be trusted and that are not ahead of the database.
    pub async fn open(
        store: &Store,
        scope: &Scope,
        parts: &BrandParts,
        distrusted: Option<i64>,
    ) -> Result<Option<Self>, Error> {
        // The manifest comes first: a later one could be ahead of a state that was read before.
        let Some(row) = store.read().await?.column_manifests(scope).find().await? else { return Ok(None) };
        let manifest = row.manifest.as_deref().map(Manifest::parse_current);
        let Some(Ok(manifest)) = manifest.filter(|_| Some(row.revision) != distrusted) else {
            return Ok(None);
        };
        let (state, timeline) = read_state(store, scope).await?;
        // The store lost commits in a fail-over, for example.
        let watermarks = manifest.watermarks();
        if Outdated::reason(&watermarks, &state, timeline).is_some() {
            return Ok(None);
        }
        let outline = match parts.fetch(&manifest.outline).await {
            Ok(outline) => outline,
            Err(FetchError::Lost(reason) | FetchError::Unreachable(reason)) => {
                tracing::warn!("{reason}; the columns of brand {} are built from the rows", scope.brand());
                return Ok(None);
            }
        };
        let source = Arc::new(PartSource::new(parts.clone(), &manifest));
        let parts: Arc<dyn ChunkSource> = Arc::clone(&source) as _;
        let opened = tokio::task::spawn_blocking(move || Cube::open(&outline, &parts, Settings::default()));
        let cube = match opened.await.map_err(Error::internal)? {
            Ok(cube) => cube,
            Err(fault) => {
                tracing::warn!("{fault}; the columns of brand {} are built from the rows", scope.brand());
                return Ok(None);
            }
        };
        let opened = Some(OpenedManifest { revision: row.revision, watermarks, source });
        Ok(Some(Self { opened, ..Self::new(cube, watermarks, state.registry_version) }))
    }

    /// Begins columns that are built from the rows as they are now.
    pub async fn begin(store: &Store, scope: &Scope) -> Result<Self, Error> {
        let (state, timeline) = read_state(store, scope).await?;
        let watermarks = Watermarks {
            incursions_seq: state.last_seq,
            runtime_seq: state.last_seq,
            incursions_kept_from: None,
            runtime_kept_from: None,
            timeline,
            is_synchronous: state.is_synchronous,
        };
        Ok(Self::new(Cube::new(Settings::default()), watermarks, state.registry_version))
    }

    fn new(cube: Cube, watermarks: Watermarks, registry_version: i64) -> Self {
        Self {
            load: next_load(),
            cube,
            watermarks,
            reach: None,
            deferred_incursions: DeferredChanges::default(),
            deferred_runtime: DeferredChanges::default(),
            // Earlier versions saved columns with facts that had arrived too late.
            has_expired_incursions: true,
            has_expired_runtime: true,
            opened: None,
            kinds: None,
            registry_version,
        }
    }

    /// Makes them reach back only this far.
    pub fn with_reach(self, reach: Reach) -> Self {
        Self { reach: Some(reach).filter(|reach| *reach != Reach::EVERYTHING), ..self }
    }

    /// Adds facts that are older than all others, after which all from `reach` on are in the columns.
    pub fn add_older(&mut self, facts: &OlderFacts, reach: FactKey) -> Result<(), cube::Error> {
        let Some(own) = &mut self.reach else { return Ok(()) };
        match facts {
            OlderFacts::Incursions(facts) => {
                self.cube.prepend(facts, &[])?;
                own.incursions = reach;
                self.cube.apply(&self.deferred_incursions.take_from(reach), &[])?;
                // The page may have facts that retention has deleted since, or is about to.
                self.has_expired_incursions = true;
            }
            OlderFacts::Runtime(pieces) => {
                self.cube.prepend(&[], pieces)?;
                own.runtime = reach;
                self.cube.apply(&[], &self.deferred_runtime.take_from(reach))?;
                self.has_expired_runtime = true;
            }
        }
        if *own == Reach::EVERYTHING {
            self.reach = None;
        }
        Ok(())
    }

    /// Whether all facts are in them.
    pub fn is_complete(&self) -> bool {
        self.reach.is_none()
    }

    /// Whether they have no fact that is to be left out, so that they can be saved.
    pub fn has_dropped_expired(&self) -> bool {
        !self.has_expired_incursions && !self.has_expired_runtime
    }

    /// Whether all facts of a period are in them.
    pub fn covers(&self, period: NeededPeriod) -> bool {
        self.reach.is_none_or(|reach| reach.covers(period))
    }

    /// Applies all changes up to the brand's last one, except of facts that are older than retention keeps. If cancelled, the next call
    /// continues from there. Fails if the columns are outdated.
    pub async fn catch_up(&mut self, store: &Store, scope: &Scope) -> Result<(), CatchUpError> {
        let (state, timeline) = read_state(store, scope).await?;
        if let Some(reason) = Outdated::reason(&self.watermarks, &state, timeline) {
            return Err(CatchUpError::Outdated(reason));
        }
        (self.watermarks.timeline, self.watermarks.is_synchronous) = (timeline, state.is_synchronous);
        self.registry_version = state.registry_version;
        self.note_retention(&state);
        while self.seq() < state.last_seq {
            let mut snapshot = store.snapshot().await?;
            let mut changes = snapshot.fact_changes(scope);
            let (incursions, runtime) = (self.watermarks.incursions_seq, self.watermarks.runtime_seq);
            // No upper bound: a row that has changed again since the state was read has a later number.
            let incursions = changes.incursions(incursions, i64::MAX, PAGE).await?;
            let runtime = changes.runtime(runtime, i64::MAX, PAGE).await?;
            snapshot.end().await?;
            self.apply(page_facts(&incursions), page_facts(&runtime)).await?;
            let last = state.last_seq.max(last_seq(&incursions)).max(last_seq(&runtime));
            let reached = |full: bool, own: i64| if full { own } else { last };
            self.watermarks.incursions_seq = reached(incursions.len() >= PAGE, last_seq(&incursions));
            self.watermarks.runtime_seq = reached(runtime.len() >= PAGE, last_seq(&runtime));
        }
        self.drop_expired().await
    }

    /// Applies changes, for which parts may have to be fetched. If cancelled, nothing has been applied.
    async fn apply(
        &mut self,
        mut incursions: Vec<IncursionFact>,
        mut runtime: Vec<RuntimeFact>,
    ) -> Result<(), CatchUpError> {
        // They count nowhere, because copies cannot tell them from those that were deleted.
        let kept = (self.watermarks.incursions_kept_from, self.watermarks.runtime_kept_from);
        incursions.retain(|fact| Some(fact.started_at.micros()) >= kept.0);
        runtime.retain(|piece| Some(piece.started_at.micros()) >= kept.1);
        // Columns that are being built have all their parts, so that nothing is deferred twice.
        if let Some(reach) = self.reach {
            incursions = self.deferred_incursions.defer(incursions, reach.incursions);
            runtime = self.deferred_runtime.defer(runtime, reach.runtime);
        }
        loop {
            match self.cube.apply(&incursions, &runtime) {
                Err(cube::Error::NotAtHand(parts)) => self.fetch(&parts).await?,
                applied => return Ok(applied?),
            }
        }
    }

    /// Takes note of the times before which facts are left out, before any is: what is left out must not be forgotten.
    fn note_retention(&mut self, state: &FactState) {
        let incursions = state.incursions_kept_from.map(Timestamp::micros);
        let runtime = state.runtime_kept_from.map(Timestamp::micros);
        self.has_expired_incursions |= self.watermarks.incursions_kept_from != incursions;
        self.has_expired_runtime |= self.watermarks.runtime_kept_from != runtime;
        (self.watermarks.incursions_kept_from, self.watermarks.runtime_kept_from) = (incursions, runtime);
    }

    /// Drops the facts that retention has deleted from the rows, or is about to.
    async fn drop_expired(&mut self) -> Result<(), CatchUpError> {
        if let Some(at) = self.watermarks.incursions_kept_from.filter(|_| self.has_expired_incursions) {
            while let Err(fault) = self.cube.drop_incursions_before(Timestamp::from_micros(at)) {
                self.fetch(&missing_parts(fault)?).await?;
            }
        }
        self.has_expired_incursions = false;
        if let Some(at) = self.watermarks.runtime_kept_from.filter(|_| self.has_expired_runtime) {
            while let Err(fault) = self.cube.drop_runtime_before(Timestamp::from_micros(at)) {
                self.fetch(&missing_parts(fault)?).await?;
            }
        }
        self.has_expired_runtime = false;
        Ok(())
    }

    async fn fetch(&self, parts: &[u64]) -> Result<(), CatchUpError> {
        match &self.opened {
            Some(opened) => Ok(opened.source.fetch(parts).await?),
            None => Err(CatchUpError::Columns(cube::Error::NotAtHand(parts.to_vec()))),
        }
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

    /// Returns where parts that have not been read come from.
    pub fn source(&self) -> Option<Arc<PartSource>> {
        self.opened.as_ref().map(|opened| Arc::clone(&opened.source))
    }

    /// Returns the revision of the manifest that they were opened from.
    pub fn opened_revision(&self) -> Option<i64> {
        self.opened.as_ref().map(|opened| opened.revision)
    }

    /// Returns the objects that they were opened from, by the numbers of the parts, and the changes that those include.
    pub fn opened_objects(&self) -> Option<(&HashMap<u64, PartObject>, Watermarks)> {
        self.opened.as_ref().map(|opened| (opened.source.objects(), opened.watermarks))
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

    /// Returns a number that no other columns of this process have.
    pub fn load(&self) -> u64 {
        self.load
    }

    pub fn watermarks(&self) -> Watermarks {
        self.watermarks
    }

    pub fn state_to_save(&self) -> ColumnsState {
        ColumnsState { snapshot: self.snapshot(), watermarks: self.watermarks, source: self.source() }
    }
}

/// Returns the parts that must be fetched, or the error if it is another one.
fn missing_parts(fault: cube::Error) -> Result<Vec<u64>, CatchUpError> {
    match fault {
        cube::Error::NotAtHand(parts) => Ok(parts),
        other => Err(other.into()),
    }
}

/// Reads the state of a brand's facts, with the timeline of the server that had it.
async fn read_state(store: &Store, scope: &Scope) -> Result<(FactState, i64), store::Error> {
    loop {
        let timeline = store.server_timeline();
        let state = store.read().await?.fact_changes(scope).state().await?;
        if store.server_timeline() == timeline {
            return Ok((state, timeline));
        }
    }
}

fn next_load() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Returns the sequence number of the last change of a page, or the smallest number if it is empty.
fn last_seq<T>(page: &[FactChange<T>]) -> i64 {
    page.last().map_or(i64::MIN, |last| last.seq)
}

fn page_facts<T: Copy>(page: &[FactChange<T>]) -> Vec<T> {
    page.iter().map(|change| change.fact).collect()
}

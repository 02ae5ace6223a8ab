//! Reads a page of changes and writes it to nodes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::insights::{IncursionFact, RuntimeFact};
use store::{FactChange, FactState, Scope, Snapshot};
use warehouse::{Advance, Applied, Batch, Cluster, CopyId, KeptFrom, NodeId, Origin};

use super::failure_log::FailureLog;
use super::fill_notes::FillNotes;
use super::read_again::read_again;
use super::turns::ReadTurn;
use super::{Warehouse, kept_from};
use crate::{App, Error};

/// Changes per read, as when columns follow.
pub(super) const PAGE: usize = 50_000;

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub seq: i64,
    pub filling: u64,
    /// The timeline of the server that its last change was read from.
    pub timeline: i64,
    pub is_synchronous: bool,
}

impl From<&Applied> for Position {
    fn from(applied: &Applied) -> Self {
        Self {
            seq: applied.seq,
            filling: applied.filling,
            timeline: applied.origin.timeline,
            is_synchronous: applied.is_synchronous,
        }
    }
}

impl Position {
    /// Whether the node may hold changes that the database does not have any more.
    pub fn is_ahead_of(&self, state: &FactState, timeline: i64) -> bool {
        self.seq > state.last_seq || self.may_be_lost_at(timeline)
    }

    /// Whether a server with this timeline may lack changes that the node holds, because it has taken over since.
    pub fn may_be_lost_at(&self, timeline: i64) -> bool {
        self.timeline != timeline && !self.is_synchronous
    }

    /// Whether the node must say that it is further, up to `reached`. A node whose last change is on a synchronous standby by now says so,
    /// also if nothing follows for long.
    fn is_behind(&self, page: &ChangesPage, reached: i64) -> bool {
        let is_safer = page.state.is_synchronous && !self.is_synchronous;
        self.seq < reached || self.timeline != page.timeline || is_safer
    }
}

pub(super) type Positions = BTreeMap<NodeId, Position>;

/// Why a step did not succeed.
#[derive(Debug)]
pub(super) enum StepError {
    /// The database went back: the copy must be made anew.
    WentBack,
    Failed(Error),
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for StepError {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<warehouse::Error> for StepError {
    fn from(error: warehouse::Error) -> Self {
        Self::Failed(Error::internal(error))
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub(super) struct Stepped {
    /// Whether nodes have every change that was there when the page was read.
    pub is_complete: bool,
    pub kept_from: KeptFrom,
    /// The nodes that were left out because replicas of them would have waited for them.
    pub slow: Vec<NodeId>,
}

/// Changes after a number.
struct ChangesPage {
    state: FactState,
    timeline: i64,
    incursions: Vec<FactChange<IncursionFact>>,
    runtime: Vec<FactChange<RuntimeFact>>,
}

impl ChangesPage {
    /// Returns up to where the page has all changes.
    fn reached(&self) -> i64 {
        fn of<T>(page: &[FactChange<T>], last_seq: i64) -> i64 {
            match page.last() {
                Some(last) if page.len() >= PAGE => last.seq,
                _ => last_seq,
            }
        }
        of(&self.incursions, self.state.last_seq).min(of(&self.runtime, self.state.last_seq))
    }
}

/// Writes one copy.
#[derive(Clone)]
pub(super) struct CopyWriter {
    pub app: Arc<App>,
    pub warehouse: Arc<Warehouse>,
    pub scope: Scope,
    pub copy: CopyId,
    /// What is noted if it fills nodes, which gives way to those who follow.
    pub fill_notes: Option<Arc<FillNotes>>,
    /// Failures of nodes that follow, or are looked at: the same happens again after a second.
    pub failures: Arc<Mutex<BTreeMap<NodeId, FailureLog>>>,
}

impl CopyWriter {
    pub fn cluster(&self) -> &Cluster {
        &self.warehouse.cluster
    }

    /// Waits for the turn to read.
    pub async fn read_turn(&self) -> Result<ReadTurn<'_>, Error> {
        self.warehouse.turns.read(self.fill_notes.is_some()).await
    }

    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.warehouse.reserved_store.snapshot().await?)
    }

    pub fn origin(&self, timeline: i64) -> Origin {
        Origin { store_id: self.app.store_id().to_owned(), timeline }
    }

    /// Reads the changes after the node that is furthest behind, writes them to all of these nodes, and then how far they are. Nodes that
    /// fail are left out from then on. Others rest, and can take over from those that take long.
    pub async fn step(&self, nodes: &mut Positions, resting: &[NodeId]) -> Result<Stepped, StepError> {
        let start = nodes.values().map(|position| position.seq).min().unwrap_or(i64::MAX);
        let page = match self.fill_notes {
            Some(_) => read_again(|| self.read_changes(start)).await?,
            None => self.read_changes(start).await?,
        };
        if nodes.values().any(|position| position.is_ahead_of(&page.state, page.timeline)) {
            return Err(StepError::WentBack);
        }
        let mut batch = Batch::new(self.cluster().shards());
        for change in &page.incursions {
            batch.push_incursion(change.seq, &change.fact)?;
        }
        for change in &page.runtime {
            batch.push_runtime(change.seq, &change.fact)?;
        }
        let slow = self.apply(nodes, &page, &mut batch, resting).await;
        let is_complete = nodes.values().all(|position| position.seq >= page.state.last_seq);
        Ok(Stepped { is_complete, kept_from: kept_from(&page.state), slow })
    }

    async fn read_changes(&self, after: i64) -> Result<ChangesPage, Error> {
        let _turn = self.read_turn().await?;
        let store = &self.warehouse.reserved_store;
        loop {
            let timeline = store.server_timeline();
            let mut snapshot = self.snapshot().await?;
            let mut changes = snapshot.fact_changes(&self.scope);
            let state = changes.state().await?;
            let (mut incursions, mut runtime) = (Vec::new(), Vec::new());
            if state.last_seq > after {
                incursions = changes.incursions(after, i64::MAX, PAGE).await?;
                runtime = changes.runtime(after, i64::MAX, PAGE).await?;
            }
            snapshot.end().await?;
            // Otherwise the changes may be those of another server.
            if store.server_timeline() == timeline {
                return Ok(ChangesPage { state, timeline, incursions, runtime });
            }
        }
    }

    /// Writes rows to nodes, and leaves out those that fail.
    pub async fn write(&self, nodes: &mut Positions, batch: &mut Batch) {
        if batch.is_empty() {
            return;
        }
        let all: Vec<NodeId> = nodes.keys().copied().collect();
        for (node, error) in self.cluster().insert(&all, self.copy, batch).await {
            self.leave_out(nodes, node, &error);
        }
    }

    /// Writes a page of changes to nodes, and how far they are then. Nodes that fail are left out. Returns those of them that were too
    /// slow.
    async fn apply(
        &self,
        nodes: &mut Positions,
        page: &ChangesPage,
        batch: &mut Batch,
        resting: &[NodeId],
    ) -> Vec<NodeId> {
        let (origin, reached) = (self.origin(page.timeline), page.reached());
        let is_synchronous = page.state.is_synchronous;
        let step = |from: &Position| Advance {
            origin: &origin,
            is_synchronous,
            after: from.seq,
            seq: reached.max(from.seq),
            filling: from.filling,
        };
        let is_behind = |from: &Position| from.is_behind(page, reached);
        let steps: Vec<(NodeId, Option<Advance<'_>>)> =
            nodes.iter().map(|(node, from)| (*node, is_behind(from).then(|| step(from)))).collect();
        let mut slow = Vec::new();
        let outcomes = match self.fill_notes {
            // Nobody waits for nodes that are being filled.
            Some(_) => self.cluster().apply_unhurried(self.copy, batch, &steps).await,
            None => self.cluster().apply(self.copy, batch, &steps, resting).await,
        };
        for (node, outcome) in outcomes {
            if let Err(error) = outcome {
                self.leave_out(nodes, node, &error);
                if matches!(error, warehouse::Error::Slow { .. }) {
                    slow.push(node);
                }
            }
        }
        for position in nodes.values_mut().filter(|position| is_behind(position)) {
            position.seq = reached.max(position.seq);
            (position.timeline, position.is_synchronous) = (page.timeline, is_synchronous);
        }
        slow
    }

    /// Drops the tables that a node has of copies that this one has replaced.
    pub async fn drop_other_copies(&self, node: NodeId) -> Result<(), Error> {
        let (app, copy) = (&self.app, self.copy);
        let found = self.cluster().copies(node, app.store_id()).await.map_err(Error::internal)?;
        // Read after the tables, so that a copy that has just replaced this one is not dropped.
        let current = app.store.read().await?.warehouse_copies(&app.platform).token(copy.brand).await?;
        if current != Some(copy.token.cast_signed()) {
            return Ok(());
        }
        for other in found.into_iter().filter(|other| other.brand == copy.brand && *other != copy) {
            self.cluster().drop_copy(node, other).await.map_err(Error::internal)?;
        }
        Ok(())
    }

    pub fn leave_out(&self, nodes: &mut Positions, node: NodeId, error: &warehouse::Error) {
        if nodes.remove(&node).is_some() {
            self.note_fault(node, error);
        }
    }

    /// Takes note that a node cannot be written to, or looked at. Whoever asked for it to be filled says so.
    pub fn note_fault(&self, node: NodeId, error: &warehouse::Error) {
        match &self.fill_notes {
            Some(notes) => notes.note_fault(node, error),
            None => {
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                let log = failures.entry(node).or_default();
                log.log("a node of the warehouse is done without for now", self.copy.brand, error);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(incursions: Vec<FactChange<IncursionFact>>) -> ChangesPage {
        let state = FactState {
            last_seq: 9,
            registry_version: 1,
            is_synchronous: false,
            incursions_kept_from: None,
            runtime_kept_from: None,
            copies_since: 0,
        };
        ChangesPage { state, timeline: 1, incursions, runtime: Vec::new() }
    }

    #[test]
    fn a_page_that_is_not_full_is_the_last() {
        assert_eq!(page(Vec::new()).reached(), 9);
    }

    #[test]
    fn a_node_is_ahead_of_a_database_that_went_back() {
        let state = page(Vec::new()).state;
        let position = |seq, is_synchronous| Position { seq, filling: 1, timeline: 1, is_synchronous };
        assert!(!position(9, false).is_ahead_of(&state, 1) && position(10, false).is_ahead_of(&state, 1));
        assert!(position(9, false).is_ahead_of(&state, 2) && !position(9, true).is_ahead_of(&state, 2));
        // Known before the state is read again, as in the midst of a fill.
        assert!(position(9, false).may_be_lost_at(2) && !position(9, true).may_be_lost_at(2));
        assert!(!position(9, false).may_be_lost_at(1));
    }

    #[test]
    fn a_node_says_that_its_last_change_is_on_a_standby_by_now() {
        let (alone, mut safe) = (page(Vec::new()), page(Vec::new()));
        safe.state.is_synchronous = true;
        let position = |seq, is_synchronous| Position { seq, filling: 1, timeline: 1, is_synchronous };
        assert!(position(9, false).is_behind(&safe, 9) && !position(9, true).is_behind(&safe, 9));
        // What was on a standby is still there if there is none for the moment.
        assert!(!position(9, true).is_behind(&alone, 9) && !position(9, false).is_behind(&alone, 9));
        assert!(position(8, true).is_behind(&safe, 9));
    }
}

//! Fills nodes that are new, or behind: by time, as columns are built, and then up to the last change.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::insights::{IncursionFact, RuntimeFact};
use domain::{IncursionId, RuntimePieceId, Timestamp};
use futures_util::future::join_all;
use store::FactChange;
use warehouse::{Batch, Fill, FillTables, NodeId};

use super::fill_notes::{FillFault, FillNotes};
use super::lack::Lack;
use super::read_again::read_again;
use super::step::{CopyWriter, PAGE, Position, Positions, StepError};
use crate::Error;

/// Rows per insert. Each insert makes a part of each month, so that few large ones are better.
const FILL_ROWS: usize = 250_000;
/// What became of nodes that were to be filled.
#[derive(Debug, Default)]
pub(super) struct FillOutcome {
    /// Those that are filled, with how far they are. The others of which there is no fault are looked at again.
    pub filled: Positions,
    pub faults: BTreeMap<NodeId, FillFault>,
    /// Whether the database went back.
    pub went_back: bool,
}

impl FillOutcome {
    /// The outcome if no node was filled.
    pub fn of_failure(nodes: &[NodeId], fault: &FillFault) -> Self {
        let faults = nodes.iter().map(|node| (*node, fault.clone())).collect();
        Self { faults, ..Self::default() }
    }
}

/// Nodes that are to be filled.
#[derive(Default)]
struct Unfilled {
    /// Those that only lack changes, with how far they are.
    behind: Positions,
    empty: Vec<NodeId>,
}

/// A page of rows by time.
struct TimePage<T> {
    facts: Vec<FactChange<T>>,
    /// Whether changes were on a standby before they could be read. Otherwise a row may be left out because of a change that is lost when
    /// another server takes over.
    is_synchronous: bool,
}

impl CopyWriter {
    /// Gives these nodes together what they lack, so that it is read once.
    pub async fn fill(mut self, lack: Lack, nodes: Vec<NodeId>) -> FillOutcome {
        let notes = Arc::new(FillNotes::default());
        self.fill_notes = Some(Arc::clone(&notes));
        let filled = match lack {
            Lack::Changes => self.catch_up(&nodes).await,
            Lack::Rows => self.fill_in_turn(&nodes, &notes).await,
        };
        let mut outcome = match filled {
            Ok(filled) => FillOutcome { filled, ..FillOutcome::default() },
            Err(StepError::WentBack) => FillOutcome { went_back: true, ..FillOutcome::default() },
            Err(StepError::Failed(error)) => FillOutcome::of_failure(&nodes, &notes.failure(&error)),
        };
        outcome.faults.extend(notes.faults());
        outcome
    }

    /// Writes the changes that nodes lack, and returns those that have all of them.
    async fn catch_up(&self, nodes: &[NodeId]) -> Result<Positions, StepError> {
        let behind = self.look_at_unfilled(nodes).await?.behind;
        self.complete(behind).await
    }

    async fn complete(&self, mut nodes: Positions) -> Result<Positions, StepError> {
        while !nodes.is_empty() && !self.step(&mut nodes, &[]).await?.is_complete {}
        Ok(nodes)
    }

    /// Fills nodes that hold nothing, when it is the brand's turn.
    async fn fill_in_turn(&self, nodes: &[NodeId], notes: &FillNotes) -> Result<Positions, StepError> {
        let last_seq = self.state().await?.0.last_seq;
        let _turn = self.warehouse.turns.fill(last_seq).await?;
        notes.begin();
        // It may have taken long, and what someone else has filled since must not be dropped.
        let empty = self.look_at_unfilled(nodes).await?.empty;
        let filled = self.fill_by_time(empty).await?;
        notes.begin();
        self.complete(filled).await
    }

    async fn look_at_unfilled(&self, nodes: &[NodeId]) -> Result<Unfilled, StepError> {
        let last_seq = self.state().await?.0.last_seq;
        let mut found = Unfilled::default();
        for node in nodes.iter().copied() {
            let applied = match self.cluster().applied_if_whole(node, self.copy).await {
                Ok(applied) => applied,
                Err(error) => {
                    self.note_fault(node, &error);
                    continue;
                }
            };
            let placement = self.cluster().placement(node);
            let own = applied.filter(|applied| applied.is_of_store(self.app.store_id(), placement));
            match own.filter(|applied| Lack::after(applied.seq, last_seq) == Lack::Changes) {
                Some(applied) => {
                    found.behind.insert(node, Position::from(&applied));
                }
                None => found.empty.push(node),
            }
        }
        Ok(found)
    }

    /// Copies all rows of the brand.
    async fn fill_by_time(&self, nodes: Vec<NodeId>) -> Result<Positions, StepError> {
        let (state, timeline) = self.state().await?;
        let filling = u64::from_le_bytes(self.app.random.bytes());
        let mut position =
            Position { seq: state.last_seq, filling, timeline, is_synchronous: state.is_synchronous };
        let prepared = self.prepare(nodes).await;
        let mut filled: Positions = prepared.keys().map(|node| (*node, position)).collect();
        if filled.is_empty() {
            return Ok(filled);
        }
        let began = tokio::time::Instant::now();
        let incursions = self.copy_incursions(&mut filled, &mut position).await?;
        let rows = incursions + self.copy_runtime(&mut filled, &mut position).await?;
        self.ensure_not_ahead(&position).await?;
        filled.values_mut().for_each(|at| *at = position);
        let origin = self.origin(timeline);
        let fill =
            Fill { origin: &origin, is_synchronous: position.is_synchronous, seq: state.last_seq, filling };
        for (node, tables) in prepared {
            // Those that failed meanwhile lack rows.
            if !filled.contains_key(&node) {
                continue;
            }
            if let Err(error) = self.cluster().finish_fill(node, self.copy, &tables, &fill).await {
                self.leave_out(&mut filled, node, &error);
            }
        }
        if !filled.is_empty() {
            let (nodes, brand, took) = (filled.len(), self.copy.brand, began.elapsed().as_millis());
            tracing::info!(
                "brand {brand}: nodes of the warehouse were filled in {took} ms: {nodes} nodes, {rows} rows"
            );
        }
        Ok(filled)
    }

    /// Fails if another server has taken over since a fill began, which may lack changes that the fill has seen.
    async fn ensure_not_ahead(&self, position: &Position) -> Result<(), StepError> {
        let (state, timeline) = read_again(|| self.state()).await?;
        if position.is_ahead_of(&state, timeline) {
            return Err(may_be_lost());
        }
        Ok(())
    }

    /// Takes note of a page that was read. Fails as soon as it is certain that the fill will.
    fn note_page<T>(&self, page: &TimePage<T>, position: &mut Position) -> Result<(), StepError> {
        position.is_synchronous &= page.is_synchronous;
        if position.may_be_lost_at(self.warehouse.reserved_store.server_timeline()) {
            return Err(may_be_lost());
        }
        Ok(())
    }

    /// Creates tables without rows, and returns the nodes that have them.
    async fn prepare(&self, nodes: Vec<NodeId>) -> BTreeMap<NodeId, FillTables> {
        let prepared = nodes.into_iter().map(|node| async move {
            match self.cluster().prepare_empty(node, self.copy, self.app.store_id()).await {
                Ok(tables) => Some((node, tables)),
                Err(error) => {
                    self.note_fault(node, &error);
                    None
                }
            }
        });
        join_all(prepared).await.into_iter().flatten().collect()
    }

    /// Copies all incursions, and returns their number. The position is how far the nodes are then.
    async fn copy_incursions(
        &self,
        nodes: &mut Positions,
        position: &mut Position,
    ) -> Result<usize, StepError> {
        let (mut batch, mut after) = (Batch::new(self.cluster().shards()), None);
        let (last_seq, mut copied) = (position.seq, 0);
        loop {
            let page = read_again(|| self.incursions_page(after, last_seq)).await?;
            self.note_page(&page, position)?;
            for change in &page.facts {
                batch.push_incursion(change.seq, &change.fact)?;
            }
            copied += page.facts.len();
            after = page.facts.last().map(|last| (last.fact.started_at, last.fact.id));
            let is_last = page.facts.len() < PAGE;
            if is_last || batch.len() >= FILL_ROWS {
                self.write(nodes, &mut batch).await;
            }
            if is_last || nodes.is_empty() {
                return Ok(copied);
            }
        }
    }

    /// The same for runtime.
    async fn copy_runtime(&self, nodes: &mut Positions, position: &mut Position) -> Result<usize, StepError> {
        let (mut batch, mut after) = (Batch::new(self.cluster().shards()), None);
        let (last_seq, mut copied) = (position.seq, 0);
        loop {
            let page = read_again(|| self.runtime_page(after, last_seq)).await?;
            self.note_page(&page, position)?;
            for change in &page.facts {
                batch.push_runtime(change.seq, &change.fact)?;
            }
            copied += page.facts.len();
            after = page.facts.last().map(|last| (last.fact.started_at, last.fact.id));
            let is_last = page.facts.len() < PAGE;
            if is_last || batch.len() >= FILL_ROWS {
                self.write(nodes, &mut batch).await;
            }
            if is_last || nodes.is_empty() {
                return Ok(copied);
            }
        }
    }

    async fn incursions_page(
        &self,
        after: Option<(Timestamp, IncursionId)>,
        last_seq: i64,
    ) -> Result<TimePage<IncursionFact>, Error> {
        let _turn = self.read_turn().await?;
        let mut snapshot = self.snapshot().await?;
        let mut changes = snapshot.fact_changes(&self.scope);
        let is_synchronous = changes.state().await?.is_synchronous;
        let facts = changes.incursions_by_time(after, last_seq, PAGE).await?;
        snapshot.end().await?;
        Ok(TimePage { facts, is_synchronous })
    }

    async fn runtime_page(
        &self,
        after: Option<(Timestamp, RuntimePieceId)>,
        last_seq: i64,
    ) -> Result<TimePage<RuntimeFact>, Error> {
        let _turn = self.read_turn().await?;
        let mut snapshot = self.snapshot().await?;
        let mut changes = snapshot.fact_changes(&self.scope);
        let is_synchronous = changes.state().await?.is_synchronous;
        let facts = changes.runtime_by_time(after, last_seq, PAGE).await?;
        snapshot.end().await?;
        Ok(TimePage { facts, is_synchronous })
    }

    /// Returns the state of the brand, with the timeline of the server that had it.
    async fn state(&self) -> Result<(store::FactState, i64), Error> {
        let store = &self.warehouse.reserved_store;
        let _turn = self.read_turn().await?;
        loop {
            let timeline = store.server_timeline();
            let state = store.read().await?.fact_changes(&self.scope).state().await?;
            if store.server_timeline() == timeline {
                return Ok((state, timeline));
            }
        }
    }
}

fn may_be_lost() -> StepError {
    let reason = "another server of the database has taken over, which may lack changes";
    StepError::Failed(Error::internal(reason))
}

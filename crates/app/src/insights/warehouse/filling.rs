//! Fills nodes that are new, or behind: by time, as columns are built, and then up to the last change.

use futures_util::future::join_all;
use warehouse::{Batch, Fill, NodeId};

use super::step::{CopyWriter, PAGE, Position, Positions, StepError};
use crate::Error;

/// A node that lacks at most this many changes gets them by their numbers.
const MAX_CATCH_UP: i64 = 1_000_000;
/// Rows per insert. Each insert makes a part of each month, so that few large ones are better.
const FILL_ROWS: usize = 250_000;

impl CopyWriter {
    /// Fills these nodes together, so that rows are read once. Returns those that succeeded, with how far they are.
    pub async fn fill(self, nodes: Vec<NodeId>) -> Result<Positions, StepError> {
        let (mut filled, mut empty) = (Positions::new(), Vec::new());
        let last_seq = self.state().await?.0.last_seq;
        for node in nodes {
            match self.cluster().applied(node, self.copy).await {
                Ok(Some(applied))
                    if applied.is_of_store(self.app.store_id(), self.cluster().placement(node))
                        && last_seq - applied.seq <= MAX_CATCH_UP =>
                {
                    filled.insert(node, Position::from(&applied));
                }
                Ok(_) => empty.push(node),
                Err(error) => tracing::debug!("a node is not filled yet: {error}"),
            }
        }
        if !empty.is_empty() {
            filled.extend(self.fill_by_time(empty).await?);
        }
        while !filled.is_empty() && !self.step(&mut filled).await?.is_complete {}
        Ok(filled)
    }

    /// Copies all rows of the brand.
    async fn fill_by_time(&self, nodes: Vec<NodeId>) -> Result<Positions, StepError> {
        let (state, timeline) = self.state().await?;
        let filling = u64::from_le_bytes(self.app.random.bytes());
        let position =
            Position { seq: state.last_seq, filling, timeline, is_synchronous: state.is_synchronous };
        let mut filled = self.prepare(nodes, position).await;
        let began = tokio::time::Instant::now();
        let mut rows = self.copy_incursions(&mut filled, state.last_seq).await?;
        rows += self.copy_runtime(&mut filled, state.last_seq).await?;
        let origin = self.origin(timeline);
        let all: Vec<NodeId> = filled.keys().copied().collect();
        for node in all {
            let fill =
                Fill { origin: &origin, is_synchronous: state.is_synchronous, seq: state.last_seq, filling };
            if let Err(error) = self.cluster().finish_fill(node, self.copy, &fill).await {
                self.leave_out(&mut filled, node, &error);
            }
        }
        tracing::info!(
            "{} nodes of the warehouse were filled for brand {} in {} ms: {rows} rows",
            filled.len(),
            self.copy.brand,
            began.elapsed().as_millis()
        );
        Ok(filled)
    }

    /// Creates tables, and returns the nodes that have them.
    async fn prepare(&self, nodes: Vec<NodeId>, position: Position) -> Positions {
        let prepared = nodes.into_iter().map(|node| async move {
            let prepared = self.cluster().prepare(node, self.copy, self.app.store_id()).await;
            if let Err(error) = &prepared {
                tracing::warn!("the copy of brand {} is not written to a node: {error}", self.copy.brand);
            }
            prepared.is_ok().then_some((node, position))
        });
        join_all(prepared).await.into_iter().flatten().collect()
    }

    async fn copy_incursions(&self, nodes: &mut Positions, last_seq: i64) -> Result<usize, StepError> {
        let (mut batch, mut after, mut count) = (Batch::new(self.cluster().shards()), None, 0);
        loop {
            let page = {
                let _turn = self.read_turn().await?;
                let mut snapshot = self.snapshot().await?;
                let page =
                    snapshot.fact_changes(&self.scope).incursions_by_time(after, last_seq, PAGE).await?;
                snapshot.end().await?;
                page
            };
            for change in &page {
                batch.push_incursion(change.seq, &change.fact)?;
            }
            count += page.len();
            after = page.last().map(|last| (last.fact.started_at, last.fact.id));
            let is_last = page.len() < PAGE;
            if is_last || batch.len() >= FILL_ROWS {
                self.write(nodes, &mut batch).await;
            }
            if is_last || nodes.is_empty() {
                return Ok(count);
            }
        }
    }

    async fn copy_runtime(&self, nodes: &mut Positions, last_seq: i64) -> Result<usize, StepError> {
        let (mut batch, mut after, mut count) = (Batch::new(self.cluster().shards()), None, 0);
        loop {
            let page = {
                let _turn = self.read_turn().await?;
                let mut snapshot = self.snapshot().await?;
                let page = snapshot.fact_changes(&self.scope).runtime_by_time(after, last_seq, PAGE).await?;
                snapshot.end().await?;
                page
            };
            for change in &page {
                batch.push_runtime(change.seq, &change.fact)?;
            }
            count += page.len();
            after = page.last().map(|last| (last.fact.started_at, last.fact.id));
            let is_last = page.len() < PAGE;
            if is_last || batch.len() >= FILL_ROWS {
                self.write(nodes, &mut batch).await;
            }
            if is_last || nodes.is_empty() {
                return Ok(count);
            }
        }
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

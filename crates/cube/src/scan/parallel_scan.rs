//! Scans the chunks with several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::block::{Block, RowSelection};
use super::conditions::{Conditions, ResidualChecks};
use super::select::Selector;
use crate::storage::{BLOCK_ROWS, Chunk, Part, Table};
use crate::{Error, ScanContext};

/// The number of parts that are sampled to estimate the number of matching rows.
const SAMPLE_PARTS: usize = 8;

/// The parts of a table that may have matching rows.
#[derive(Debug)]
pub(super) struct CandidateParts {
    pub conditions: Conditions,
    pub parts: Vec<(Arc<Part>, ResidualChecks)>,
    pub rows: usize,
}

impl CandidateParts {
    pub fn new(table: &Table, conditions: Conditions) -> Self {
        let asked = |part: &Arc<Part>| {
            conditions.residual_checks(&part.summary).map(|checks| (Arc::clone(part), checks))
        };
        let parts: Vec<_> = table.parts().filter_map(asked).collect();
        let rows = parts.iter().map(|(part, _)| part.summary.rows).sum();
        Self { conditions, parts, rows }
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<Part>> {
        self.parts.iter().map(|(part, _)| part)
    }

    /// Returns the number of threads that is worth it.
    pub fn thread_count(&self, scan: &ScanContext<'_>) -> usize {
        scan.pool.current_num_threads().min(self.parts.len()).max(1)
    }

    /// Estimates the number of matching rows from a sample.
    pub fn estimate_rows(&self) -> Result<usize, Error> {
        if self.parts.iter().all(|(_, checks)| checks.is_empty()) {
            return Ok(self.rows);
        }
        let mut selector = Selector::new();
        let (mut seen, mut asked) = (0, 0);
        for (part, checks) in self.parts.iter().step_by(self.parts.len().div_ceil(SAMPLE_PARTS).max(1)) {
            let chunk = part.chunk()?;
            let from = chunk.len() / BLOCK_ROWS / 2 * BLOCK_ROWS;
            let len = BLOCK_ROWS.min(chunk.len() - from);
            seen += len;
            asked += selector.count(
                &Block { chunk, from, len, rows: RowSelection::All },
                &self.conditions,
                *checks,
            );
        }
        let likely = self.rows as u128 * asked as u128 / seen.max(1) as u128;
        Ok(usize::try_from(likely).unwrap_or(usize::MAX))
    }

    /// Passes each block with matching rows to one of several states, and returns all states.
    pub fn parallel_scan<S: Send>(
        &self,
        scan: &ScanContext<'_>,
        new_state: impl Fn() -> Result<S, Error> + Sync,
        visit: impl Fn(&mut S, &Block<'_>) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        self.parallel_scan_chunks(scan, new_state, |_, _, _| Ok(false), visit)
    }

    /// The same, but whole chunks may be handled in another way.
    pub fn parallel_scan_chunks<S: Send>(
        &self,
        scan: &ScanContext<'_>,
        new_state: impl Fn() -> Result<S, Error> + Sync,
        visit_chunk: impl Fn(&mut S, &Chunk, ResidualChecks) -> Result<bool, Error> + Sync,
        visit: impl Fn(&mut S, &Block<'_>) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let has_failed = AtomicBool::new(false);
        let outcomes = Mutex::new(Vec::new());
        let work = || {
            let mut state = new_state()?;
            let mut selector = Selector::new();
            while !has_failed.load(Ordering::Relaxed) {
                let Some((part, checks)) = self.parts.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                if (scan.is_cancelled)() {
                    return Err(Error::Cancelled);
                }
                let chunk = part.chunk()?;
                if !visit_chunk(&mut state, chunk, *checks)? {
                    selector
                        .for_each_block(chunk, &self.conditions, *checks, |block| visit(&mut state, block))?;
                }
            }
            Ok(state)
        };
        let run = || {
            let outcome = work();
            if outcome.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        };
        scan.pool.scope(|scope| {
            for _ in 0..self.thread_count(scan) {
                scope.spawn(|_| run());
            }
        });
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
    }
}

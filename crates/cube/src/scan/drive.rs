//! Goes through the chunks with all threads at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::block::Block;
use super::select::{Checks, Conditions, Selector};
use crate::storage::{Part, Table};
use crate::{Error, Scan};

/// The parts of a table that may have rows which are asked for.
#[derive(Debug)]
pub(super) struct Parts {
    pub conditions: Conditions,
    pub parts: Vec<(Arc<Part>, Checks)>,
    pub rows: usize,
}

impl Parts {
    pub fn new(table: &Table, conditions: Conditions) -> Self {
        let asked =
            |part: &Arc<Part>| conditions.checks(&part.summary).map(|checks| (Arc::clone(part), checks));
        let parts: Vec<_> = table.parts().filter_map(asked).collect();
        let rows = parts.iter().map(|(part, _)| part.summary.rows).sum();
        Self { conditions, parts, rows }
    }

    /// How many threads are worth it.
    pub fn threads(&self, scan: &Scan<'_>) -> usize {
        scan.pool.current_num_threads().min(self.parts.len()).max(1)
    }

    /// Gives each block with rows that are asked for to one of some states, and all states in the end.
    pub fn drive<S: Send>(
        &self,
        scan: &Scan<'_>,
        make: impl Fn() -> Result<S, Error> + Sync,
        visit: impl Fn(&mut S, &Block<'_>) -> Result<(), Error> + Sync,
    ) -> Result<Vec<S>, Error> {
        let next = AtomicUsize::new(0);
        let has_failed = AtomicBool::new(false);
        let outcomes = Mutex::new(Vec::new());
        let work = || {
            let mut state = make()?;
            let mut selector = Selector::new();
            while !has_failed.load(Ordering::Relaxed) {
                let Some((part, checks)) = self.parts.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                if (scan.is_cancelled)() {
                    return Err(Error::Cancelled);
                }
                let chunk = part.chunk()?;
                selector.blocks(chunk, &self.conditions, *checks, |block| visit(&mut state, block))?;
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
            for _ in 0..self.threads(scan) {
                scope.spawn(|_| run());
            }
        });
        outcomes.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
    }
}

//! What is noted while nodes are filled.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use warehouse::{Error, NodeId};

/// A node that refused its rows rests for as long as that took, within these limits: a disk may be full only when nearly all rows are
/// written, which costs as much as a fill that succeeds.
const MIN_REST: Duration = Duration::from_secs(10);
const MAX_REST: Duration = Duration::from_mins(30);
/// The same if no replica of it can answer, or if the reason is not the node.
const MAX_SHORT_REST: Duration = Duration::from_mins(5);

/// Why a node could not be filled.
#[derive(Clone, Debug)]
pub(super) struct FillFault {
    pub reason: String,
    failed_at: Instant,
    rest: Duration,
}

impl FillFault {
    /// A fault that says nothing about how the next time will end.
    pub fn passing(reason: &dyn Display) -> Self {
        Self::with_rest(reason, MIN_REST)
    }

    /// A fault that will perhaps come again, after as long.
    fn lasting(reason: &dyn Display, took: Duration) -> Self {
        Self::with_rest(reason, took.clamp(MIN_REST, MAX_REST))
    }

    fn with_rest(reason: &dyn Display, rest: Duration) -> Self {
        Self { reason: reason.to_string(), failed_at: Instant::now(), rest }
    }

    /// Whether the node, without which a shard perhaps has no other, rests.
    pub fn is_resting(&self, is_needed: bool) -> bool {
        let rest = if is_needed { self.rest.min(MAX_SHORT_REST) } else { self.rest };
        self.failed_at.elapsed() < rest
    }
}

/// Notes about a fill that is under way.
#[derive(Debug)]
pub(super) struct FillNotes(Mutex<Notes>);

#[derive(Debug)]
struct Notes {
    began_at: Instant,
    faults: BTreeMap<NodeId, FillFault>,
}

impl Default for FillNotes {
    fn default() -> Self {
        Self(Mutex::new(Notes { began_at: Instant::now(), faults: BTreeMap::new() }))
    }
}

impl FillNotes {
    /// Takes note that something begins whose duration counts apart: the writing of rows after it has waited for its turn, or that of
    /// changes after the rows.
    pub fn begin(&self) {
        self.lock().began_at = Instant::now();
    }

    /// Takes note of why a node cannot be filled.
    pub fn note_fault(&self, node: NodeId, error: &Error) {
        let mut notes = self.lock();
        let fault = match error {
            Error::Node { .. } | Error::Slow { .. } => FillFault::passing(error),
            _ => FillFault::lasting(error, notes.began_at.elapsed()),
        };
        notes.faults.insert(node, fault);
    }

    /// Returns the fault of nodes that could not be filled for a reason that is not theirs.
    pub fn failure(&self, reason: &dyn Display) -> FillFault {
        let took = self.lock().began_at.elapsed();
        FillFault::with_rest(reason, took.clamp(MIN_REST, MAX_SHORT_REST))
    }

    pub fn faults(&self) -> BTreeMap<NodeId, FillFault> {
        self.lock().faults.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::looks::tests::first_node;
    use super::*;

    /// Returns how many seconds a node rests after this fault.
    async fn rest(fault: &FillFault, is_needed: bool) -> u64 {
        let began = Instant::now();
        while fault.is_resting(is_needed) {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        began.elapsed().as_secs()
    }

    async fn rest_after(node: NodeId, took: u64, error: &Error, is_needed: bool) -> u64 {
        let notes = FillNotes::default();
        notes.begin();
        tokio::time::advance(Duration::from_secs(took)).await;
        notes.note_fault(node, error);
        rest(&notes.faults()[&node], is_needed).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_refused_its_rows_rests_for_as_long_as_that_took() {
        let (node, reason) = (first_node(), "Cannot reserve 1.00 MiB, not enough space".to_owned());
        let full = Error::Refused { node: "a".to_owned(), code: 243, reason };
        for (took, expected) in [(0, 10), (9, 10), (60, 60), (1_800, 1_800), (40_000, 1_800)] {
            assert_eq!(rest_after(node, took, &full, false).await, expected);
            assert_eq!(rest_after(node, took, &full, true).await, expected.min(300));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_away_does_not_rest_for_long() {
        let away = Error::Node { node: "a".to_owned(), reason: "closed".to_owned() };
        assert_eq!(rest_after(first_node(), 3_600, &away, false).await, 10);
        let notes = FillNotes::default();
        tokio::time::advance(Duration::from_hours(1)).await;
        assert_eq!(rest(&notes.failure(&"the database is away"), false).await, 300);
    }
}

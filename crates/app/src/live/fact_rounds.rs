//! The changes of a brand's facts that the last polls found.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::ChangeCount;

/// The most rounds, and the most counts in all of them together, which limits their memory to about a megabyte.
const MAX_ROUNDS: usize = 256;
const MAX_COUNTS: usize = 20_000;

/// What the last polls found, oldest first. Clones share the rounds.
#[derive(Clone, Debug)]
pub(super) struct FactRounds {
    /// The sequence number after which the oldest round begins.
    base: i64,
    rounds: VecDeque<Arc<Round>>,
    counts: usize,
}

#[derive(Debug)]
struct Round {
    /// The last sequence number of the round.
    seq: i64,
    counts: Vec<ChangeCount>,
}

impl FactRounds {
    pub fn starting_at(seq: i64) -> Self {
        Self { base: seq, rounds: VecDeque::new(), counts: 0 }
    }

    /// Returns the last sequence number that is known.
    pub fn seq(&self) -> i64 {
        self.rounds.back().map_or(self.base, |round| round.seq)
    }

    /// Returns the sequence number after which everything is known.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// Adds the changes after one number and up to another. If they do not follow what is known, only they are known from then on.
    pub fn push(&mut self, after: i64, seq: i64, counts: Vec<ChangeCount>) {
        if after != self.seq() {
            *self = Self::starting_at(after);
        }
        self.counts += counts.len();
        self.rounds.push_back(Arc::new(Round { seq, counts }));
        while self.rounds.len() > MAX_ROUNDS || (self.counts > MAX_COUNTS && self.rounds.len() > 1) {
            let Some(oldest) = self.rounds.pop_front() else { return };
            self.base = oldest.seq;
            self.counts -= oldest.counts.len();
        }
    }

    /// Whether the changes after a number are known, no more and no fewer: it is the end of a round.
    pub fn begins_after(&self, seq: i64) -> bool {
        seq == self.base || self.rounds.iter().any(|round| round.seq == seq)
    }

    /// Returns the changes of the rounds that end after a number.
    pub fn after(&self, seq: i64) -> impl Iterator<Item = &ChangeCount> {
        let rounds = self.rounds.iter().filter(move |round| round.seq > seq);
        rounds.flat_map(|round| round.counts.iter())
    }
}

#[cfg(test)]
mod tests {
    use domain::WorksiteId;

    use super::*;

    fn count(added: i64) -> ChangeCount {
        ChangeCount { project: None, worksite: Some(WorksiteId(1)), added, changed: 0, runtime: 0 }
    }

    fn added(rounds: &FactRounds, after: i64) -> i64 {
        rounds.after(after).map(|count| count.added).sum()
    }

    #[test]
    fn rounds_are_summed_from_any_end_of_one() {
        let mut rounds = FactRounds::starting_at(10);
        rounds.push(10, 12, vec![count(2)]);
        rounds.push(12, 15, vec![count(3)]);
        assert_eq!((rounds.base(), rounds.seq()), (10, 15));
        assert_eq!([10, 12, 15].map(|seq| added(&rounds, seq)), [5, 3, 0]);
        assert_eq!([9, 10, 11, 12, 15].map(|seq| rounds.begins_after(seq)), [false, true, false, true, true]);
    }

    #[test]
    fn a_gap_and_too_many_rounds_move_the_base() {
        let mut rounds = FactRounds::starting_at(0);
        rounds.push(0, 1, vec![count(1)]);
        rounds.push(100, 101, vec![count(1)]);
        assert_eq!((rounds.base(), added(&rounds, 100)), (100, 1));
        for seq in 101..1_000 {
            rounds.push(seq, seq + 1, vec![count(1)]);
        }
        assert_eq!((rounds.seq() - rounds.base(), rounds.seq()), (256, 1_000));
        rounds.push(1_000, 1_001, vec![count(1); MAX_COUNTS + 1]);
        assert_eq!((rounds.base(), rounds.seq()), (1_000, 1_001));
    }
}

//! Additive totals: counts and sums of durations.

use domain::insights::Measure;
use rayon::prelude::*;

use super::budget::MemoryBudget;
use crate::Error;

/// The totals that are needed besides the row count, which is always needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NeededTotals {
    pub acknowledged: bool,
    pub ended: bool,
    pub length: bool,
    pub ack_time: bool,
}

impl NeededTotals {
    pub fn of(measures: &[Measure]) -> Self {
        let mut needs = Self::default();
        for measure in measures {
            match measure {
                Measure::Acknowledged | Measure::Unacknowledged | Measure::AcknowledgementRate => {
                    needs.acknowledged = true;
                }
                Measure::AverageDuration => (needs.ended, needs.length) = (true, true),
                Measure::Exposure => needs.length = true,
                Measure::AverageAckTime => (needs.acknowledged, needs.ack_time) = (true, true),
                Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
                    needs.ended = true;
                }
                Measure::Incursions
                | Measure::Machines
                | Measure::Pedestrians
                | Measure::Operators
                | Measure::RuntimeHours
                | Measure::IncursionsPerRuntimeHour => {}
            }
        }
        needs
    }

    /// Returns the bytes per group.
    pub fn bytes(self) -> usize {
        let counts = 1 + usize::from(self.acknowledged) + usize::from(self.ended);
        counts * 4 + usize::from(self.length) * 8 + usize::from(self.ack_time) * 8
    }
}

/// The totals of groups. Columns that are not needed are empty.
#[derive(Debug)]
pub(super) struct Totals {
    pub needs: NeededTotals,
    pub count: Vec<u32>,
    pub acknowledged: Vec<u32>,
    pub ended: Vec<u32>,
    pub length: Vec<i64>,
    pub ack_time: Vec<i64>,
}

impl Totals {
    pub fn new(needs: NeededTotals, groups: usize, budget: &MemoryBudget) -> Result<Self, Error> {
        let mut totals = Self {
            needs,
            count: Vec::new(),
            acknowledged: Vec::new(),
            ended: Vec::new(),
            length: Vec::new(),
            ack_time: Vec::new(),
        };
        totals.reserve_groups(groups, budget)?;
        Ok(totals)
    }

    /// Makes room for a number of groups.
    pub fn reserve_groups(&mut self, groups: usize, budget: &MemoryBudget) -> Result<(), Error> {
        let had = self.count.len();
        if groups <= had {
            return Ok(());
        }
        let groups = if had == 0 { groups } else { groups.max(had * 2) };
        budget.reserve((groups - had).saturating_mul(self.needs.bytes()))?;
        grow(&mut self.count, groups, true);
        grow(&mut self.acknowledged, groups, self.needs.acknowledged);
        grow(&mut self.ended, groups, self.needs.ended);
        grow(&mut self.length, groups, self.needs.length);
        grow(&mut self.ack_time, groups, self.needs.ack_time);
        Ok(())
    }

    /// Adds a group of other totals to one of its own groups.
    pub fn add_group(&mut self, own: usize, other: &Self, group: usize) {
        self.count[own] += other.count[group];
        if self.needs.acknowledged {
            self.acknowledged[own] += other.acknowledged[group];
        }
        if self.needs.ended {
            self.ended[own] += other.ended[group];
        }
        if self.needs.length {
            self.length[own] = self.length[own].saturating_add(other.length[group]);
        }
        if self.needs.ack_time {
            self.ack_time[own] = self.ack_time[own].saturating_add(other.ack_time[group]);
        }
    }

    /// Adds other totals with the same groups.
    pub fn add_all(&mut self, other: &Self) {
        add_elementwise(&mut self.count, &other.count, |own, other| own + other);
        add_elementwise(&mut self.acknowledged, &other.acknowledged, |own, other| own + other);
        add_elementwise(&mut self.ended, &other.ended, |own, other| own + other);
        add_elementwise(&mut self.length, &other.length, i64::saturating_add);
        add_elementwise(&mut self.ack_time, &other.ack_time, i64::saturating_add);
    }
}

fn grow<T: Clone + Default>(values: &mut Vec<T>, len: usize, is_needed: bool) {
    if !is_needed {
        return;
    }
    if values.is_empty() {
        // Fresh pages are already zero.
        *values = vec![T::default(); len];
    } else {
        values.resize(len, T::default());
    }
}

fn add_elementwise<T: Copy + Send + Sync>(own: &mut [T], other: &[T], add: fn(T, T) -> T) {
    /// The number of groups that is worth a thread.
    const STRETCH: usize = 1 << 15;
    own.par_chunks_mut(STRETCH).zip(other.par_chunks(STRETCH)).for_each(|(own, other)| {
        own.iter_mut().zip(other).for_each(|(own, other)| *own = add(*own, *other));
    });
}

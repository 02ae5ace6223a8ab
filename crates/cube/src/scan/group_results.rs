//! The results of one grouping.

use domain::insights::Measure;

use super::accumulator::Accumulator;
use super::budget::MemoryBudget;
use super::grouper::{GroupNumbering, GroupSet, Grouper};
use super::totals::{NeededTotals, Totals};
use crate::Error;

/// The groups of a grouping with their results.
#[derive(Debug)]
pub(super) struct GroupResults {
    pub groups: GroupSet,
    pub totals: Totals,
    /// The number of runtime pieces per group, and their milliseconds; `None` if runtime is unknown or not requested.
    pub runtime: Option<(Vec<u32>, Vec<i64>)>,
    /// Distinct counts by measure.
    pub distinct: Vec<(Measure, Vec<u32>)>,
    /// Percentiles by measure, for the groups that have a duration.
    pub percentiles: Vec<(Measure, Vec<i64>)>,
    /// The compact indexes of non-empty groups, built when they are needed.
    pub compact_index: Option<CompactIndex>,
}

impl GroupResults {
    pub fn new(counting: GroupNumbering, needs: NeededTotals, budget: &MemoryBudget) -> Result<Self, Error> {
        let groups = GroupSet::empty(counting);
        let totals = Totals::new(needs, groups.len(), budget)?;
        Ok(Self {
            groups,
            totals,
            runtime: None,
            distinct: Vec::new(),
            percentiles: Vec::new(),
            compact_index: None,
        })
    }

    /// Merges the results of all threads.
    pub fn merge(
        states: Vec<(Grouper<'_>, Accumulator)>,
        counting: GroupNumbering,
        needs: NeededTotals,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let mut states = states.into_iter();
        let Some((grouper, adding)) = states.next() else { return Self::new(counting, needs, budget) };
        let mut found = Self {
            groups: grouper.into_groups(counting),
            totals: adding.finish(),
            runtime: None,
            distinct: Vec::new(),
            percentiles: Vec::new(),
            compact_index: None,
        };
        for (grouper, adding) in states {
            let totals = adding.finish();
            let groups = grouper.into_groups(counting);
            match &groups {
                GroupSet::Dense(_) => found.totals.add_all(&totals),
                hashed => {
                    for group in 0..hashed.len() {
                        let own = found.groups.get_or_insert(hashed.number(group), budget)?;
                        found.totals.reserve_groups(own + 1, budget)?;
                        found.totals.add_group(own, &totals, group);
                    }
                }
            }
        }
        Ok(found)
    }

    pub fn count(&self, group: usize) -> u32 {
        self.totals.count.get(group).copied().unwrap_or(0)
    }

    /// Returns whether a group has any facts.
    pub fn has_facts(&self, group: usize) -> bool {
        self.count(group) > 0 || self.runtime.as_ref().is_some_and(|(pieces, _)| pieces.get(group) > Some(&0))
    }
}

/// Consecutive indexes for some of the groups.
#[derive(Debug)]
pub(super) struct CompactIndex {
    /// The compact index of each group, or [`CompactIndex::NONE`].
    pub positions: Vec<u32>,
    pub len: usize,
}

impl CompactIndex {
    pub const NONE: u32 = u32::MAX;

    pub fn new(kept: impl Iterator<Item = bool>) -> Self {
        let mut len = 0;
        let place = |is_kept: bool| {
            if !is_kept {
                return Self::NONE;
            }
            len += 1;
            len - 1
        };
        let places = kept.map(place).collect();
        Self { positions: places, len: len as usize }
    }
}

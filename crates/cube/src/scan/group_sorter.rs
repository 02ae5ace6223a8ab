//! Orders and limits groups. `Groups::sort_and_limit` of the domain defines the order; here it is done on counters, because there may be
//! millions of groups of which a hundred are wanted.

use std::cmp;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::insights::{Group, GroupOrder, Grouping, Groups, Measure};
use rayon::prelude::*;

use super::budget::MemoryBudget;
use super::figure::figure;
use super::group_results::GroupResults;
use super::key_space::KeySpace;
use crate::{Error, Snapshot};

/// The number of groups that a thread scans at a time.
const TASK_GROUPS: usize = 1 << 16;

/// The number of groups that are skipped together.
const SKIP_GROUPS: usize = 64;

/// The candidates that a thread has found so far.
struct TopCandidates {
    candidates: Vec<Candidate>,
    /// Groups with a higher rank are not among the first.
    worst_rank: u64,
    limit: usize,
    /// The number of candidates at which the excess is dropped.
    capacity: usize,
}

/// A rank and a group. A lower rank comes first, and equal ranks are ordered by key.
type Candidate = (u64, u32);

/// The inputs for sorting groups.
pub(super) struct GroupSorter<'a> {
    pub snapshot: &'a Snapshot,
    pub measures: &'a [Measure],
    pub grouping: &'a Grouping,
    pub space: &'a KeySpace,
    pub results: &'a GroupResults,
    pub budget: &'a MemoryBudget,
}

impl GroupSorter<'_> {
    /// Returns the groups in order. It must be called on the thread pool.
    pub fn sort_and_limit(&self) -> Result<Groups, Error> {
        let is_all = self.space.axes.is_empty();
        let limit = self.grouping.limit.unwrap_or(usize::MAX);
        let stretches = self.results.groups.len().div_ceil(TASK_GROUPS);
        let fewest = AtomicU32::new(0);
        let looked: Vec<(Vec<Candidate>, u64)> = (0..stretches)
            .into_par_iter()
            .map(|stretch| self.collect_candidates(stretch, limit, &fewest))
            .collect();
        let count: u64 = looked.iter().map(|(_, count)| count).sum();
        if is_all && count == 0 {
            // The grand total is one group even if there are no facts.
            return Ok(self.groups(&[(0, 0)][..1.min(limit)], 1));
        }
        let kept: usize = looked.iter().map(|(places, _)| places.len()).sum();
        let each = 64 + self.space.axes.len() * 16 + self.measures.len() * 40;
        self.budget.reserve(
            kept.saturating_mul(size_of::<Candidate>() + 24) + kept.min(limit).saturating_mul(each),
        )?;
        let places = looked.into_iter().flat_map(|(places, _)| places).collect();
        Ok(self.groups(&self.sort_candidates(places, limit), count))
    }

    /// Returns the candidates in a range of groups, and the number of its non-empty groups. When groups are ordered by row count, most are
    /// skipped with one comparison, because enough others, in this or another range, have more rows.
    fn collect_candidates(
        &self,
        stretch: usize,
        limit: usize,
        min_rows: &AtomicU32,
    ) -> (Vec<Candidate>, u64) {
        let begin = stretch * TASK_GROUPS;
        let end = self.results.groups.len().min(begin + TASK_GROUPS);
        let mut looking = TopCandidates {
            candidates: Vec::new(),
            worst_rank: u64::MAX,
            limit,
            capacity: limit.saturating_mul(2).max(1_024),
        };
        let rows = self.results.totals.count.get(begin..end).unwrap_or_default();
        if self.results.runtime.is_some() || !self.is_by_row_count() || rows.len() < end - begin {
            let there = (begin..end).filter(|group| self.results.has_facts(*group));
            let count = there.map(|group| self.offer(group, &mut looking)).count() as u64;
            return (self.truncate_to_limit(looking.candidates, limit), count);
        }
        let mut count = 0;
        for (at, rows) in rows.chunks(SKIP_GROUPS).enumerate() {
            count += rows.iter().map(|rows| u64::from(*rows > 0)).sum::<u64>();
            let least = min_rows.load(Ordering::Relaxed).max(1);
            if rows.iter().copied().max() < Some(least) {
                continue;
            }
            for (group, rows) in (begin + at * SKIP_GROUPS..).zip(rows) {
                if *rows >= least && self.offer(group, &mut looking) {
                    let own =
                        looking.candidates.iter().map(|(_, group)| self.results.count(*group as usize)).min();
                    min_rows.fetch_max(own.unwrap_or(u32::MAX), Ordering::Relaxed);
                }
            }
        }
        (self.truncate_to_limit(looking.candidates, limit), count)
    }

    /// Adds a group if it may be among the first. Returns whether there are exactly enough candidates now.
    fn offer(&self, group: usize, candidates: &mut TopCandidates) -> bool {
        let rank = self.rank(group);
        if rank > candidates.worst_rank {
            return false;
        }
        candidates.candidates.push((rank, u32::try_from(group).unwrap_or(u32::MAX)));
        if candidates.candidates.len() < candidates.capacity {
            return false;
        }
        candidates.candidates =
            self.truncate_to_limit(std::mem::take(&mut candidates.candidates), candidates.limit);
        candidates.worst_rank = candidates.candidates.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        true
    }

    /// Returns whether groups with the most rows come first.
    fn is_by_row_count(&self) -> bool {
        matches!(self.grouping.order, GroupOrder::Descending(at) if self.measures.get(at) == Some(&Measure::Incursions))
    }

    /// Keeps the first `limit` candidates.
    fn truncate_to_limit(&self, mut places: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
        if limit == 0 {
            places.clear();
        } else if places.len() > limit {
            places.select_nth_unstable_by(limit - 1, |left, right| self.compare(*left, *right));
            places.truncate(limit);
        }
        places
    }

    fn compare(&self, left: Candidate, right: Candidate) -> cmp::Ordering {
        let number = |place: Candidate| self.results.groups.number(place.1 as usize);
        let by_keys = || self.space.compare_keys(number(left), number(right), self.snapshot);
        left.0.cmp(&right.0).then_with(by_keys)
    }

    /// Returns the rank of a group by the ordering measure. Lower ranks come first, and groups without a value come last.
    fn rank(&self, group: usize) -> u64 {
        let (at, is_falling) = match self.grouping.order {
            GroupOrder::ByKeys => return 0,
            GroupOrder::Ascending(at) => (at, false),
            GroupOrder::Descending(at) => (at, true),
        };
        let Some(measure) = self.measures.get(at).copied() else { return 0 };
        let Ok(value) = figure(self.results, group, measure).value(measure) else { return u64::MAX };
        let bits = value.to_bits();
        // The order of `total_cmp` as unsigned numbers.
        let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        if is_falling { !rising } else { rising }
    }

    /// Returns the first `limit` candidates in order.
    fn sort_candidates(&self, mut places: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
        places = self.truncate_to_limit(places, limit);
        let Some(ranks) = self.key_ranks(&places) else {
            places.par_sort_unstable_by(|left, right| self.compare(*left, *right));
            return places;
        };
        let mut ranked: Vec<(u64, u64, u32)> =
            places.iter().zip(ranks).map(|((rank, group), by_keys)| (*rank, by_keys, *group)).collect();
        ranked.par_sort_unstable();
        ranked.into_iter().map(|(rank, _, group)| (rank, group)).collect()
    }

    /// Returns a number for each group that orders it by its keys, so that keys are compared once per position on an axis instead of once
    /// per comparison. Returns `None` if such numbers would be too large.
    fn key_ranks(&self, places: &[Candidate]) -> Option<Vec<u64>> {
        let mut ranks = vec![0_u64; places.len()];
        let mut size = 1_u64;
        for axis in 0..self.space.axes.len() {
            let of = |place: &Candidate| {
                self.space.axis_position(self.results.groups.number(place.1 as usize), axis)
            };
            let own: Vec<u64> = places.par_iter().map(of).collect();
            let mut there = own.clone();
            there.par_sort_unstable();
            there.dedup();
            let key = |place: u64| {
                let key = self.space.axes[axis].key(place, self.snapshot);
                (key.is_none(), key, place)
            };
            let mut keys: Vec<_> = there.iter().map(|place| key(*place)).collect();
            keys.sort_unstable();
            let mut by_place: Vec<(u64, u64)> =
                keys.into_iter().zip(0..).map(|((_, _, place), rank)| (place, rank)).collect();
            by_place.sort_unstable();
            size = size.checked_mul(by_place.len().max(1) as u64)?;
            for (rank, place) in ranks.iter_mut().zip(own) {
                let found = by_place.binary_search_by_key(&place, |(place, _)| *place).unwrap_or(0);
                *rank = *rank * by_place.len() as u64 + by_place.get(found).map_or(0, |(_, rank)| *rank);
            }
        }
        Some(ranks)
    }

    fn groups(&self, places: &[Candidate], count: u64) -> Groups {
        let group = |place: &Candidate| {
            let at = place.1 as usize;
            let number = if at < self.results.groups.len() { self.results.groups.number(at) } else { 0 };
            let figures = self.measures.iter().map(|measure| figure(self.results, at, *measure)).collect();
            Group { keys: self.space.keys(number, self.snapshot), figures }
        };
        let groups: Vec<Group> = places.par_iter().with_min_len(1_024).map(group).collect();
        Groups { more: count - groups.len() as u64, groups }
    }
}

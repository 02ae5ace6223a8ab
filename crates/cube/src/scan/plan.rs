//! Plans and executes a question.

use domain::insights::{Answer, Grouping, Measure, Question};

use super::accumulator::Accumulator;
use super::axis::{AxisContext, DayRange};
use super::budget::MemoryBudget;
use super::conditions::{Conditions, FactKind, ResidualChecks};
use super::distinct::{DistinctBitmap, DistinctPairs, MAX_BITMAP_BYTES, distinct_link};
use super::group_results::{CompactIndex, GroupResults};
use super::group_sorter::GroupSorter;
use super::grouper::{GroupNumbering, Grouper};
use super::key_space::KeySpace;
use super::parallel_scan::CandidateParts;
use super::percentiles::PercentileScan;
use super::rollup::roll_up;
use super::runtime;
use super::totals::NeededTotals;
use crate::storage::{Chunk, ensure_at_hand};
use crate::{Error, ScanContext, Snapshot};

/// Up to this size, groups are always numbered densely.
const MAX_ALWAYS_DENSE_GROUPS: u64 = 1 << 16;

/// One grouping, and how its groups are found.
struct GroupingPlan<'a> {
    grouping: &'a Grouping,
    key_space: KeySpace,
    numbering: GroupNumbering,
    /// The finer grouping that it is rolled up from, and its axes there.
    rollup_from: Option<(usize, Vec<usize>)>,
}

/// The aggregates of a chunk that can replace its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AggregatedBy {
    Day,
    Worksite,
}

/// What one thread has found of a grouping.
struct GroupingState<'a> {
    grouper: Grouper<'a>,
    accumulator: Accumulator,
    aggregated_by: Option<AggregatedBy>,
    /// Whether the current chunk has been added from its aggregates.
    is_chunk_added: bool,
}

/// The plan of a question, made before any row is scanned.
pub(super) struct Plan<'a> {
    snapshot: &'a Snapshot,
    question: &'a Question,
    scan: &'a ScanContext<'a>,
    budget: MemoryBudget,
    incursions: CandidateParts,
    /// `None` if runtime is not requested, or unknown.
    runtime: Option<CandidateParts>,
    day_range: DayRange,
    needs: NeededTotals,
    grouping_plans: Vec<GroupingPlan<'a>>,
}

impl GroupingPlan<'_> {
    /// Returns the aggregates that its groups can be computed from, if there are any.
    fn aggregated_by(&self) -> Option<AggregatedBy> {
        match self.numbering {
            GroupNumbering::Dense(_) if self.key_space.only_days_and_flags() => Some(AggregatedBy::Day),
            GroupNumbering::Dense(_) if self.key_space.only_worksites_and_flags() => {
                Some(AggregatedBy::Worksite)
            }
            _ => None,
        }
    }
}

impl<'a> Plan<'a> {
    pub fn new(
        snapshot: &'a Snapshot,
        question: &'a Question,
        scan: &'a ScanContext<'a>,
    ) -> Result<Self, Error> {
        let conditions = |facts| Conditions::new(snapshot, question, scan.attributes, facts);
        let incursions = CandidateParts::new(&snapshot.incursions, conditions(FactKind::Incursions));
        let has_runtime = question.needs_runtime() && question.filter.applies_to_runtime();
        let runtime =
            has_runtime.then(|| CandidateParts::new(&snapshot.runtime, conditions(FactKind::Runtime)));
        ensure_at_hand(std::iter::once(&incursions).chain(&runtime).flat_map(CandidateParts::all))?;
        let days = day_range(&incursions, runtime.as_ref());
        let mut plan = Self {
            snapshot,
            question,
            scan,
            budget: MemoryBudget::new(scan.max_memory_bytes),
            needs: NeededTotals::of(&question.measures),
            incursions,
            runtime,
            day_range: days,
            grouping_plans: Vec::new(),
        };
        plan.grouping_plans = plan.plan_groupings()?;
        Ok(plan)
    }

    fn plan_groupings(&self) -> Result<Vec<GroupingPlan<'a>>, Error> {
        let context = AxisContext {
            snapshot: self.snapshot,
            attributes: self.scan.attributes,
            conditions: &self.incursions.conditions,
            days: self.day_range,
        };
        let spaces: Vec<KeySpace> =
            self.question.groupings.iter().map(|grouping| KeySpace::new(grouping, &context)).collect();
        let is_large = |space: &KeySpace| space.size_64().is_none_or(|size| size > MAX_ALWAYS_DENSE_GROUPS);
        let mut rows = 0;
        if spaces.iter().any(is_large) {
            for parts in std::iter::once(&self.incursions).chain(&self.runtime) {
                rows += parts.estimate_rows()? as u64;
            }
        }
        let mut ways = Vec::with_capacity(spaces.len());
        for (grouping, space) in self.question.groupings.iter().zip(spaces) {
            let counting = self.choose_numbering(&space, rows)?;
            ways.push(GroupingPlan { grouping, key_space: space, numbering: counting, rollup_from: None });
        }
        let is_base: Vec<bool> =
            (0..ways.len()).map(|at| !(0..ways.len()).any(|other| is_finer(&ways, other, at))).collect();
        for at in 0..ways.len() {
            let finer = (0..ways.len()).filter(|other| is_base[*other] && is_finer(&ways, *other, at));
            let best = finer.min_by_key(|other| (ways[*other].key_space.size.unwrap_or(u128::MAX), *other));
            ways[at].rollup_from =
                best.and_then(|finer| Some((finer, ways[at].key_space.axes_in(&ways[finer].key_space)?)));
        }
        Ok(ways)
    }

    /// Numbers groups densely if that takes little memory and there are likely more rows than groups, because empty groups have a cost too.
    fn choose_numbering(&self, space: &KeySpace, rows: u64) -> Result<GroupNumbering, Error> {
        let max = (rows / 2).max(MAX_ALWAYS_DENSE_GROUPS);
        let threads = self.incursions.thread_count(self.scan) as u64 + 1;
        let bytes =
            |size: u64| size.saturating_mul(Accumulator::bytes(self.needs) as u64).saturating_mul(threads);
        let is_dense = |size: &u64| {
            *size <= max && *size < u64::from(u32::MAX) && bytes(*size) <= self.budget.limit_bytes() / 2
        };
        if let Some(size) = space.size_64().filter(is_dense) {
            return Ok(GroupNumbering::Dense(usize::try_from(size).unwrap_or(usize::MAX)));
        }
        match (space.size_64(), space.size) {
            (Some(_), _) => Ok(GroupNumbering::Hashed64),
            (None, Some(_)) => Ok(GroupNumbering::Hashed128),
            (None, None) => {
                let limit_bytes = self.budget.limit_bytes();
                Err(Error::TooLarge { needed_bytes: u64::MAX, limit_bytes })
            }
        }
    }

    pub fn execute(&self) -> Result<Answer, Error> {
        let (mut found, bits) = self.aggregate()?;
        if let Some(parts) = &self.runtime {
            let known = self
                .grouping_plans
                .iter()
                .zip(&mut found)
                .filter(|(way, _)| way.grouping.applies_to_runtime());
            let mut ways: Vec<_> = known.map(|(way, found)| (&way.key_space, way.numbering, found)).collect();
            runtime::add_runtime(&mut ways, parts, self.day_range.0, self.scan, &self.budget)?;
        }
        for ((way, found), bits) in self.grouping_plans.iter().zip(&mut found).zip(&bits) {
            self.count_distinct(way, found, bits)?;
            self.compute_percentiles(way, found)?;
        }
        let arranged = self.scan.pool.install(|| {
            let arrange = |(way, found): (&GroupingPlan<'_>, &GroupResults)| {
                let arranging = GroupSorter {
                    snapshot: self.snapshot,
                    measures: &self.question.measures,
                    grouping: way.grouping,
                    space: &way.key_space,
                    results: found,
                    budget: &self.budget,
                };
                arranging.sort_and_limit()
            };
            self.grouping_plans.iter().zip(&found).map(arrange).collect::<Result<_, _>>()
        });
        Ok(Answer { groupings: arranged? })
    }

    fn distinct_measures(&self) -> impl Iterator<Item = Measure> + '_ {
        self.question.measures.iter().copied().filter(|measure| distinct_link(*measure).is_some())
    }

    /// Counts rows, sums durations and fills the distinct bitmaps, in one pass.
    #[expect(clippy::type_complexity, reason = "it is destructured immediately")]
    fn aggregate(&self) -> Result<(Vec<GroupResults>, Vec<Vec<(Measure, DistinctBitmap)>>), Error> {
        let bits = self
            .grouping_plans
            .iter()
            .map(|way| self.distinct_bitmaps(way))
            .collect::<Result<Vec<_>, Error>>()?;
        let is_passive = |at: usize| self.grouping_plans[at].rollup_from.is_some() && bits[at].is_empty();
        let make = || {
            let of = |(at, way): (usize, &GroupingPlan<'_>)| {
                if is_passive(at) {
                    return Ok(None);
                }
                let size = match way.numbering {
                    GroupNumbering::Dense(size) if way.rollup_from.is_none() => size,
                    _ => 0,
                };
                Ok(Some(GroupingState {
                    grouper: Grouper::new(&way.key_space, way.numbering, self.day_range.0),
                    accumulator: Accumulator::new(self.needs, size, &self.budget)?,
                    aggregated_by: way.aggregated_by().filter(|_| bits[at].is_empty()),
                    is_chunk_added: false,
                }))
            };
            self.grouping_plans.iter().enumerate().map(of).collect::<Result<Vec<_>, Error>>()
        };
        let whole = |states: &mut Vec<Option<GroupingState<'_>>>, chunk: &Chunk, checks: ResidualChecks| {
            let mut are_all_added = true;
            for state in states.iter_mut().flatten() {
                state.is_chunk_added = self.add_aggregates(chunk, checks, state);
                are_all_added &= state.is_chunk_added;
            }
            Ok(are_all_added)
        };
        let states = self.incursions.parallel_scan_chunks(self.scan, make, whole, |states, block| {
            for (at, state) in states.iter_mut().enumerate() {
                let Some(state) = state.as_mut().filter(|state| !state.is_chunk_added) else { continue };
                let GroupingState { grouper, accumulator: adding, .. } = state;
                if bits[at].is_empty()
                    && let Some(split) = grouper.split_by_day(block)
                {
                    adding.add_by_day(block, &split);
                    continue;
                }
                let (groups, met) = grouper.group(block, &self.budget)?;
                for (measure, bits) in &bits[at] {
                    if let Some(link) = distinct_link(*measure) {
                        bits.add(block, groups, link);
                    }
                }
                if self.grouping_plans[at].rollup_from.is_none() {
                    adding.reserve_groups(met, &self.budget)?;
                    adding.add(block, groups);
                }
            }
            Ok(())
        })?;
        let mut found: Vec<Option<GroupResults>> = self.grouping_plans.iter().map(|_| None).collect();
        let mut states: Vec<_> = states.into_iter().map(Vec::into_iter).collect();
        for (way, found) in self.grouping_plans.iter().zip(&mut found) {
            let own = states.iter_mut().filter_map(|state| state.next().flatten());
            let own = own.map(|state| (state.grouper, state.accumulator)).collect::<Vec<_>>();
            if way.rollup_from.is_none() {
                let merge = || GroupResults::merge(own, way.numbering, self.needs, &self.budget);
                *found = Some(self.scan.pool.install(merge)?);
            }
        }
        for (at, way) in self.grouping_plans.iter().enumerate() {
            if let Some((finer, axes)) = &way.rollup_from
                && let Some(fine) = found[*finer].take()
            {
                let fine_space = &self.grouping_plans[*finer].key_space;
                let rolled = roll_up(
                    (&fine, fine_space),
                    (&way.key_space, way.numbering),
                    axes,
                    self.needs,
                    &self.budget,
                )?;
                (found[at], found[*finer]) = (Some(rolled), Some(fine));
            }
        }
        Ok((found.into_iter().flatten().collect(), bits))
    }

    /// Adds the aggregates of a chunk instead of its rows; returns whether that is possible.
    fn add_aggregates(&self, chunk: &Chunk, checks: ResidualChecks, state: &mut GroupingState<'_>) -> bool {
        let (by, sums) = match state.aggregated_by {
            Some(by @ AggregatedBy::Day) if checks.only_days_and_flags() => (by, chunk.daily_aggregates()),
            Some(by @ AggregatedBy::Worksite) if checks.only_flags() => (by, chunk.worksite_aggregates()),
            _ => return false,
        };
        let Some(sums) = sums else { return false };
        let conditions = &self.incursions.conditions;
        let (from, to) = conditions.day_codes(chunk);
        for sum in sums.iter().filter(|sum| conditions.has_flags(sum.flags.0)) {
            let group = match by {
                AggregatedBy::Day if !(from..to).contains(&sum.code) => continue,
                AggregatedBy::Day => {
                    state.grouper.group_of_day(chunk.first_day + i64::from(sum.code), sum.flags)
                }
                AggregatedBy::Worksite => state.grouper.group_of_worksite(sum.code, sum.flags),
            };
            if let Some(group) = group {
                state.accumulator.add_aggregate(group as usize, sum);
            }
        }
        true
    }

    /// Allocates the bitmap of each distinct measure, unless it would be too large.
    fn distinct_bitmaps(&self, way: &GroupingPlan<'_>) -> Result<Vec<(Measure, DistinctBitmap)>, Error> {
        let GroupNumbering::Dense(groups) = way.numbering else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for measure in self.distinct_measures() {
            let Some(link) = distinct_link(measure) else { continue };
            let codes = self.snapshot.dictionaries.of(link).code_count();
            if DistinctBitmap::bytes(groups, codes) > MAX_BITMAP_BYTES {
                return Ok(Vec::new());
            }
            all.push((measure, DistinctBitmap::new(groups, codes, &self.budget)?));
        }
        Ok(all)
    }

    /// Counts distinct entities per group.
    fn count_distinct(
        &self,
        way: &GroupingPlan<'_>,
        found: &mut GroupResults,
        bits: &[(Measure, DistinctBitmap)],
    ) -> Result<(), Error> {
        let is_needed = self.distinct_measures().next().is_some() || self.percentiles().next().is_some();
        if !is_needed {
            return Ok(());
        }
        let groups = found.groups.len();
        self.budget.reserve(groups * 4)?;
        let compact = CompactIndex::new((0..groups).map(|group| found.count(group) > 0));
        for (measure, bits) in bits {
            let counts = bits.counts();
            let kept =
                counts.into_iter().zip(&compact.positions).filter(|(_, place)| **place != CompactIndex::NONE);
            found.distinct.push((*measure, kept.map(|(count, _)| count).collect()));
        }
        if bits.is_empty() {
            for measure in self.distinct_measures() {
                let counts = self.count_distinct_in_own_pass(way, found, &compact, measure)?;
                found.distinct.push((measure, counts));
            }
        }
        found.compact_index = Some(compact);
        Ok(())
    }

    /// The same in a separate pass, once the groups are known.
    fn count_distinct_in_own_pass(
        &self,
        way: &GroupingPlan<'_>,
        found: &GroupResults,
        compact: &CompactIndex,
        measure: Measure,
    ) -> Result<Vec<u32>, Error> {
        let Some(link) = distinct_link(measure) else { return Ok(Vec::new()) };
        let codes = self.snapshot.dictionaries.of(link).code_count();
        let grouper = || Grouper::for_existing_groups(&way.key_space, &found.groups, self.day_range.0);
        if DistinctBitmap::bytes(compact.len, codes) <= MAX_BITMAP_BYTES {
            let bits = DistinctBitmap::new(compact.len, codes, &self.budget)?;
            self.incursions.parallel_scan(
                self.scan,
                || Ok(grouper()),
                |grouper, block| {
                    bits.add_compact(block, grouper.group(block, &self.budget)?.0, link, compact);
                    Ok(())
                },
            )?;
            return Ok(bits.counts());
        }
        let make = || Ok((grouper(), DistinctPairs::default()));
        let states = self.incursions.parallel_scan(self.scan, make, |(grouper, pairs), block| {
            pairs.add(block, grouper.group(block, &self.budget)?.0, link, compact, &self.budget)
        })?;
        let lists = states.into_iter().map(|(_, pairs)| pairs).collect();
        DistinctPairs::counts(lists, compact.len, &self.budget)
    }

    fn percentiles(&self) -> impl Iterator<Item = (Measure, i64)> + '_ {
        self.question.measures.iter().filter_map(|measure| Some((*measure, measure.percentile()?)))
    }

    /// Computes percentiles per group.
    fn compute_percentiles(&self, way: &GroupingPlan<'_>, found: &mut GroupResults) -> Result<(), Error> {
        let (measures, hundredths): (Vec<Measure>, Vec<i64>) = self.percentiles().unzip();
        let Some(compact) = found.compact_index.as_ref().filter(|_| !measures.is_empty()) else {
            return Ok(());
        };
        let mut ended = vec![0; compact.len];
        for (place, count) in compact.positions.iter().zip(&found.totals.ended) {
            if *place != CompactIndex::NONE {
                ended[*place as usize] = *count;
            }
        }
        let ranking = PercentileScan {
            parts: &self.incursions,
            scan: self.scan,
            budget: &self.budget,
            compact,
            ended: &ended,
        };
        let grouper = || Grouper::for_existing_groups(&way.key_space, &found.groups, self.day_range.0);
        let ranked = ranking.compute(&hundredths, &grouper)?;
        found.percentiles = measures.into_iter().zip(ranked).collect();
        Ok(())
    }
}

/// Returns whether the groups of one plan can be rolled up from another's.
fn is_finer(ways: &[GroupingPlan<'_>], finer: usize, at: usize) -> bool {
    let (fine, coarse) = (&ways[finer].key_space, &ways[at].key_space);
    // Of plans with the same axes, the first is not rolled up.
    (fine.axes.len(), at) > (coarse.axes.len(), finer) && coarse.axes_in(fine).is_some()
}

/// Returns the first and the last day that a matching row may have.
fn day_range(incursions: &CandidateParts, runtime: Option<&CandidateParts>) -> DayRange {
    let parts = || std::iter::once(incursions).chain(runtime).flat_map(|parts| &parts.parts);
    let first = parts().map(|(part, _)| part.summary.first_day).min().unwrap_or(0);
    let last = parts().map(|(part, _)| part.summary.last_day).max().unwrap_or(0);
    let conditions = &incursions.conditions;
    let first = first.max(conditions.from_day);
    (first, last.min(conditions.to_day.saturating_sub(1)).max(first))
}

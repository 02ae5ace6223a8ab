//! How a question is gone about, and doing so.

use domain::insights::{Answer, Grouping, Measure, Question};

use super::adding::Adding;
use super::arrange::Arranging;
use super::axis::{Context, Days};
use super::budget::Budget;
use super::conditions::{Checks, Conditions, Facts};
use super::distinct::{Bits, MOST_BYTES, Pairs, link};
use super::drive::Parts;
use super::found::{Compact, Found};
use super::grouper::{Counting, Grouper};
use super::percentile::Ranking;
use super::roll::roll;
use super::runtime;
use super::space::Space;
use super::totals::Needs;
use crate::storage::{Chunk, DaySum};
use crate::{Error, Scan, Snapshot};

/// So few groups are always counted by their number.
const ALWAYS_DENSE: u64 = 1 << 16;

/// One grouping, and how its groups are found.
struct Way<'a> {
    grouping: &'a Grouping,
    space: Space,
    counting: Counting,
    /// The grouping whose groups it is the sums of, and its axes there.
    finer: Option<(usize, Vec<usize>)>,
}

/// What is known of a question before any row is looked at.
pub(super) struct Plan<'a> {
    snapshot: &'a Snapshot,
    question: &'a Question,
    scan: &'a Scan<'a>,
    budget: Budget,
    incursions: Parts,
    /// Nothing if it is not asked for, or unknown.
    runtime: Option<Parts>,
    days: Days,
    needs: Needs,
    ways: Vec<Way<'a>>,
}

impl<'a> Plan<'a> {
    pub fn new(snapshot: &'a Snapshot, question: &'a Question, scan: &'a Scan<'a>) -> Result<Self, Error> {
        let conditions = |facts| Conditions::new(snapshot, question, facts);
        let incursions = Parts::new(&snapshot.incursions, conditions(Facts::Incursions));
        let has_runtime = question.needs_runtime() && question.filter.has_runtime();
        let runtime = has_runtime.then(|| Parts::new(&snapshot.runtime, conditions(Facts::Runtime)));
        let days = days(&incursions, runtime.as_ref());
        let mut plan = Self {
            snapshot,
            question,
            scan,
            budget: Budget::new(scan.memory_bytes),
            needs: Needs::of(&question.measures),
            incursions,
            runtime,
            days,
            ways: Vec::new(),
        };
        plan.ways = plan.ways()?;
        Ok(plan)
    }

    fn ways(&self) -> Result<Vec<Way<'a>>, Error> {
        let context = Context {
            snapshot: self.snapshot,
            attributes: self.scan.attributes,
            conditions: &self.incursions.conditions,
            days: self.days,
        };
        let spaces: Vec<Space> =
            self.question.groupings.iter().map(|grouping| Space::new(grouping, &context)).collect();
        let is_large = |space: &Space| space.size_64().is_none_or(|size| size > ALWAYS_DENSE);
        let mut rows = 0;
        if spaces.iter().any(is_large) {
            for parts in std::iter::once(&self.incursions).chain(&self.runtime) {
                rows += parts.likely_rows()? as u64;
            }
        }
        let mut ways = Vec::with_capacity(spaces.len());
        for (grouping, space) in self.question.groupings.iter().zip(spaces) {
            let counting = self.counting(&space, rows)?;
            ways.push(Way { grouping, space, counting, finer: None });
        }
        let is_base: Vec<bool> =
            (0..ways.len()).map(|at| !(0..ways.len()).any(|other| is_finer(&ways, other, at))).collect();
        for at in 0..ways.len() {
            let finer = (0..ways.len()).filter(|other| is_base[*other] && is_finer(&ways, *other, at));
            let best = finer.min_by_key(|other| (ways[*other].space.size.unwrap_or(u128::MAX), *other));
            ways[at].finer =
                best.and_then(|finer| Some((finer, ways[at].space.axes_in(&ways[finer].space)?)));
        }
        Ok(ways)
    }

    /// Counts groups densely if that takes little memory, and there are likely more rows: empty groups cost too.
    fn counting(&self, space: &Space, rows: u64) -> Result<Counting, Error> {
        let most = (rows / 2).max(ALWAYS_DENSE);
        let threads = self.incursions.threads(self.scan) as u64 + 1;
        let bytes = |size: u64| size.saturating_mul(Adding::bytes(self.needs) as u64).saturating_mul(threads);
        let is_dense = |size: &u64| {
            *size <= most && *size < u64::from(u32::MAX) && bytes(*size) <= self.budget.limit_bytes() / 2
        };
        if let Some(size) = space.size_64().filter(is_dense) {
            return Ok(Counting::Dense(usize::try_from(size).unwrap_or(usize::MAX)));
        }
        match (space.size_64(), space.size) {
            (Some(_), _) => Ok(Counting::Hashed64),
            (None, Some(_)) => Ok(Counting::Hashed128),
            (None, None) => {
                let limit_bytes = self.budget.limit_bytes();
                Err(Error::TooLarge { needed_bytes: u64::MAX, limit_bytes })
            }
        }
    }

    pub fn answer(&self) -> Result<Answer, Error> {
        let (mut found, bits) = self.add_up()?;
        if let Some(parts) = &self.runtime {
            let known = self.ways.iter().zip(&mut found).filter(|(way, _)| way.grouping.has_runtime());
            let mut ways: Vec<_> = known.map(|(way, found)| (&way.space, way.counting, found)).collect();
            runtime::add(&mut ways, parts, self.days.0, self.scan, &self.budget)?;
        }
        for ((way, found), bits) in self.ways.iter().zip(&mut found).zip(&bits) {
            self.tell_apart(way, found, bits)?;
            self.rank(way, found)?;
        }
        let arranged = self.scan.pool.install(|| {
            let arrange = |(way, found): (&Way<'_>, &Found)| {
                let arranging = Arranging {
                    snapshot: self.snapshot,
                    measures: &self.question.measures,
                    grouping: way.grouping,
                    space: &way.space,
                    found,
                    budget: &self.budget,
                };
                arranging.arrange()
            };
            self.ways.iter().zip(&found).map(arrange).collect::<Result<_, _>>()
        });
        Ok(Answer { groupings: arranged? })
    }

    fn distinct(&self) -> impl Iterator<Item = Measure> + '_ {
        self.question.measures.iter().copied().filter(|measure| link(*measure).is_some())
    }

    /// Counts rows and adds lengths up, and sees who is there as far as bits suffice, in one pass.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn add_up(&self) -> Result<(Vec<Found>, Vec<Vec<(Measure, Bits)>>), Error> {
        let bits = self.ways.iter().map(|way| self.bits(way)).collect::<Result<Vec<_>, Error>>()?;
        let is_passive = |at: usize| self.ways[at].finer.is_some() && bits[at].is_empty();
        let make = || {
            let of = |(at, way): (usize, &Way<'_>)| {
                if is_passive(at) {
                    return Ok(None);
                }
                let size = match way.counting {
                    Counting::Dense(size) if way.finer.is_none() => size,
                    _ => 0,
                };
                let grouper = Grouper::new(&way.space, way.counting, self.days.0);
                Ok(Some((grouper, Adding::new(self.needs, size, &self.budget)?)))
            };
            self.ways.iter().enumerate().map(of).collect::<Result<Vec<_>, Error>>()
        };
        let is_by_days = |(at, way): (usize, &Way<'_>)| {
            is_passive(at)
                || bits[at].is_empty()
                    && matches!(way.counting, Counting::Dense(_))
                    && way.space.is_of_days_and_flags()
        };
        let are_by_days = self.ways.iter().enumerate().all(is_by_days);
        let whole = |states: &mut Vec<Option<(Grouper<'_>, Adding)>>, chunk: &Chunk, checks: Checks| {
            let is_enough = are_by_days && checks.are_of_days_and_flags();
            let Some(sums) = is_enough.then(|| chunk.day_sums()).flatten() else { return Ok(false) };
            for (grouper, adding) in states.iter_mut().flatten() {
                self.add_sums(chunk, sums, grouper, adding);
            }
            Ok(true)
        };
        let states = self.incursions.drive_chunks(self.scan, make, whole, |states, block| {
            for (at, state) in states.iter_mut().enumerate() {
                let Some((grouper, adding)) = state else { continue };
                if bits[at].is_empty()
                    && let Some(split) = grouper.split(block)
                {
                    adding.add_split(block, &split);
                    continue;
                }
                let (groups, met) = grouper.group(block, &self.budget)?;
                for (measure, bits) in &bits[at] {
                    if let Some(link) = link(*measure) {
                        bits.add(block, groups, link);
                    }
                }
                if self.ways[at].finer.is_none() {
                    adding.fit(met, &self.budget)?;
                    adding.add(block, groups);
                }
            }
            Ok(())
        })?;
        let mut found: Vec<Option<Found>> = self.ways.iter().map(|_| None).collect();
        let mut states: Vec<_> = states.into_iter().map(Vec::into_iter).collect();
        for (way, found) in self.ways.iter().zip(&mut found) {
            let own = states.iter_mut().filter_map(|state| state.next().flatten()).collect::<Vec<_>>();
            if way.finer.is_none() {
                let merge = || Found::merged(own, way.counting, self.needs, &self.budget);
                *found = Some(self.scan.pool.install(merge)?);
            }
        }
        for (at, way) in self.ways.iter().enumerate() {
            if let Some((finer, axes)) = &way.finer
                && let Some(fine) = found[*finer].take()
            {
                let fine_space = &self.ways[*finer].space;
                let rolled =
                    roll((&fine, fine_space), (&way.space, way.counting), axes, self.needs, &self.budget)?;
                (found[at], found[*finer]) = (Some(rolled), Some(fine));
            }
        }
        Ok((found.into_iter().flatten().collect(), bits))
    }

    /// Adds what the days of a chunk come to, instead of its rows.
    fn add_sums(&self, chunk: &Chunk, sums: &[DaySum], grouper: &Grouper<'_>, adding: &mut Adding) {
        let conditions = &self.incursions.conditions;
        let (from, to) = conditions.day_codes(chunk);
        for sum in sums {
            let is_asked = (from..to).contains(&sum.day) && conditions.has_flags(sum.flags.0);
            if let (true, Some(group)) =
                (is_asked, grouper.of(chunk.first_day + i64::from(sum.day), sum.flags))
            {
                adding.add_sum(group as usize, sum);
            }
        }
    }

    /// Room for a bit for each group and code, for each measure that tells apart, if that is not too much.
    fn bits(&self, way: &Way<'_>) -> Result<Vec<(Measure, Bits)>, Error> {
        let Counting::Dense(groups) = way.counting else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for measure in self.distinct() {
            let Some(link) = link(measure) else { continue };
            let codes = self.snapshot.dictionaries.of(link).codes();
            if Bits::bytes(groups, codes) > MOST_BYTES {
                return Ok(Vec::new());
            }
            all.push((measure, Bits::new(groups, codes, &self.budget)?));
        }
        Ok(all)
    }

    /// Counts who is there, of each group.
    fn tell_apart(&self, way: &Way<'_>, found: &mut Found, bits: &[(Measure, Bits)]) -> Result<(), Error> {
        let is_needed = self.distinct().next().is_some() || self.hundredths().next().is_some();
        if !is_needed {
            return Ok(());
        }
        let groups = found.groups.len();
        self.budget.take(groups * 4)?;
        let compact = Compact::new((0..groups).map(|group| found.count(group) > 0));
        for (measure, bits) in bits {
            let counts = bits.counts();
            let kept = counts.into_iter().zip(&compact.places).filter(|(_, place)| **place != Compact::NONE);
            found.distinct.push((*measure, kept.map(|(count, _)| count).collect()));
        }
        if bits.is_empty() {
            for measure in self.distinct() {
                let counts = self.tell_apart_again(way, found, &compact, measure)?;
                found.distinct.push((measure, counts));
            }
        }
        found.compact = Some(compact);
        Ok(())
    }

    /// The same with a pass of its own, once it is known which groups there are.
    fn tell_apart_again(
        &self,
        way: &Way<'_>,
        found: &Found,
        compact: &Compact,
        measure: Measure,
    ) -> Result<Vec<u32>, Error> {
        let Some(link) = link(measure) else { return Ok(Vec::new()) };
        let codes = self.snapshot.dictionaries.of(link).codes();
        let grouper = || Grouper::again(&way.space, &found.groups, self.days.0);
        if Bits::bytes(compact.len, codes) <= MOST_BYTES {
            let bits = Bits::new(compact.len, codes, &self.budget)?;
            self.incursions.drive(
                self.scan,
                || Ok(grouper()),
                |grouper, block| {
                    bits.add_compact(block, grouper.group(block, &self.budget)?.0, link, compact);
                    Ok(())
                },
            )?;
            return Ok(bits.counts());
        }
        let make = || Ok((grouper(), Pairs::default()));
        let states = self.incursions.drive(self.scan, make, |(grouper, pairs), block| {
            pairs.add(block, grouper.group(block, &self.budget)?.0, link, compact, &self.budget)
        })?;
        let lists = states.into_iter().map(|(_, pairs)| pairs).collect();
        Pairs::counts(lists, compact.len, &self.budget)
    }

    fn hundredths(&self) -> impl Iterator<Item = (Measure, i64)> + '_ {
        self.question.measures.iter().filter_map(|measure| Some((*measure, measure.percentile()?)))
    }

    /// Finds the lengths of ranks, of each group.
    fn rank(&self, way: &Way<'_>, found: &mut Found) -> Result<(), Error> {
        let (measures, hundredths): (Vec<Measure>, Vec<i64>) = self.hundredths().unzip();
        let Some(compact) = found.compact.as_ref().filter(|_| !measures.is_empty()) else { return Ok(()) };
        let mut ended = vec![0; compact.len];
        for (place, count) in compact.places.iter().zip(&found.totals.ended) {
            if *place != Compact::NONE {
                ended[*place as usize] = *count;
            }
        }
        let ranking = Ranking {
            parts: &self.incursions,
            scan: self.scan,
            budget: &self.budget,
            compact,
            ended: &ended,
        };
        let grouper = || Grouper::again(&way.space, &found.groups, self.days.0);
        let ranked = ranking.rank(&hundredths, &grouper)?;
        found.percentiles = measures.into_iter().zip(ranked).collect();
        Ok(())
    }
}

/// Whether one way's groups can be summed up from another's.
fn is_finer(ways: &[Way<'_>], finer: usize, at: usize) -> bool {
    let (fine, coarse) = (&ways[finer].space, &ways[at].space);
    // Of those with the same axes the first is nobody's sum.
    (fine.axes.len(), at) > (coarse.axes.len(), finer) && coarse.axes_in(fine).is_some()
}

/// The first and the last day that a row which is asked for may have.
fn days(incursions: &Parts, runtime: Option<&Parts>) -> Days {
    let parts = || std::iter::once(incursions).chain(runtime).flat_map(|parts| &parts.parts);
    let first = parts().map(|(part, _)| part.summary.first_day).min().unwrap_or(0);
    let last = parts().map(|(part, _)| part.summary.last_day).max().unwrap_or(0);
    let conditions = &incursions.conditions;
    let first = first.max(conditions.from_day);
    (first, last.min(conditions.to_day.saturating_sub(1)).max(first))
}

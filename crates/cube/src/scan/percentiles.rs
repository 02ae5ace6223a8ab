//! Exact percentiles of durations by nearest rank. With few groups, durations are counted in buckets, which are refined pass by pass; with
//! many groups, the durations are sorted.

use super::block::{Block, LengthSlice, RowSelection};
use super::budget::MemoryBudget;
use super::group_results::CompactIndex;
use super::grouper::{Grouper, Ordinals};
use super::keys::RowKeys;
use super::parallel_scan::CandidateParts;
use crate::storage::Lengths;
use crate::{Error, ScanContext};

/// The maximum size of the counters of a thread.
const MAX_COUNTER_BYTES: usize = 32 << 20;
/// The number of buckets in the first pass: negative values, then 32 for each power of two.
const FIRST_PASS_BUCKETS: usize = 2_048;
/// The number of buckets in later passes.
const LATER_PASS_BUCKETS: usize = 1_024;
/// Flipping the sign bit makes signed durations comparable as unsigned numbers.
const SIGN_BIT: u64 = 1 << 63;

/// The range of a requested percentile, as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Target {
    /// The lower bound.
    low: u64,
    /// The width of the range in bits.
    bits: u32,
    /// The rank within the range, starting at 1.
    rank: u64,
}

/// The inputs for computing percentiles.
pub(super) struct PercentileScan<'a> {
    pub parts: &'a CandidateParts,
    pub scan: &'a ScanContext<'a>,
    pub budget: &'a MemoryBudget,
    pub compact: &'a CompactIndex,
    /// The number of durations per group, by compact index.
    pub ended: &'a [u32],
}

impl PercentileScan<'_> {
    /// Returns the percentiles of each group.
    pub fn compute<'g>(
        &self,
        percentiles: &[i64],
        grouper: &(impl Fn() -> Grouper<'g> + Sync),
    ) -> Result<Vec<Vec<i64>>, Error> {
        let is_few =
            self.ended.len() * FIRST_PASS_BUCKETS * 4 * percentiles.len().max(1) <= MAX_COUNTER_BYTES;
        if is_few { self.by_histogram(percentiles, grouper) } else { self.by_sorting(percentiles, grouper) }
    }

    fn by_histogram<'g>(
        &self,
        percentiles: &[i64],
        grouper: &(impl Fn() -> Grouper<'g> + Sync),
    ) -> Result<Vec<Vec<i64>>, Error> {
        let groups = self.ended.len();
        let first = self.count_lengths(grouper, groups * FIRST_PASS_BUCKETS, |counts, block, groups| {
            self.first_pass(counts, block, groups);
        })?;
        let mut targets: Vec<Target> = Vec::with_capacity(groups * percentiles.len());
        for hundredth in percentiles {
            for (group, ended) in self.ended.iter().enumerate() {
                if *ended == 0 {
                    targets.push(Target { low: SIGN_BIT, bits: 0, rank: 1 });
                    continue;
                }
                let steps = &first[group * FIRST_PASS_BUCKETS..][..FIRST_PASS_BUCKETS];
                let (step, rank) = find_bucket_of_rank(steps, nearest_rank(*hundredth, *ended));
                let (low, bits) = first_bucket_bounds(step);
                targets.push(Target { low, bits, rank });
            }
        }
        while targets.iter().any(|target| target.bits > 0) {
            let counts = self.count_lengths(
                grouper,
                targets.len() * LATER_PASS_BUCKETS,
                |counts, block, ordinals| {
                    self.later_pass(counts, block, ordinals, &targets);
                },
            )?;
            for (target, steps) in targets.iter_mut().zip(counts.chunks(LATER_PASS_BUCKETS)) {
                if target.bits > 0 {
                    let shift = target.bits.saturating_sub(LATER_PASS_BUCKETS.ilog2());
                    let (step, rank) = find_bucket_of_rank(steps, target.rank);
                    *target = Target { low: target.low + ((step as u64) << shift), bits: shift, rank };
                }
            }
        }
        let lengths = |targets: &[Target]| targets.iter().map(|target| to_length(target.low)).collect();
        Ok(targets.chunks(groups.max(1)).map(lengths).collect())
    }

    /// Counts durations in a pass over all rows.
    fn count_lengths<'g>(
        &self,
        grouper: &(impl Fn() -> Grouper<'g> + Sync),
        counters: usize,
        add: impl Fn(&mut [u32], &Block<'_>, Ordinals<'_>) + Sync,
    ) -> Result<Vec<u32>, Error> {
        let make = || Ok((grouper(), self.budget.zeroed::<u32>(counters)?));
        let states = self.parts.parallel_scan(self.scan, make, |(grouper, counts), block| {
            let (groups, _) = grouper.group(block, self.budget)?;
            add(counts, block, groups);
            Ok(())
        })?;
        let mut all: Vec<u32> = Vec::new();
        for (_, counts) in states {
            self.budget.release(counts.len() * 4);
            match all.is_empty() {
                true => all = counts,
                false => all.iter_mut().zip(counts).for_each(|(all, count)| *all += count),
            }
        }
        Ok(all)
    }

    fn first_pass(&self, counts: &mut [u32], block: &Block<'_>, groups: Ordinals<'_>) {
        let places = &self.compact.positions[..];
        let lengths = block.lengths(&block.chunk.lengths);
        if let (RowKeys::Each(groups), LengthSlice::Narrow(lengths)) = (groups, lengths) {
            let counts = counts.as_chunks_mut::<FIRST_PASS_BUCKETS>().0;
            let mut add = |group: u32, length: u32| {
                // A missing duration falls into the last bucket, which no duration does.
                let step = if length == Lengths::NARROW_NONE {
                    FIRST_PASS_BUCKETS - 1
                } else {
                    1 + narrow_bucket(length)
                };
                counts[places[group as usize] as usize][step % FIRST_PASS_BUCKETS] += 1;
            };
            match block.rows {
                RowSelection::All => {
                    groups.iter().zip(lengths).for_each(|(group, length)| add(*group, *length));
                }
                RowSelection::Selected(rows) => {
                    groups.iter().zip(rows).for_each(|(group, row)| add(*group, lengths[usize::from(*row)]));
                }
            }
            return;
        }
        for_each_length(block, groups, |group, length| {
            counts[places[group as usize] as usize * FIRST_PASS_BUCKETS + first_bucket(length)] += 1;
        });
    }

    fn later_pass(&self, counts: &mut [u32], block: &Block<'_>, groups: Ordinals<'_>, targets: &[Target]) {
        let places = &self.compact.positions[..];
        let all = self.ended.len().max(1);
        for_each_length(block, groups, |group, length| {
            for at in (places[group as usize] as usize..targets.len()).step_by(all) {
                let target = &targets[at];
                let above = length.wrapping_sub(target.low);
                if target.bits > 0 && above >> target.bits == 0 {
                    let step = above >> target.bits.saturating_sub(LATER_PASS_BUCKETS.ilog2());
                    counts[at * LATER_PASS_BUCKETS + usize::try_from(step).unwrap_or(0)] += 1;
                }
            }
        });
    }

    /// Sorts the durations of some groups at a time, as many as fit into memory.
    fn by_sorting<'g>(
        &self,
        percentiles: &[i64],
        grouper: &(impl Fn() -> Grouper<'g> + Sync),
    ) -> Result<Vec<Vec<i64>>, Error> {
        let mut ranked = vec![vec![0; self.ended.len()]; percentiles.len()];
        let room =
            usize::try_from(self.budget.limit_bytes()).unwrap_or(usize::MAX) / 4 / size_of::<(u32, i64)>();
        let mut begin = 0;
        while begin < self.ended.len() {
            let (mut end, mut rows) = (begin, 0);
            while end < self.ended.len() && (end == begin || rows + self.ended[end] as usize <= room) {
                rows += self.ended[end] as usize;
                end += 1;
            }
            let bytes = rows * 2 * size_of::<(u32, i64)>();
            self.budget.reserve(bytes)?;
            let states = self.parts.parallel_scan(
                self.scan,
                || Ok((grouper(), Vec::new())),
                |(grouper, lengths), block| {
                    let (groups, _) = grouper.group(block, self.budget)?;
                    for_each_length(block, groups, |group, length| {
                        let group = self.compact.positions[group as usize];
                        if (begin..end).contains(&(group as usize)) {
                            lengths.push((group, length));
                        }
                    });
                    Ok(())
                },
            )?;
            let mut all: Vec<(u32, u64)> = states.into_iter().flat_map(|(_, lengths)| lengths).collect();
            self.scan.pool.install(|| rayon::slice::ParallelSliceMut::par_sort_unstable(&mut all[..]));
            let mut from = 0;
            for group in begin..end {
                let ended = self.ended[group];
                for (hundredth, ranked) in percentiles.iter().zip(&mut ranked) {
                    let at = from + usize::try_from(nearest_rank(*hundredth, ended)).unwrap_or(1) - 1;
                    ranked[group] = all.get(at).map_or(0, |(_, length)| to_length(*length));
                }
                from += ended as usize;
            }
            self.budget.release(bytes);
            begin = end;
        }
        Ok(ranked)
    }
}

/// Returns the nearest rank among `count`, starting at 1.
fn nearest_rank(hundredth: i64, count: u32) -> u64 {
    let of = u64::from(count) * hundredth.cast_unsigned();
    of.div_ceil(100).max(1)
}

/// Returns the bucket that contains a rank, and the rank within it.
fn find_bucket_of_rank(steps: &[u32], mut rank: u64) -> (usize, u64) {
    for (step, count) in steps.iter().enumerate() {
        let count = u64::from(*count);
        if rank <= count {
            return (step, rank);
        }
        rank -= count;
    }
    (0, 1)
}

fn to_length(number: u64) -> i64 {
    (number ^ SIGN_BIT).cast_signed()
}

fn from_length(length: i64) -> u64 {
    length.cast_unsigned() ^ SIGN_BIT
}

/// Returns the bucket of a non-negative duration in the first pass: 32 for each power of two.
#[inline(always)]
fn narrow_bucket(length: u32) -> usize {
    let shift = (length | 32).ilog2() - 5;
    ((length >> shift) + (shift << 5)) as usize
}

/// The same for any duration, with negative ones first.
#[inline(always)]
fn first_bucket(number: u64) -> usize {
    if number < SIGN_BIT {
        return 0;
    }
    let length = number - SIGN_BIT;
    let shift = (length | 32).ilog2() - 5;
    1 + usize::try_from((length >> shift) + (u64::from(shift) << 5)).unwrap_or(0)
}

/// Returns the start of a bucket of the first pass, and its width in bits.
fn first_bucket_bounds(step: usize) -> (u64, u32) {
    match step {
        0 => (0, 63),
        1..=32 => (SIGN_BIT + step as u64 - 1, 0),
        _ => {
            let bits = u32::try_from((step - 33) / 32).unwrap_or(0);
            (SIGN_BIT + (((step - 33) as u64 % 32 + 32) << bits), bits)
        }
    }
}

/// Calls a function with the group and the duration of each row that has one.
#[inline(always)]
fn for_each_length(block: &Block<'_>, groups: Ordinals<'_>, mut visit: impl FnMut(u32, u64)) {
    let lengths = block.lengths(&block.chunk.lengths);
    if let (RowKeys::Each(groups), LengthSlice::Narrow(lengths), RowSelection::All) =
        (groups, lengths, block.rows)
    {
        for (group, length) in groups.iter().zip(lengths) {
            if *length != Lengths::NARROW_NONE {
                visit(*group, SIGN_BIT + u64::from(*length));
            }
        }
        return;
    }
    block.for_each_row(|place, row| {
        let group = match groups {
            RowKeys::Same(group) => group,
            RowKeys::Each(groups) => groups[place],
        };
        match lengths {
            LengthSlice::Narrow(lengths) if lengths[row] != Lengths::NARROW_NONE => {
                visit(group, SIGN_BIT + u64::from(lengths[row]));
            }
            LengthSlice::Wide(lengths) if lengths[row] != Lengths::WIDE_NONE => {
                visit(group, from_length(lengths[row]));
            }
            _ => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_the_lengths_that_fall_into_them() {
        let lengths =
            (0..1_000).chain((0..62).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]));
        for length in lengths.chain([i64::MAX, -1, i64::MIN + 1]) {
            let number = from_length(length);
            let step = first_bucket(number);
            let (low, bits) = first_bucket_bounds(step);
            assert!(step < FIRST_PASS_BUCKETS, "{length}");
            assert!(low <= number && (number - low) >> bits == 0, "{length}: {step}");
            assert_eq!(to_length(number), length);
            if let Ok(narrow) = u32::try_from(length) {
                assert_eq!(step, 1 + narrow_bucket(narrow), "{length}");
            }
        }
    }

    #[test]
    fn ranks_are_the_nearest() {
        assert_eq!([1, 2, 3, 4].map(|count| nearest_rank(50, count)), [1, 1, 2, 2]);
        assert_eq!([1, 19, 20, 21, 100].map(|count| nearest_rank(95, count)), [1, 19, 19, 20, 95]);
    }
}

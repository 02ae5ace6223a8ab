//! Adds rows to groups, with as few memory accesses per row as possible.

use super::block::{Block, LengthSlice, RowSelection};
use super::budget::MemoryBudget;
use super::column_sums::{add_plain, narrow_length_or_zero, sum_lengths_of_rows, wide_length_or_zero};
use super::grouper::Ordinals;
use super::kernels::{count_equal, count_equal_with_flag, count_flag, sum_lengths_where_equal};
use super::keys::{DaySplit, RowKeys};
use super::lanes::{LANES, Lanes, scatter};
use super::packed::PackedCounters;
use super::radix_partitions::RadixPartitions;
use super::row_list::{RowList, collect_rows_without_flag};
use super::totals::{NeededTotals, Totals};
use crate::Error;
use crate::storage::{Aggregate, Flags};

/// The maximum number of groups for packed counters.
const MAX_PACKED_GROUPS: usize = 1 << 16;
/// The maximum size of lanes.
const MAX_LANE_BYTES: usize = 1 << 19;

/// The totals of groups while rows are added.
#[derive(Debug)]
pub(super) struct Accumulator {
    /// The totals, for rows that no faster layout covers.
    totals: Totals,
    /// Rows without an end, which are rare.
    without_end: RowsWithoutEnd,
    layout: CounterLayout,
}

/// The counters that are updated for each row.
#[derive(Debug)]
enum CounterLayout {
    /// Only the totals.
    None,
    /// Row counts, in lanes.
    Rows(Vec<u32>, Lanes),
    /// Row counts, partitioned first.
    RadixPartitioned(RadixPartitions),
    /// Row counts in the lower half and acknowledged rows in the upper half, in lanes.
    CountPairs(Vec<u64>, Lanes),
    /// Counts and durations packed into one number.
    Packed(PackedCounters),
    /// Pairs of counts, durations and acknowledgement times. With many groups, the counters of a group should be adjacent in memory.
    Interleaved(Vec<[u64; 4]>),
}

impl Accumulator {
    /// Returns the bytes per group if there are many groups.
    pub fn bytes(needs: NeededTotals) -> usize {
        let fast = match (needs.length || needs.ack_time, needs.acknowledged) {
            (true, _) => size_of::<[u64; 4]>(),
            (false, true) => size_of::<u64>(),
            (false, false) => 0,
        };
        needs.bytes() + fast
    }

    pub fn new(needs: NeededTotals, groups: usize, budget: &MemoryBudget) -> Result<Self, Error> {
        let sums = Totals::new(needs, groups, budget)?;
        let lanes = |bytes: usize| {
            if groups.saturating_mul(bytes * LANES) <= MAX_LANE_BYTES { Lanes::Several } else { Lanes::One }
        };
        let has_lengths = needs.length || needs.ack_time;
        let fast = if groups == 0 {
            CounterLayout::None
        } else if has_lengths && groups <= MAX_PACKED_GROUPS {
            CounterLayout::Packed(PackedCounters::new(needs, groups, lanes(16), budget)?)
        } else if has_lengths {
            CounterLayout::Interleaved(budget.zeroed(groups)?)
        } else if needs.acknowledged {
            let lanes = lanes(8);
            CounterLayout::CountPairs(budget.zeroed(groups * lanes.count())?, lanes)
        } else if lanes(4) == Lanes::Several {
            CounterLayout::Rows(budget.zeroed(groups * LANES)?, Lanes::Several)
        } else if RadixPartitions::is_worth_it(groups) && !needs.ended {
            CounterLayout::RadixPartitioned(RadixPartitions::new(groups, budget)?)
        } else {
            CounterLayout::None
        };
        Ok(Self {
            totals: sums,
            without_end: RowsWithoutEnd { mask: Vec::new(), rows: RowList::new() },
            layout: fast,
        })
    }

    /// Makes room for a number of groups.
    pub fn reserve_groups(&mut self, groups: usize, budget: &MemoryBudget) -> Result<(), Error> {
        self.totals.reserve_groups(groups, budget)
    }

    /// Adds the rows of a block to their groups.
    pub fn add(&mut self, block: &Block<'_>, groups: Ordinals<'_>) {
        match groups {
            RowKeys::Same(group) => self.add_to_one_group(block, group as usize),
            RowKeys::Each(groups) => self.add_per_row(block, groups),
        }
    }

    fn add_to_one_group(&mut self, block: &Block<'_>, group: usize) {
        let chunk = block.chunk;
        let flags = block.slice(&chunk.flags);
        let with = |flag: u8| match block.rows {
            RowSelection::All => count_flag(flags, flag),
            RowSelection::Selected(rows) => {
                rows.iter().map(|row| u32::from(flags[usize::from(*row)] & flag != 0)).sum()
            }
        };
        let needs = self.totals.needs;
        self.totals.count[group] += u32::try_from(block.selected_count()).unwrap_or(u32::MAX);
        if needs.acknowledged {
            self.totals.acknowledged[group] += with(Flags::ACKNOWLEDGED);
        }
        if needs.ended {
            self.totals.ended[group] = self.totals.ended[group].wrapping_add(with(Flags::ENDED));
        }
        if needs.length {
            self.totals.length[group] += sum_lengths_of_rows(block.lengths(&chunk.lengths), block.rows);
        }
        if needs.ack_time {
            self.totals.ack_time[group] += sum_lengths_of_rows(block.lengths(&chunk.ack_times), block.rows);
        }
    }

    /// Adds an aggregate of rows of a group.
    pub fn add_aggregate(&mut self, group: usize, sum: &Aggregate) {
        let sums = &mut self.totals;
        sums.count[group] += sum.rows;
        if sums.needs.acknowledged && sum.flags.is_acknowledged() {
            sums.acknowledged[group] += sum.rows;
        }
        if sums.needs.ended && sum.flags.has_ended() {
            sums.ended[group] = sums.ended[group].wrapping_add(sum.rows);
        }
        if sums.needs.length {
            sums.length[group] += sum.length_sum.cast_signed();
        }
        if sums.needs.ack_time {
            sums.ack_time[group] += sum.ack_time_sum.cast_signed();
        }
    }

    fn add_per_row(&mut self, block: &Block<'_>, groups: &[u32]) {
        let flags = block.slice(&block.chunk.flags);
        let needs = self.totals.needs;
        if needs.ended {
            self.without_end.find(block);
            let ended = &mut self.totals.ended;
            // The count may be negative for now, because all rows are added in the end.
            self.without_end.for_each(|place| {
                let ended = &mut ended[groups[place] as usize];
                *ended = ended.wrapping_sub(1);
            });
        }
        match &mut self.layout {
            CounterLayout::Rows(rows, lanes) => {
                scatter(rows, *lanes, groups, groups, RowSelection::All, |_| 1);
            }
            CounterLayout::CountPairs(pairs, lanes) => {
                scatter(pairs, *lanes, groups, flags, block.rows, |flags| {
                    u64::from(flags & Flags::ACKNOWLEDGED) << 28 | 1
                });
            }
            CounterLayout::Packed(packed) => packed.add(block, groups, &mut self.totals),
            CounterLayout::RadixPartitioned(aside) => aside.add(groups, &mut self.totals.count),
            CounterLayout::Interleaved(cells) => add_interleaved(block, groups, cells, &mut self.totals),
            CounterLayout::None => add_plain(block, groups, &mut self.totals),
        }
    }

    /// Adds the rows of a block that is grouped by day only.
    pub fn add_by_day(&mut self, block: &Block<'_>, split: &DaySplit<'_, u32>) {
        let chunk = block.chunk;
        let flags = block.slice(&chunk.flags);
        let needs = self.totals.needs;
        for (day, group) in &split.days {
            let group = *group as usize;
            let rows = count_equal(split.codes, *day);
            if rows == 0 {
                continue;
            }
            self.totals.count[group] += rows;
            if needs.acknowledged {
                self.totals.acknowledged[group] +=
                    count_equal_with_flag(split.codes, *day, flags, Flags::ACKNOWLEDGED);
            }
            if needs.ended {
                let ended = count_equal_with_flag(split.codes, *day, flags, Flags::ENDED);
                self.totals.ended[group] = self.totals.ended[group].wrapping_add(ended);
            }
            let sum = |lengths: LengthSlice<'_>| match lengths {
                LengthSlice::Narrow(lengths) => sum_lengths_where_equal(split.codes, *day, lengths),
                LengthSlice::Wide(lengths) => {
                    let own = split.codes.iter().zip(lengths).filter(|(code, _)| *code == day);
                    own.map(|(_, length)| wide_length_or_zero(*length)).sum()
                }
            };
            if needs.length {
                self.totals.length[group] += sum(block.lengths(&chunk.lengths));
            }
            if needs.ack_time {
                self.totals.ack_time[group] += sum(block.lengths(&chunk.ack_times));
            }
        }
    }

    /// Returns the totals.
    pub fn finish(mut self) -> Totals {
        if let CounterLayout::Interleaved(cells) = &self.layout {
            let sums = &mut self.totals;
            for (group, cell) in cells.iter().enumerate() {
                if let Some(length) = sums.length.get_mut(group) {
                    *length += cell[1].cast_signed();
                }
                if let Some(waited) = sums.ack_time.get_mut(group) {
                    *waited += cell[2].cast_signed();
                }
            }
        }
        // Adds the rows that were counted one by one. Rows without an end are subtracted already.
        let mut each = |group: usize, rows: u32, acknowledged: u32| {
            self.totals.count[group] += rows;
            if let Some(all) = self.totals.acknowledged.get_mut(group) {
                *all += acknowledged;
            }
            if let Some(ended) = self.totals.ended.get_mut(group) {
                *ended = ended.wrapping_add(rows);
            }
        };
        let halves = |pair: u64| ((pair & 0xFFFF_FFFF) as u32, (pair >> 32) as u32);
        match self.layout {
            CounterLayout::None => {}
            CounterLayout::Interleaved(cells) => {
                let pairs = cells.into_iter().map(|cell| halves(cell[0])).enumerate();
                pairs.for_each(|(group, (rows, acknowledged))| each(group, rows, acknowledged));
            }
            CounterLayout::Rows(rows, lanes) => {
                lanes.fold(rows).into_iter().enumerate().for_each(|(group, rows)| each(group, rows, 0));
            }
            CounterLayout::CountPairs(pairs, lanes) => {
                let pairs = lanes.fold(pairs).into_iter().map(halves).enumerate();
                pairs.for_each(|(group, (rows, acknowledged))| each(group, rows, acknowledged));
            }
            CounterLayout::Packed(mut packed) => packed.flush(&mut self.totals),
            CounterLayout::RadixPartitioned(mut aside) => aside.flush(&mut self.totals.count),
        }
        self.totals
    }
}

/// Adds rows to interleaved cells, or to the totals if the durations are wide.
fn add_interleaved(block: &Block<'_>, groups: &[u32], cells: &mut [[u64; 4]], sums: &mut Totals) {
    let chunk = block.chunk;
    let flags = block.slice(&chunk.flags);
    let (LengthSlice::Narrow(lengths), LengthSlice::Narrow(waits)) =
        (block.lengths(&chunk.lengths), block.lengths(&chunk.ack_times))
    else {
        return add_plain(block, groups, sums);
    };
    let mut add = |group: u32, flags: u8, length: u32, wait: u32| {
        let cell = &mut cells[group as usize];
        cell[0] += u64::from(flags & Flags::ACKNOWLEDGED) << 28 | 1;
        cell[1] += narrow_length_or_zero(length).cast_unsigned();
        cell[2] += narrow_length_or_zero(wait).cast_unsigned();
    };
    match block.rows {
        RowSelection::All => {
            let columns = flags.iter().zip(lengths).zip(waits);
            for (group, ((flags, length), wait)) in groups.iter().zip(columns) {
                add(*group, *flags, *length, *wait);
            }
        }
        RowSelection::Selected(rows) => {
            for (group, row) in groups.iter().zip(rows) {
                let row = usize::from(*row);
                add(*group, flags[row], lengths[row], waits[row]);
            }
        }
    }
}

/// Finds the rows of a block without an end.
#[derive(Debug)]
struct RowsWithoutEnd {
    mask: Vec<u8>,
    rows: RowList,
}

impl RowsWithoutEnd {
    fn find(&mut self, block: &Block<'_>) {
        let flags = block.slice(&block.chunk.flags);
        self.rows.clear();
        match block.rows {
            RowSelection::All => {
                collect_rows_without_flag(flags, Flags::ENDED, &mut self.mask, &mut self.rows);
            }
            RowSelection::Selected(rows) => {
                for (place, row) in (0..).zip(rows) {
                    if flags[usize::from(*row)] & Flags::ENDED == 0 {
                        self.rows.push(place);
                    }
                }
            }
        }
    }

    fn for_each(&self, visit: impl FnMut(usize)) {
        self.rows.as_slice().iter().map(|place| usize::from(*place)).for_each(visit);
    }
}

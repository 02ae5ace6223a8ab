//! A count and a sum of durations packed into one number, so that a row updates one counter instead of two. All are flushed into the totals
//! before either part could overflow.

use super::block::{Block, LengthSlice, RowSelection};
use super::budget::MemoryBudget;
use super::column_sums::{add_plain, narrow_length_or_zero};
use super::lanes::{Lanes, scatter};
use super::totals::{NeededTotals, Totals};
use crate::Error;
use crate::storage::Flags;

/// The bits of the sum of durations; the count has the others.
const SUM_BITS: u32 = 44;
/// The maximum sum between two flushes.
const MAX_SUM: u64 = 1 << SUM_BITS;
const MAX_ROWS: usize = 1 << (64 - SUM_BITS);
const COUNT_ONE: u64 = 1 << SUM_BITS;

/// Packed counters, in lanes.
#[derive(Debug)]
pub(super) struct PackedCounters {
    needs: NeededTotals,
    lanes: Lanes,
    /// Rows and their durations, or rows only if durations are not needed.
    lengths: Vec<u64>,
    /// Acknowledged rows and their acknowledgement times.
    ack_times: Vec<u64>,
    /// Acknowledged rows, if acknowledgement times are not needed.
    acknowledged: Vec<u32>,
    /// Upper limit of the rows since the last flush.
    max_rows: usize,
    max_length: u64,
    max_ack_time: u64,
}

impl PackedCounters {
    pub fn new(
        needs: NeededTotals,
        groups: usize,
        lanes: Lanes,
        budget: &MemoryBudget,
    ) -> Result<Self, Error> {
        let places = |is_needed: bool| if is_needed { groups * lanes.count() } else { 0 };
        Ok(Self {
            needs,
            lanes,
            lengths: budget.zeroed(places(true))?,
            ack_times: budget.zeroed(places(needs.ack_time))?,
            acknowledged: budget.zeroed(places(needs.acknowledged && !needs.ack_time))?,
            max_rows: 0,
            max_length: 0,
            max_ack_time: 0,
        })
    }

    /// Adds rows, directly to the totals if the durations of the block are too large.
    pub fn add(&mut self, block: &Block<'_>, groups: &[u32], sums: &mut Totals) {
        let chunk = block.chunk;
        let totals = block.max_totals();
        let (LengthSlice::Narrow(lengths), LengthSlice::Narrow(waits)) =
            (block.lengths(&chunk.lengths), block.lengths(&chunk.ack_times))
        else {
            return add_plain(block, groups, sums);
        };
        if totals.0 >= MAX_SUM || totals.1 >= MAX_SUM {
            return add_plain(block, groups, sums);
        }
        let is_full = self.max_rows + block.len >= MAX_ROWS
            || self.max_length + totals.0 >= MAX_SUM
            || self.max_ack_time + totals.1 >= MAX_SUM;
        if is_full {
            self.flush(sums);
        }
        self.max_rows += block.len;
        self.max_length += totals.0;
        self.max_ack_time += totals.1;
        let lanes = self.lanes;
        if self.needs.length {
            scatter(&mut self.lengths, lanes, groups, lengths, block.rows, |length| {
                COUNT_ONE + narrow_length_or_zero(length).cast_unsigned()
            });
        } else {
            scatter(&mut self.lengths, lanes, groups, groups, RowSelection::All, |_| COUNT_ONE);
        }
        if self.needs.ack_time {
            scatter(&mut self.ack_times, lanes, groups, waits, block.rows, |wait| {
                if wait == u32::MAX { 0 } else { COUNT_ONE + u64::from(wait) }
            });
        } else if self.needs.acknowledged {
            let flags = block.slice(&chunk.flags);
            scatter(&mut self.acknowledged, lanes, groups, flags, block.rows, |flags| {
                u32::from(flags & Flags::ACKNOWLEDGED != 0)
            });
        }
    }

    /// Flushes everything into the totals.
    pub fn flush(&mut self, sums: &mut Totals) {
        let parts = |number: u64| ((number >> SUM_BITS) as u32, (number & (COUNT_ONE - 1)).cast_signed());
        let lanes = self.lanes.count();
        for (group, numbers) in self.lengths.chunks_mut(lanes).enumerate() {
            for number in numbers.iter_mut().map(std::mem::take) {
                let (rows, length) = parts(number);
                sums.count[group] += rows;
                if let Some(ended) = sums.ended.get_mut(group) {
                    *ended = ended.wrapping_add(rows);
                }
                if let Some(sum) = sums.length.get_mut(group) {
                    *sum += length;
                }
            }
        }
        for (group, numbers) in self.ack_times.chunks_mut(lanes).enumerate() {
            for number in numbers.iter_mut().map(std::mem::take) {
                let (acknowledged, wait) = parts(number);
                sums.acknowledged[group] += acknowledged;
                sums.ack_time[group] += wait;
            }
        }
        for (group, counts) in self.acknowledged.chunks_mut(lanes).enumerate() {
            sums.acknowledged[group] += counts.iter_mut().map(std::mem::take).sum::<u32>();
        }
        (self.max_rows, self.max_length, self.max_ack_time) = (0, 0, 0);
    }
}

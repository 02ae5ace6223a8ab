//! A count and a sum of lengths in one number, so that a row is added to one place instead of two. Before either could outgrow its
//! part of the number, all are emptied into the sums.

use super::adding::{add_plain, narrow};
use super::block::{Block, Long, Rows};
use super::budget::Budget;
use super::lanes::{Lanes, scatter};
use super::totals::{Needs, Totals};
use crate::Error;
use crate::storage::Flags;

/// Bits of a sum of lengths; the count has the rest.
const SUM_BITS: u32 = 44;
/// What the rows between two times of emptying may come to.
const MOST_SUM: u64 = 1 << SUM_BITS;
const MOST_ROWS: usize = 1 << (64 - SUM_BITS);
const ONE: u64 = 1 << SUM_BITS;

/// Numbers of two parts, in lanes.
#[derive(Debug)]
pub(super) struct Packed {
    needs: Needs,
    lanes: Lanes,
    /// Rows and their lengths, or rows alone if lengths are not needed.
    lengths: Vec<u64>,
    /// Those acknowledged and their waits.
    waits: Vec<u64>,
    /// Those acknowledged, if their waits are not needed.
    acknowledged: Vec<u32>,
    /// What may be in there.
    rows: usize,
    length: u64,
    wait: u64,
}

impl Packed {
    pub fn new(needs: Needs, groups: usize, lanes: Lanes, budget: &Budget) -> Result<Self, Error> {
        let places = |is_needed: bool| if is_needed { groups * lanes.count() } else { 0 };
        Ok(Self {
            needs,
            lanes,
            lengths: budget.zeroed(places(true))?,
            waits: budget.zeroed(places(needs.waited))?,
            acknowledged: budget.zeroed(places(needs.acknowledged && !needs.waited))?,
            rows: 0,
            length: 0,
            wait: 0,
        })
    }

    /// Adds rows, to the sums if the lengths of the block are too large.
    pub fn add(&mut self, block: &Block<'_>, groups: &[u32], sums: &mut Totals) {
        let chunk = block.chunk;
        let totals = block.totals();
        let (Long::Narrow(lengths), Long::Narrow(waits)) =
            (block.lengths(&chunk.lengths), block.lengths(&chunk.waits))
        else {
            return add_plain(block, groups, sums);
        };
        if totals.0 >= MOST_SUM || totals.1 >= MOST_SUM {
            return add_plain(block, groups, sums);
        }
        let is_full = self.rows + block.len >= MOST_ROWS
            || self.length + totals.0 >= MOST_SUM
            || self.wait + totals.1 >= MOST_SUM;
        if is_full {
            self.flush(sums);
        }
        self.rows += block.len;
        self.length += totals.0;
        self.wait += totals.1;
        let lanes = self.lanes;
        if self.needs.length {
            scatter(&mut self.lengths, lanes, groups, lengths, block.rows, |length| {
                ONE + narrow(length).cast_unsigned()
            });
        } else {
            scatter(&mut self.lengths, lanes, groups, groups, Rows::All, |_| ONE);
        }
        if self.needs.waited {
            scatter(&mut self.waits, lanes, groups, waits, block.rows, |wait| {
                if wait == u32::MAX { 0 } else { ONE + u64::from(wait) }
            });
        } else if self.needs.acknowledged {
            let flags = block.slice(&chunk.flags);
            scatter(&mut self.acknowledged, lanes, groups, flags, block.rows, |flags| {
                u32::from(flags & Flags::ACKNOWLEDGED != 0)
            });
        }
    }

    /// Empties all into the sums.
    pub fn flush(&mut self, sums: &mut Totals) {
        let parts = |number: u64| ((number >> SUM_BITS) as u32, (number & (ONE - 1)).cast_signed());
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
        for (group, numbers) in self.waits.chunks_mut(lanes).enumerate() {
            for number in numbers.iter_mut().map(std::mem::take) {
                let (acknowledged, wait) = parts(number);
                sums.acknowledged[group] += acknowledged;
                sums.waited[group] += wait;
            }
        }
        for (group, counts) in self.acknowledged.chunks_mut(lanes).enumerate() {
            sums.acknowledged[group] += counts.iter_mut().map(std::mem::take).sum::<u32>();
        }
        (self.rows, self.length, self.wait) = (0, 0, 0);
    }
}

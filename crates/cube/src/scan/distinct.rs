//! Distinct counts: one bit per group and code, or a list of pairs where the bitmap would be too large.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::insights::Measure;

use super::block::{Block, CodeSlice, RowSelection};
use super::budget::MemoryBudget;
use super::group_results::CompactIndex;
use super::grouper::Ordinals;
use super::kernels::bit_positions;
use super::keys::RowKeys;
use crate::Error;
use crate::dictionary::Link;
use crate::storage::BLOCK_ROWS;

/// The maximum size of a bitmap.
pub(super) const MAX_BITMAP_BYTES: usize = 64 << 20;

/// Returns the link whose codes a measure counts.
pub(super) fn distinct_link(measure: Measure) -> Option<Link> {
    match measure {
        Measure::Machines => Some(Link::Machine),
        Measure::Pedestrians => Some(Link::Pedestrian),
        Measure::Operators => Some(Link::Operator),
        _ => None,
    }
}

/// One bit for each group and code, which all threads set.
#[derive(Debug)]
pub(super) struct DistinctBitmap {
    words: Vec<AtomicU64>,
    words_per_group: usize,
}

impl DistinctBitmap {
    /// Returns the size of a bitmap in bytes.
    pub fn bytes(groups: usize, codes: usize) -> usize {
        groups.saturating_mul(codes.div_ceil(64)).saturating_mul(8)
    }

    pub fn new(groups: usize, codes: usize, budget: &MemoryBudget) -> Result<Self, Error> {
        budget.reserve(Self::bytes(groups, codes))?;
        let words_per_group = codes.div_ceil(64);
        let words = std::iter::repeat_with(AtomicU64::default).take(groups * words_per_group).collect();
        Ok(Self { words, words_per_group })
    }

    #[inline(always)]
    fn set(&self, group: usize, code: u32) {
        let word = &self.words[group * self.words_per_group + code as usize / 64];
        let bit = 1 << (code % 64);
        // Most bits are set already, and loading is much cheaper than setting.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Sets the bits of a block's rows.
    pub fn add(&self, block: &Block<'_>, groups: Ordinals<'_>, link: Link) {
        let codes = block.codes(block.chunk.column(link));
        let width = u32::try_from(self.words_per_group * 64);
        let fits = u32::try_from(self.words.len() * 64).is_ok();
        if let (RowKeys::Each(groups), CodeSlice::Narrow(codes), RowSelection::All, Ok(width), true) =
            (groups, codes, block.rows, width, fits)
        {
            let mut places = [0; BLOCK_ROWS];
            let places = &mut places[..groups.len()];
            bit_positions(places, groups, codes, width);
            for place in places {
                let word = &self.words[*place as usize / 64];
                let bit = 1 << (*place % 64);
                if word.load(Ordering::Relaxed) & bit == 0 {
                    word.fetch_or(bit, Ordering::Relaxed);
                }
            }
            return;
        }
        for_each_pair(block, groups, link, |group, code| self.set(group as usize, code));
    }

    /// The same for groups with compact indexes.
    pub fn add_compact(&self, block: &Block<'_>, groups: Ordinals<'_>, link: Link, compact: &CompactIndex) {
        for_each_pair(block, groups, link, |group, code| {
            self.set(compact.positions[group as usize] as usize, code);
        });
    }

    /// Returns the number of bits per group, without the code for none.
    pub fn counts(&self) -> Vec<u32> {
        let of = |words: &[AtomicU64]| {
            let none = words.first().map_or(0, |word| word.load(Ordering::Relaxed) & 1);
            let all: u32 = words.iter().map(|word| word.load(Ordering::Relaxed).count_ones()).sum();
            all - u32::from(none == 1)
        };
        self.words.chunks(self.words_per_group.max(1)).map(of).collect()
    }
}

#[inline(always)]
fn for_each_pair(block: &Block<'_>, groups: Ordinals<'_>, link: Link, mut visit: impl FnMut(u32, u32)) {
    let column = block.codes(block.chunk.column(link));
    match (groups, column, block.rows) {
        (RowKeys::Each(groups), CodeSlice::Narrow(codes), RowSelection::All) => {
            groups.iter().zip(codes).for_each(|(group, code)| visit(*group, u32::from(*code)));
        }
        (groups, column, _) => block.for_each_row(|place, row| {
            let group = match groups {
                RowKeys::Same(group) => group,
                RowKeys::Each(groups) => groups[place],
            };
            let code = match column {
                CodeSlice::Narrow(codes) => u32::from(codes[row]),
                CodeSlice::Wide(codes) => codes[row],
            };
            visit(group, code);
        }),
    }
}

/// Pairs of group and code, deduplicated whenever the list has grown.
#[derive(Debug, Default)]
pub(super) struct DistinctPairs {
    pairs: Vec<u64>,
    /// The size at which the list is deduplicated.
    capacity: usize,
}

impl DistinctPairs {
    pub fn add(
        &mut self,
        block: &Block<'_>,
        groups: Ordinals<'_>,
        link: Link,
        compact: &CompactIndex,
        budget: &MemoryBudget,
    ) -> Result<(), Error> {
        if self.pairs.len() + block.selected_count() > self.capacity {
            self.dedup();
            let next = (self.pairs.len() * 2).max(1 << 16);
            if next > self.capacity {
                budget.reserve((next - self.capacity) * 8)?;
                self.capacity = next;
            }
        }
        for_each_pair(block, groups, link, |group, code| {
            if code != 0 {
                self.pairs.push(u64::from(compact.positions[group as usize]) << 32 | u64::from(code));
            }
        });
        Ok(())
    }

    fn dedup(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Returns the number of distinct codes per group over all lists.
    pub fn counts(lists: Vec<Self>, groups: usize, budget: &MemoryBudget) -> Result<Vec<u32>, Error> {
        let mut all = Self::default();
        for list in lists {
            budget.reserve(list.pairs.len() * 8)?;
            all.pairs.extend(list.pairs);
        }
        all.dedup();
        let mut counts = vec![0; groups];
        all.pairs.iter().for_each(|pair| counts[(pair >> 32) as usize] += 1);
        Ok(counts)
    }
}

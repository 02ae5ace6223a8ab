//! Consecutive rows of a chunk, and which of them match.

use crate::storage::{BLOCK_ROWS, BlockBounds, Chunk, Codes, Lengths};

/// The rows of a block that match.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowSelection<'a> {
    All,
    /// By position in the block, in any order.
    Selected(&'a [u16]),
}

/// A block. At most [`BLOCK_ROWS`] rows of it match. It has no more rows than that, unless the rows are selected from a whole chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub chunk: &'a Chunk,
    pub from: usize,
    pub len: usize,
    pub rows: RowSelection<'a>,
}

/// The values of a column in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodeSlice<'a> {
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

/// The durations of a column in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum LengthSlice<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [i64]),
}

impl<'a> Block<'a> {
    /// Returns the number of rows that match.
    pub fn selected_count(&self) -> usize {
        match self.rows {
            RowSelection::All => self.len,
            RowSelection::Selected(rows) => rows.len(),
        }
    }

    pub fn slice<T>(&self, column: &'a [T]) -> &'a [T] {
        &column[self.from..self.from + self.len]
    }

    pub fn codes(&self, codes: &'a Codes) -> CodeSlice<'a> {
        match codes {
            Codes::Narrow(codes) => CodeSlice::Narrow(self.slice(codes)),
            Codes::Wide(codes) => CodeSlice::Wide(self.slice(codes)),
        }
    }

    pub fn lengths(&self, lengths: &'a Lengths) -> LengthSlice<'a> {
        match lengths {
            Lengths::Narrow(lengths) => LengthSlice::Narrow(self.slice(lengths)),
            Lengths::Wide(lengths) => LengthSlice::Wide(self.slice(lengths)),
        }
    }

    /// Returns the bounds of the blocks that it consists of: one, or all of a chunk.
    fn bounds(&self) -> &'a [BlockBounds] {
        &self.chunk.block_bounds[self.from / BLOCK_ROWS..(self.from + self.len).div_ceil(BLOCK_ROWS)]
    }

    /// Returns the first and the last day that a row of the block may have.
    pub fn day_range(&self) -> (i64, i64) {
        let min = self.bounds().iter().map(|bounds| bounds.min_day).min().unwrap_or(0);
        let max = self.bounds().iter().map(|bounds| bounds.max_day).max().unwrap_or(0);
        (self.chunk.first_day + i64::from(min), self.chunk.first_day + i64::from(max))
    }

    /// Returns upper limits of the sums of durations and of acknowledgement times.
    pub fn max_totals(&self) -> (u64, u64) {
        self.bounds().iter().fold((0, 0), |(length, wait): (u64, u64), bounds| {
            (length.saturating_add(bounds.length_sum), wait.saturating_add(bounds.ack_time_sum))
        })
    }

    /// Calls a function for each matching row, with its index among them and its position.
    #[inline(always)]
    pub fn for_each_row(&self, mut visit: impl FnMut(usize, usize)) {
        match self.rows {
            RowSelection::All => (0..self.len).for_each(|row| visit(row, row)),
            RowSelection::Selected(rows) => {
                rows.iter().enumerate().for_each(|(place, row)| visit(place, usize::from(*row)));
            }
        }
    }
}

//! Some rows of a chunk that follow each other, and which of them are asked for.

use crate::storage::{BLOCK, Bounds, Chunk, Codes, Lengths};

/// Which rows of a block are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rows<'a> {
    All,
    /// By their place in the block, in whatever order.
    Some(&'a [u16]),
}

/// A block: at most [`BLOCK`] rows are asked for of it, and it has no more, unless they are picked from all of a chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub chunk: &'a Chunk,
    pub from: usize,
    pub len: usize,
    pub rows: Rows<'a>,
}

/// The values of a column in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Small<'a> {
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

/// The lengths of a column in a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Long<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [i64]),
}

impl<'a> Block<'a> {
    /// How many rows are asked for.
    pub fn count(&self) -> usize {
        match self.rows {
            Rows::All => self.len,
            Rows::Some(rows) => rows.len(),
        }
    }

    pub fn slice<T>(&self, column: &'a [T]) -> &'a [T] {
        &column[self.from..self.from + self.len]
    }

    pub fn codes(&self, codes: &'a Codes) -> Small<'a> {
        match codes {
            Codes::Narrow(codes) => Small::Narrow(self.slice(codes)),
            Codes::Wide(codes) => Small::Wide(self.slice(codes)),
        }
    }

    pub fn lengths(&self, lengths: &'a Lengths) -> Long<'a> {
        match lengths {
            Lengths::Narrow(lengths) => Long::Narrow(self.slice(lengths)),
            Lengths::Wide(lengths) => Long::Wide(self.slice(lengths)),
        }
    }

    /// What is known of the stretches that it is made of: one, or all of a chunk.
    fn bounds(&self) -> &'a [Bounds] {
        &self.chunk.bounds[self.from / BLOCK..(self.from + self.len).div_ceil(BLOCK)]
    }

    /// The first and the last day that a row of the block may have.
    pub fn days(&self) -> (i64, i64) {
        let least = self.bounds().iter().map(|bounds| bounds.least_day).min().unwrap_or(0);
        let most = self.bounds().iter().map(|bounds| bounds.most_day).max().unwrap_or(0);
        (self.chunk.first_day + i64::from(least), self.chunk.first_day + i64::from(most))
    }

    /// What its lengths and its waits come to at most.
    pub fn totals(&self) -> (u64, u64) {
        self.bounds().iter().fold((0, 0), |(length, wait): (u64, u64), bounds| {
            (length.saturating_add(bounds.length), wait.saturating_add(bounds.wait))
        })
    }

    /// Gives each row that is asked for to a function, with its number among them.
    #[inline(always)]
    pub fn each(&self, mut visit: impl FnMut(usize, usize)) {
        match self.rows {
            Rows::All => (0..self.len).for_each(|row| visit(row, row)),
            Rows::Some(rows) => {
                rows.iter().enumerate().for_each(|(place, row)| visit(place, usize::from(*row)));
            }
        }
    }
}

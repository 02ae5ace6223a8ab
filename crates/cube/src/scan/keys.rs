//! Computes the numbers of rows in a key space.

use std::sync::Arc;

use super::axis::HOURS_PER_WEEK;
use super::block::{Block, CodeSlice, LengthSlice, RowSelection};
use super::kernels::{add_flag_terms, add_hour_terms, add_strided_codes};
use super::key_number::KeyNumber;
use super::key_space::KeySpace;
use crate::dictionary::Link;
use crate::storage::{BLOCK_ROWS, Flags, Lengths};

/// The contribution of a link to the number of a row.
#[derive(Debug)]
enum LinkTerm<N> {
    /// The code multiplied by a stride.
    Stride(N),
    /// The position of the code multiplied by a stride.
    Table(Arc<Vec<u32>>, N),
}

/// Computes the numbers of rows in blocks.
#[derive(Debug)]
pub(super) struct KeyEncoder<N> {
    links: Vec<(Link, LinkTerm<N>)>,
    flags: Option<Box<[N; Flags::COUNT]>>,
    hours: Option<Box<[N; HOURS_PER_WEEK]>>,
    days: Option<Vec<N>>,
    first_day: i64,
    /// The stride of durations.
    lengths: Option<N>,
    numbers: Vec<N>,
}

/// The days of a block.
#[derive(Clone, Debug)]
pub(super) struct DaySplit<'a, N> {
    pub codes: &'a [u16],
    /// The code of each day, and the number of its rows in the key space.
    pub days: Vec<(u16, N)>,
}

/// The maximum number of days for which a block is split.
const MAX_SPLIT_DAYS: usize = 4;

/// The numbers of the matching rows of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowKeys<'a, N> {
    /// All rows have this number.
    Same(N),
    Each(&'a [N]),
}

impl<N: KeyNumber> KeyEncoder<N> {
    pub fn new(space: &KeySpace, first_day: i64) -> Self {
        let mut keys = Self {
            links: Vec::new(),
            flags: None,
            hours: None,
            days: None,
            first_day,
            lengths: None,
            numbers: vec![N::default(); BLOCK_ROWS],
        };
        for (axis, stride) in space.axes.iter().zip(&space.strides) {
            let stride = N::truncate_from(*stride);
            let source = &axis.source;
            if let Some((link, places)) = &source.link {
                keys.links.push(match places {
                    None => (*link, LinkTerm::Stride(stride)),
                    Some(places) => (*link, LinkTerm::Table(Arc::clone(places), stride)),
                });
            }
            if let Some(table) = &source.flags {
                add_scaled_table(
                    &mut keys.flags.get_or_insert_with(|| Box::new([N::default(); Flags::COUNT]))[..],
                    table,
                    stride,
                );
            }
            if let Some(table) = &source.hours {
                add_scaled_table(
                    &mut keys.hours.get_or_insert_with(|| Box::new([N::default(); HOURS_PER_WEEK]))[..],
                    table,
                    stride,
                );
            }
            if let Some(table) = &source.days {
                add_scaled_table(
                    keys.days.get_or_insert_with(|| vec![N::default(); table.len()]),
                    table,
                    stride,
                );
            }
            if source.uses_length_bucket {
                keys.lengths = Some(keys.lengths.unwrap_or_default() + stride);
            }
        }
        keys
    }

    /// Returns whether numbers depend on the day only.
    fn only_days(&self) -> bool {
        self.links.is_empty() && self.flags.is_none() && self.hours.is_none() && self.lengths.is_none()
    }

    /// Returns the number of rows with a day and flags, if numbers depend on nothing else.
    pub fn key_of_day(&self, day: i64, flags: Flags) -> N {
        let table = self.days.as_deref().unwrap_or_default();
        let at = usize::try_from(day - self.first_day).unwrap_or(usize::MAX);
        let by_flags = self.flags.as_ref().map(|table| table[usize::from(flags.0) % Flags::COUNT]);
        table.get(at).copied().unwrap_or_default() + by_flags.unwrap_or_default()
    }

    /// Returns the number of rows with a worksite and flags, if numbers depend on nothing else.
    pub fn key_of_worksite(&self, code: u32, flags: Flags) -> N {
        let by_flags = self.flags.as_ref().map(|table| table[usize::from(flags.0) % Flags::COUNT]);
        let by_link = |(_, term): &(Link, LinkTerm<N>)| match term {
            LinkTerm::Stride(stride) => N::from(code) * *stride,
            LinkTerm::Table(places, stride) => N::from(places[code as usize]) * *stride,
        };
        self.links.iter().map(by_link).fold(by_flags.unwrap_or_default(), |number, term| number + term)
    }

    /// Splits a block with few days, if numbers depend on nothing else. Then summing whole columns is faster than adding rows.
    pub fn split_by_day<'b>(&self, block: &Block<'b>) -> Option<DaySplit<'b, N>> {
        let (first_day, own) =
            block_days(self.days.as_deref(), self.first_day, block).filter(|_| self.only_days())?;
        let (RowSelection::All, CodeSlice::Narrow(codes)) = (block.rows, block.codes(&block.chunk.days))
        else {
            return None;
        };
        let is_same = own.iter().all(|number| Some(number) == own.first());
        if is_same || own.len() > MAX_SPLIT_DAYS {
            return None;
        }
        let first = u16::try_from(first_day - block.chunk.first_day).ok()?;
        Some(DaySplit { codes, days: (first..).zip(own.iter().copied()).collect() })
    }

    /// Returns the numbers of a block's rows.
    pub fn encode(&mut self, block: &Block<'_>) -> RowKeys<'_, N> {
        let chunk = block.chunk;
        let mut same = N::default();
        let mut days = None;
        if let Some((first_day, own)) = block_days(self.days.as_deref(), self.first_day, block) {
            // One day, or days of the same week or month.
            same = own.first().copied().unwrap_or_default();
            if own.iter().any(|number| *number != same) {
                same = N::default();
                days = Some((first_day, own));
            }
        }
        if days.is_none() && self.only_days() {
            return RowKeys::Same(same);
        }
        let numbers = &mut self.numbers[..block.selected_count()];
        numbers.fill(same);
        if let Some((first_day, own)) = days {
            let least = u32::try_from(first_day - chunk.first_day).unwrap_or(0);
            let of = |code: u32| own.get(code.wrapping_sub(least) as usize).copied().unwrap_or_default();
            match block.codes(&chunk.days) {
                CodeSlice::Narrow(codes) => add_term(numbers, codes, block.rows, |code| of(u32::from(code))),
                CodeSlice::Wide(codes) => add_term(numbers, codes, block.rows, of),
            }
        }
        for (link, step) in &self.links {
            let column = block.codes(chunk.column(*link));
            match (step, column) {
                (LinkTerm::Stride(stride), CodeSlice::Narrow(codes))
                    if matches!(block.rows, RowSelection::All) =>
                {
                    add_strided_codes(numbers, codes, *stride);
                }
                (LinkTerm::Stride(stride), CodeSlice::Narrow(codes)) => {
                    add_term(numbers, codes, block.rows, |code| N::from(u32::from(code)) * *stride);
                }
                (LinkTerm::Stride(stride), CodeSlice::Wide(codes)) => {
                    add_term(numbers, codes, block.rows, |code| N::from(code) * *stride);
                }
                (LinkTerm::Table(places, stride), CodeSlice::Narrow(codes)) => {
                    add_term(numbers, codes, block.rows, |code| N::from(places[usize::from(code)]) * *stride);
                }
                (LinkTerm::Table(places, stride), CodeSlice::Wide(codes)) => {
                    add_term(numbers, codes, block.rows, |code| N::from(places[code as usize]) * *stride);
                }
            }
        }
        if let Some(table) = &self.flags {
            let flags = block.slice(&chunk.flags);
            match block.rows {
                RowSelection::All => add_flag_terms(numbers, flags, table),
                rows @ RowSelection::Selected(_) => {
                    add_term(numbers, flags, rows, |flags| table[usize::from(flags) % Flags::COUNT]);
                }
            }
        }
        if let Some(table) = &self.hours {
            let minutes = block.slice(&chunk.minutes);
            match block.rows {
                RowSelection::All => add_hour_terms(numbers, minutes, table),
                rows @ RowSelection::Selected(_) => {
                    add_term(numbers, minutes, rows, |minute| {
                        table[usize::from(minute / 60).min(HOURS_PER_WEEK - 1)]
                    });
                }
            }
        }
        if let Some(stride) = self.lengths {
            match block.lengths(&chunk.lengths) {
                LengthSlice::Narrow(lengths) => {
                    add_term(numbers, lengths, block.rows, |length| N::from(narrow_bucket(length)) * stride);
                }
                LengthSlice::Wide(lengths) => {
                    add_term(numbers, lengths, block.rows, |length| N::from(wide_bucket(length)) * stride);
                }
            }
        }
        RowKeys::Each(numbers)
    }
}

/// Returns the first matching day of a block, and the numbers of its days from there.
fn block_days<'a, N>(table: Option<&'a [N]>, begin: i64, block: &Block<'_>) -> Option<(i64, &'a [N])> {
    let table = table?;
    let (first_day, last_day) = block.day_range();
    let first_day = first_day.max(begin);
    let from = usize::try_from(first_day - begin).ok()?;
    let to = usize::try_from(last_day - begin).ok()?.min(table.len().checked_sub(1)?);
    Some((first_day, table.get(from..=to)?))
}

fn add_scaled_table<N: KeyNumber>(to: &mut [N], table: &[u32], stride: N) {
    for (to, place) in to.iter_mut().zip(table) {
        *to = *to + N::from(*place) * stride;
    }
}

/// Adds a term to the numbers of the matching rows.
#[inline(always)]
fn add_term<N: KeyNumber, T: Copy>(
    numbers: &mut [N],
    column: &[T],
    rows: RowSelection<'_>,
    by: impl Fn(T) -> N,
) {
    match rows {
        RowSelection::All => {
            numbers.iter_mut().zip(column).for_each(|(number, value)| *number = *number + by(*value));
        }
        RowSelection::Selected(rows) => {
            numbers
                .iter_mut()
                .zip(rows)
                .for_each(|(number, row)| *number = *number + by(column[usize::from(*row)]));
        }
    }
}

/// The starts of the duration buckets except the first, in milliseconds, and the value for no duration.
const BUCKET_STARTS_MS: [u32; 7] = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000, Lengths::NARROW_NONE];

#[inline(always)]
fn narrow_bucket(length: u32) -> u32 {
    BUCKET_STARTS_MS.iter().map(|step| u32::from(length >= *step)).sum()
}

fn wide_bucket(length: i64) -> u32 {
    if length == Lengths::WIDE_NONE {
        return 7;
    }
    BUCKET_STARTS_MS[..6].iter().map(|step| u32::from(length >= i64::from(*step))).sum()
}

#[cfg(test)]
mod tests {
    use domain::insights::DurationBucket;

    use super::*;

    #[test]
    fn lengths_fall_into_the_buckets_of_the_domain() {
        for length in (0..400_000).step_by(500).chain([4_999, 14_999, 299_999]) {
            let bucket = DurationBucket::from_duration_ms(i64::from(length)).number();
            assert_eq!(i64::from(narrow_bucket(length)), bucket, "{length}");
            assert_eq!(i64::from(wide_bucket(i64::from(length))), bucket, "{length}");
        }
        assert_eq!((narrow_bucket(Lengths::NARROW_NONE), wide_bucket(Lengths::WIDE_NONE)), (7, 7));
        assert_eq!((wide_bucket(-5), wide_bucket(i64::MAX)), (0, 6));
    }
}

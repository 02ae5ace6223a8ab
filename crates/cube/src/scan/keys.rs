//! The numbers of rows in a space.

use std::ops::{Add, Mul};
use std::sync::Arc;

use super::axis::HOURS;
use super::block::{Block, Long, Rows, Small};
use super::kernels::{raise_by_flags, raise_by_hour, raise_by_stride};
use super::space::Space;
use crate::dictionary::Link;
use crate::storage::{BLOCK, Flags, Lengths};

/// What numbers a space can have.
pub(super) trait Number:
    Copy + Default + Eq + Send + Sync + From<u32> + Add<Output = Self> + Mul<Output = Self> + Into<u128> + 'static
{
    /// One that is known to fit.
    fn cut(number: u128) -> Self;
    /// Spreads its bits.
    fn hash(self) -> u64;
}

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[expect(clippy::cast_possible_truncation, reason = "spaces are as large as their numbers")]
mod numbers {
    use super::{Number, SPREAD};

    impl Number for u32 {
        fn cut(number: u128) -> Self {
            number as Self
        }
        fn hash(self) -> u64 {
            u64::from(self).hash()
        }
    }

    impl Number for u64 {
        fn cut(number: u128) -> Self {
            number as Self
        }
        #[inline(always)]
        fn hash(self) -> u64 {
            let mixed = self.wrapping_mul(SPREAD);
            (mixed ^ (mixed >> 32)).wrapping_mul(SPREAD)
        }
    }

    impl Number for u128 {
        fn cut(number: u128) -> Self {
            number
        }
        fn hash(self) -> u64 {
            ((self as u64).hash() ^ (self >> 64) as u64).hash()
        }
    }
}

/// What a link adds to the number of a row.
#[derive(Debug)]
enum Step<N> {
    /// Its code times a stride.
    Stride(N),
    /// The place of its code times a stride.
    Places(Arc<Vec<u32>>, N),
}

/// Numbers the rows of blocks.
#[derive(Debug)]
pub(super) struct Keys<N> {
    links: Vec<(Link, Step<N>)>,
    flags: Option<Box<[N; Flags::COUNT]>>,
    hours: Option<Box<[N; HOURS]>>,
    days: Option<Vec<N>>,
    first_day: i64,
    /// The stride of lengths.
    lengths: Option<N>,
    numbers: Vec<N>,
}

/// The days of a block.
#[derive(Clone, Debug)]
pub(super) struct Split<'a, N> {
    pub codes: &'a [u16],
    /// The code of each day, and the number of its rows.
    pub days: Vec<(u16, N)>,
}

/// How many days are few.
const FEW_DAYS: usize = 4;

/// The numbers of the rows of a block that are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbered<'a, N> {
    /// All have this one.
    Same(N),
    Each(&'a [N]),
}

impl<N: Number> Keys<N> {
    pub fn new(space: &Space, first_day: i64) -> Self {
        let mut keys = Self {
            links: Vec::new(),
            flags: None,
            hours: None,
            days: None,
            first_day,
            lengths: None,
            numbers: vec![N::default(); BLOCK],
        };
        for (axis, stride) in space.axes.iter().zip(&space.strides) {
            let stride = N::cut(*stride);
            let source = &axis.source;
            if let Some((link, places)) = &source.link {
                keys.links.push(match places {
                    None => (*link, Step::Stride(stride)),
                    Some(places) => (*link, Step::Places(Arc::clone(places), stride)),
                });
            }
            if let Some(table) = &source.flags {
                add(
                    &mut keys.flags.get_or_insert_with(|| Box::new([N::default(); Flags::COUNT]))[..],
                    table,
                    stride,
                );
            }
            if let Some(table) = &source.hours {
                add(
                    &mut keys.hours.get_or_insert_with(|| Box::new([N::default(); HOURS]))[..],
                    table,
                    stride,
                );
            }
            if let Some(table) = &source.days {
                add(keys.days.get_or_insert_with(|| vec![N::default(); table.len()]), table, stride);
            }
            if source.is_length {
                keys.lengths = Some(keys.lengths.unwrap_or_default() + stride);
            }
        }
        keys
    }

    /// Whether nothing but the day tells rows apart.
    fn is_by_days(&self) -> bool {
        self.links.is_empty() && self.flags.is_none() && self.hours.is_none() && self.lengths.is_none()
    }

    /// The number of rows of a day with some flags, where nothing else tells rows apart.
    pub fn of(&self, day: i64, flags: Flags) -> N {
        let table = self.days.as_deref().unwrap_or_default();
        let at = usize::try_from(day - self.first_day).unwrap_or(usize::MAX);
        let by_flags = self.flags.as_ref().map(|table| table[usize::from(flags.0) % Flags::COUNT]);
        table.get(at).copied().unwrap_or_default() + by_flags.unwrap_or_default()
    }

    /// The days of a block that has a few, if nothing else tells its rows apart: then whole sums are quicker than rows.
    pub fn split<'b>(&self, block: &Block<'b>) -> Option<Split<'b, N>> {
        let (first_day, own) =
            days_of(self.days.as_deref(), self.first_day, block).filter(|_| self.is_by_days())?;
        let (Rows::All, Small::Narrow(codes)) = (block.rows, block.codes(&block.chunk.days)) else {
            return None;
        };
        let is_same = own.iter().all(|number| Some(number) == own.first());
        if is_same || own.len() > FEW_DAYS {
            return None;
        }
        let first = u16::try_from(first_day - block.chunk.first_day).ok()?;
        Some(Split { codes, days: (first..).zip(own.iter().copied()).collect() })
    }

    /// The numbers of a block's rows.
    pub fn number(&mut self, block: &Block<'_>) -> Numbered<'_, N> {
        let chunk = block.chunk;
        let mut same = N::default();
        let mut days = None;
        if let Some((first_day, own)) = days_of(self.days.as_deref(), self.first_day, block) {
            // One day, or days of the same week or month.
            same = own.first().copied().unwrap_or_default();
            if own.iter().any(|number| *number != same) {
                same = N::default();
                days = Some((first_day, own));
            }
        }
        if days.is_none() && self.is_by_days() {
            return Numbered::Same(same);
        }
        let numbers = &mut self.numbers[..block.count()];
        numbers.fill(same);
        if let Some((first_day, own)) = days {
            let least = u32::try_from(first_day - chunk.first_day).unwrap_or(0);
            let of = |code: u32| own.get(code.wrapping_sub(least) as usize).copied().unwrap_or_default();
            match block.codes(&chunk.days) {
                Small::Narrow(codes) => raise(numbers, codes, block.rows, |code| of(u32::from(code))),
                Small::Wide(codes) => raise(numbers, codes, block.rows, of),
            }
        }
        for (link, step) in &self.links {
            let column = block.codes(chunk.column(*link));
            match (step, column) {
                (Step::Stride(stride), Small::Narrow(codes)) if matches!(block.rows, Rows::All) => {
                    raise_by_stride(numbers, codes, *stride);
                }
                (Step::Stride(stride), Small::Narrow(codes)) => {
                    raise(numbers, codes, block.rows, |code| N::from(u32::from(code)) * *stride);
                }
                (Step::Stride(stride), Small::Wide(codes)) => {
                    raise(numbers, codes, block.rows, |code| N::from(code) * *stride);
                }
                (Step::Places(places, stride), Small::Narrow(codes)) => {
                    raise(numbers, codes, block.rows, |code| N::from(places[usize::from(code)]) * *stride);
                }
                (Step::Places(places, stride), Small::Wide(codes)) => {
                    raise(numbers, codes, block.rows, |code| N::from(places[code as usize]) * *stride);
                }
            }
        }
        if let Some(table) = &self.flags {
            let flags = block.slice(&chunk.flags);
            match block.rows {
                Rows::All => raise_by_flags(numbers, flags, table),
                rows @ Rows::Some(_) => {
                    raise(numbers, flags, rows, |flags| table[usize::from(flags) % Flags::COUNT]);
                }
            }
        }
        if let Some(table) = &self.hours {
            let minutes = block.slice(&chunk.minutes);
            match block.rows {
                Rows::All => raise_by_hour(numbers, minutes, table),
                rows @ Rows::Some(_) => {
                    raise(numbers, minutes, rows, |minute| table[usize::from(minute / 60).min(HOURS - 1)]);
                }
            }
        }
        if let Some(stride) = self.lengths {
            match block.lengths(&chunk.lengths) {
                Long::Narrow(lengths) => {
                    raise(numbers, lengths, block.rows, |length| N::from(narrow_bucket(length)) * stride);
                }
                Long::Wide(lengths) => {
                    raise(numbers, lengths, block.rows, |length| N::from(wide_bucket(length)) * stride);
                }
            }
        }
        Numbered::Each(numbers)
    }
}

/// The first day that is asked for of a block, and the numbers of its days from there on.
fn days_of<'a, N>(table: Option<&'a [N]>, begin: i64, block: &Block<'_>) -> Option<(i64, &'a [N])> {
    let table = table?;
    let (first_day, last_day) = block.days();
    let first_day = first_day.max(begin);
    let from = usize::try_from(first_day - begin).ok()?;
    let to = usize::try_from(last_day - begin).ok()?.min(table.len().checked_sub(1)?);
    Some((first_day, table.get(from..=to)?))
}

fn add<N: Number>(to: &mut [N], table: &[u32], stride: N) {
    for (to, place) in to.iter_mut().zip(table) {
        *to = *to + N::from(*place) * stride;
    }
}

/// Adds something to the numbers of the rows that are asked for.
#[inline(always)]
fn raise<N: Number, T: Copy>(numbers: &mut [N], column: &[T], rows: Rows<'_>, by: impl Fn(T) -> N) {
    match rows {
        Rows::All => {
            numbers.iter_mut().zip(column).for_each(|(number, value)| *number = *number + by(*value));
        }
        Rows::Some(rows) => {
            numbers
                .iter_mut()
                .zip(rows)
                .for_each(|(number, row)| *number = *number + by(column[usize::from(*row)]));
        }
    }
}

/// Where buckets of lengths begin but for the first, in milliseconds, and what has no length.
const STEPS: [u32; 7] = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000, Lengths::NARROW_NONE];

#[inline(always)]
fn narrow_bucket(length: u32) -> u32 {
    STEPS.iter().map(|step| u32::from(length >= *step)).sum()
}

fn wide_bucket(length: i64) -> u32 {
    if length == Lengths::WIDE_NONE {
        return 7;
    }
    STEPS[..6].iter().map(|step| u32::from(length >= i64::from(*step))).sum()
}

#[cfg(test)]
mod tests {
    use domain::insights::DurationBucket;

    use super::*;

    #[test]
    fn lengths_fall_into_the_buckets_of_the_domain() {
        for length in (0..400_000).step_by(500).chain([4_999, 14_999, 299_999]) {
            let bucket = DurationBucket::of_ms(i64::from(length)).number();
            assert_eq!(i64::from(narrow_bucket(length)), bucket, "{length}");
            assert_eq!(i64::from(wide_bucket(i64::from(length))), bucket, "{length}");
        }
        assert_eq!((narrow_bucket(Lengths::NARROW_NONE), wide_bucket(Lengths::WIDE_NONE)), (7, 7));
        assert_eq!((wide_bucket(-5), wide_bucket(i64::MAX)), (0, 6));
    }
}

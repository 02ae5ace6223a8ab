//! The summary of a chunk, which allows most questions to skip most chunks without reading them.
//!
//! A summary may cover more than the chunk contains, but never less: a change widens it without scanning the other rows.

use super::{Chunk, Codes, Flags, Key, Lengths, Row};
use crate::Error;
use crate::dictionary::Link;

/// Codes that are equal modulo this number share a bit.
pub(crate) const PRESENCE_BITS: usize = 1_024;
const PRESENCE_WORDS: usize = PRESENCE_BITS / 64;
/// The number of links with presence bits: all except cells, which are never filtered.
const PRESENCE_LINKS: usize = Link::COUNT - 1;
/// The size of an encoded summary.
const ENCODED_BYTES: usize = 8 * (8 + PRESENCE_LINKS * PRESENCE_WORDS);

/// The bounds of a chunk, and the codes that occur in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub(crate) rows: usize,
    pub(crate) first: Key,
    pub(crate) last: Key,
    pub(crate) first_day: i64,
    pub(crate) last_day: i64,
    /// The longest duration, negative if there is none.
    pub(crate) max_length: i64,
    /// One bit for each value of the flags.
    pub(crate) flags: u64,
    presence: Box<[[u64; PRESENCE_WORDS]; PRESENCE_LINKS]>,
}

impl Summary {
    pub(crate) fn of(chunk: &Chunk) -> Self {
        let at = |row: usize| if row < chunk.len() { chunk.key(row) } else { (0, 0) };
        let min = chunk.block_bounds.iter().map(|bounds| bounds.min_day).min().unwrap_or(0);
        let max = chunk.block_bounds.iter().map(|bounds| bounds.max_day).max().unwrap_or(0);
        let mut presence = Box::new([[0; PRESENCE_WORDS]; PRESENCE_LINKS]);
        for (bits, column) in presence.iter_mut().zip(&chunk.links) {
            match column {
                Codes::Narrow(codes) => set_presence_bits(bits, codes, usize::from),
                Codes::Wide(codes) => set_presence_bits(bits, codes, |code| code as usize),
            }
        }
        let longest = match &chunk.lengths {
            Lengths::Narrow(lengths) => {
                let ended =
                    |length: &u32| if *length == Lengths::NARROW_NONE { -1 } else { i64::from(*length) };
                lengths.iter().map(ended).max()
            }
            Lengths::Wide(lengths) => lengths.iter().copied().max(),
        };
        Self {
            rows: chunk.len(),
            first: at(0),
            last: at(chunk.len().wrapping_sub(1)),
            first_day: chunk.first_day + i64::from(min),
            last_day: chunk.first_day + i64::from(max),
            max_length: longest.unwrap_or(-1).max(-1),
            flags: chunk.flags.iter().fold(0, |flags, one| flags | 1 << (usize::from(*one) % Flags::COUNT)),
            presence,
        }
    }

    /// Returns the summary of two chunks together.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.rows += other.rows;
        both.first = self.first.min(other.first);
        both.last = self.last.max(other.last);
        both.first_day = self.first_day.min(other.first_day);
        both.last_day = self.last_day.max(other.last_day);
        both.max_length = self.max_length.max(other.max_length);
        both.flags |= other.flags;
        let words = both.presence.as_flattened_mut().iter_mut().zip(other.presence.as_flattened());
        words.for_each(|(own, other)| *own |= other);
        both
    }

    /// Returns the summary widened by some changed rows.
    pub(crate) fn widened(&self, changes: &[(usize, Row)]) -> Self {
        let mut wider = self.clone();
        for (_, row) in changes {
            wider.first_day = wider.first_day.min(row.day);
            wider.last_day = wider.last_day.max(row.day);
            wider.max_length = wider.max_length.max(row.length.unwrap_or(-1));
            wider.flags |= 1 << row.flags.0;
            for (bits, code) in wider.presence.iter_mut().zip(row.codes) {
                set_presence_bit(bits, code);
            }
        }
        wider
    }

    /// Returns one bit for each code that occurs, modulo [`PRESENCE_BITS`].
    pub(crate) fn presence(&self, link: Link) -> &[u64; PRESENCE_WORDS] {
        &self.presence[(link as usize).min(PRESENCE_LINKS - 1)]
    }

    /// Returns the number of rows in the chunk.
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let numbers = [
            rows,
            self.first.0,
            self.first.1,
            self.last.0,
            self.last.1,
            // Both are within a few million.
            self.first_day << 32 | (self.last_day & 0xFFFF_FFFF),
            self.max_length,
            self.flags.cast_signed(),
        ];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.presence.as_flattened().iter().flat_map(|word| word.to_le_bytes()));
    }

    /// Decodes a summary from the beginning of some bytes, and consumes them.
    pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Self, Error> {
        let damaged = Error::Damaged("a summary is truncated");
        let (own, rest) = bytes.split_at_checked(ENCODED_BYTES).ok_or(damaged)?;
        *bytes = rest;
        let mut words = own.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or(0);
        let mut number = || next().cast_signed();
        let rows = usize::try_from(number())
            .map_err(|_| Error::Damaged("a summary has a negative number of rows"))?;
        let (first, last) = ((number(), number()), (number(), number()));
        let days = number();
        let (longest, flags) = (number(), next());
        let mut presence = Box::new([[0; PRESENCE_WORDS]; PRESENCE_LINKS]);
        presence.as_flattened_mut().iter_mut().for_each(|word| *word = next());
        let (first_day, last_day) = (days >> 32, days << 32 >> 32);
        let farthest = -Row::MAX_ABS_DAY..=Row::MAX_ABS_DAY;
        if first > last
            || first_day > last_day
            || !farthest.contains(&first_day)
            || !farthest.contains(&last_day)
        {
            return Err(Error::Damaged("a summary is inconsistent"));
        }
        Ok(Self { rows, first, last, first_day, last_day, max_length: longest, flags, presence })
    }

    /// Returns whether the summary covers a chunk.
    pub(crate) fn covers(&self, chunk: &Chunk) -> bool {
        let own = Self::of(chunk);
        let within = |inner: u64, outer: u64| inner & !outer == 0;
        let presence = own.presence.as_flattened().iter().zip(self.presence.as_flattened());
        own.rows == self.rows
            && own.first == self.first
            && own.last == self.last
            && own.first_day >= self.first_day
            && own.last_day <= self.last_day
            && own.max_length <= self.max_length
            && within(own.flags, self.flags)
            && presence.into_iter().all(|(inner, outer)| within(*inner, *outer))
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.presence)
    }
}

/// Sets the bits of all codes of a column.
fn set_presence_bits<T: Copy>(bits: &mut [u64; PRESENCE_WORDS], codes: &[T], code: impl Fn(T) -> usize) {
    let mut seen = [0_u8; PRESENCE_BITS];
    codes.iter().for_each(|own| seen[code(*own) % PRESENCE_BITS] = 1);
    for (word, seen) in bits.iter_mut().zip(seen.as_chunks::<64>().0) {
        *word = seen.iter().rev().fold(0, |word, seen| word << 1 | u64::from(*seen));
    }
}

fn set_presence_bit(bits: &mut [u64; PRESENCE_WORDS], code: u32) {
    let bit = code as usize % PRESENCE_BITS;
    bits[bit / 64] |= 1 << (bit % 64);
}

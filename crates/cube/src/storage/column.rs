//! Columns of a chunk, as narrow as their values allow.

use super::values::Values;

/// The order of the rows when two columns are merged.
#[derive(Clone, Debug)]
pub(crate) enum MergeOrder {
    /// The rows of the first column, then those of the second.
    Concatenated,
    /// By row number; the numbers of the second column follow those of the first.
    ByIndex(Vec<u32>),
}

impl MergeOrder {
    /// Returns the row number for each position of the result.
    fn row_indexes(&self, first: usize, second: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let (in_turn, in_order) = match self {
            Self::Concatenated => (0..first + second, &[][..]),
            Self::ByIndex(order) => (0..0, &order[..]),
        };
        in_turn.chain(in_order.iter().map(|at| *at as usize))
    }
}

/// Merges the rows of two columns.
pub(super) fn gather<T: Copy>(first: &[T], second: &[T], picking: &MergeOrder) -> Vec<T> {
    match picking {
        MergeOrder::Concatenated => [first, second].concat(),
        MergeOrder::ByIndex(order) => {
            let take = |at: &u32| {
                let at = *at as usize;
                if at < first.len() { first[at] } else { second[at - first.len()] }
            };
            order.iter().map(take).collect()
        }
    }
}

/// Returns a copy with some rows changed, or `None` if nothing changes.
pub(super) fn with_changes<T: Copy + PartialEq>(
    column: &Values<T>,
    changes: impl Iterator<Item = (usize, T)> + Clone,
) -> Option<Values<T>> {
    if changes.clone().all(|(at, value)| column[at] == value) {
        return None;
    }
    let mut copy = column.to_vec();
    changes.for_each(|(at, value)| copy[at] = value);
    Some(copy.into())
}

/// Small numbers: codes of ids, or days relative to the first day of the chunk.
#[derive(Clone, Debug)]
pub(crate) enum Codes {
    Narrow(Values<u16>),
    Wide(Values<u32>),
}

impl Codes {
    pub fn new(codes: impl Iterator<Item = u32> + Clone) -> Self {
        if codes.clone().all(|code| code <= u32::from(u16::MAX)) {
            #[expect(clippy::cast_possible_truncation, reason = "all are small enough")]
            return Self::Narrow(codes.map(|code| code as u16).collect());
        }
        Self::Wide(codes.collect())
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    /// Returns whether both share the same values.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Narrow(own), Self::Narrow(other)) => own.ptr_eq(other),
            (Self::Wide(own), Self::Wide(other)) => own.ptr_eq(other),
            _ => false,
        }
    }

    pub fn get(&self, at: usize) -> u32 {
        match self {
            Self::Narrow(codes) => u32::from(codes[at]),
            Self::Wide(codes) => codes[at],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    pub fn slice(&self, from: usize, len: usize) -> Self {
        match self {
            Self::Narrow(codes) => Self::Narrow(codes.slice(from, len)),
            Self::Wide(codes) => Self::Wide(codes.slice(from, len)),
        }
    }

    /// Merges the rows of two columns; an offset is added to the codes of each.
    pub fn gather(first: (&Self, u32), second: (&Self, u32), picking: &MergeOrder) -> Self {
        if let ((Self::Narrow(one), 0), (Self::Narrow(other), 0)) = (first, second) {
            return Self::Narrow(gather(one, other, picking).into());
        }
        let rows = first.0.len();
        let take = |at: usize| {
            if at < rows { first.0.get(at) + first.1 } else { second.0.get(at - rows) + second.1 }
        };
        Self::new(picking.row_indexes(rows, second.0.len()).map(take))
    }

    /// Returns a copy with some rows changed, or `None` if nothing changes.
    pub fn with_changes(&self, changes: impl Iterator<Item = (usize, u32)> + Clone) -> Option<Self> {
        let fits = changes.clone().all(|(_, code)| code <= u32::from(u16::MAX));
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "all are small enough")]
            Self::Narrow(codes) if fits => {
                with_changes(codes, changes.map(|(at, code)| (at, code as u16))).map(Self::Narrow)
            }
            Self::Narrow(codes) => {
                let wide: Values<u32> = codes.iter().map(|code| u32::from(*code)).collect();
                with_changes(&wide, changes).map(Self::Wide)
            }
            Self::Wide(codes) => with_changes(codes, changes).map(Self::Wide),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len() * 2,
            Self::Wide(codes) => codes.len() * 4,
        }
    }
}

/// Durations that may be missing.
#[derive(Clone, Debug)]
pub(crate) enum Lengths {
    /// The maximum value stands for none.
    Narrow(Values<u32>),
    /// The minimum value stands for none.
    Wide(Values<i64>),
}

impl Lengths {
    pub const NARROW_NONE: u32 = u32::MAX;
    pub const WIDE_NONE: i64 = i64::MIN;

    pub fn new(lengths: impl Iterator<Item = Option<i64>> + Clone) -> Self {
        if lengths.clone().all(|length| length.is_none_or(|length| Self::narrow(Some(length)).is_some())) {
            return Self::Narrow(lengths.map(|length| Self::narrow(length).unwrap_or(0)).collect());
        }
        Self::Wide(lengths.map(Self::wide).collect())
    }

    fn narrow(length: Option<i64>) -> Option<u32> {
        let Some(length) = length else { return Some(Self::NARROW_NONE) };
        u32::try_from(length).ok().filter(|length| *length != Self::NARROW_NONE)
    }

    fn wide(length: Option<i64>) -> i64 {
        length.map_or(Self::WIDE_NONE, |length| length.max(Self::WIDE_NONE + 1))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(lengths) => lengths.len(),
            Self::Wide(lengths) => lengths.len(),
        }
    }

    /// Returns whether both share the same values.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Narrow(own), Self::Narrow(other)) => own.ptr_eq(other),
            (Self::Wide(own), Self::Wide(other)) => own.ptr_eq(other),
            _ => false,
        }
    }

    pub fn get(&self, at: usize) -> Option<i64> {
        match self {
            Self::Narrow(lengths) => {
                Some(lengths[at]).filter(|length| *length != Self::NARROW_NONE).map(i64::from)
            }
            Self::Wide(lengths) => Some(lengths[at]).filter(|length| *length != Self::WIDE_NONE),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<i64>> + Clone + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    pub fn slice(&self, from: usize, len: usize) -> Self {
        match self {
            Self::Narrow(lengths) => Self::Narrow(lengths.slice(from, len)),
            Self::Wide(lengths) => Self::Wide(lengths.slice(from, len)),
        }
    }

    pub fn gather(first: &Self, second: &Self, picking: &MergeOrder) -> Self {
        if let (Self::Narrow(one), Self::Narrow(other)) = (first, second) {
            return Self::Narrow(gather(one, other, picking).into());
        }
        let rows = first.len();
        let take = |at: usize| if at < rows { first.get(at) } else { second.get(at - rows) };
        Self::new(picking.row_indexes(rows, second.len()).map(take))
    }

    /// Sums some rows; negative values count as zero.
    pub fn sum(&self, from: usize, len: usize) -> u64 {
        match self {
            Self::Narrow(lengths) => {
                let own = |length: &u32| if *length == Self::NARROW_NONE { 0 } else { u64::from(*length) };
                lengths[from..from + len].iter().map(own).sum()
            }
            Self::Wide(lengths) => lengths[from..from + len]
                .iter()
                .fold(0, |sum, length| sum.saturating_add((*length).max(0).cast_unsigned())),
        }
    }

    /// Returns a copy with some rows changed, or `None` if nothing changes.
    pub fn with_changes(&self, changes: impl Iterator<Item = (usize, Option<i64>)> + Clone) -> Option<Self> {
        let fits = changes.clone().all(|(_, length)| Self::narrow(length).is_some());
        match self {
            Self::Narrow(lengths) if fits => {
                let changes = changes.map(|(at, length)| (at, Self::narrow(length).unwrap_or(0)));
                with_changes(lengths, changes).map(Self::Narrow)
            }
            Self::Narrow(_) => {
                let wide: Values<i64> = self.iter().map(Self::wide).collect();
                with_changes(&wide, changes.map(|(at, length)| (at, Self::wide(length)))).map(Self::Wide)
            }
            Self::Wide(lengths) => {
                with_changes(lengths, changes.map(|(at, length)| (at, Self::wide(length)))).map(Self::Wide)
            }
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(lengths) => lengths.len() * 4,
            Self::Wide(lengths) => lengths.len() * 8,
        }
    }
}

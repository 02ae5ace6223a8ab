//! Adds values to counters by index. If the same counter is updated again before the last update has completed, the processor stalls. With
//! few counters, each therefore has several lanes, which are used in turn and summed at the end.

use std::ops::AddAssign;

use super::block::RowSelection;

/// The number of lanes, if there are several.
pub(super) const LANES: usize = 4;

/// Whether counters have lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    One,
    Several,
}

impl Lanes {
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Several => LANES,
        }
    }

    /// Returns the sums of the lanes.
    pub fn fold<T: Copy + Default + AddAssign>(self, values: Vec<T>) -> Vec<T> {
        match self {
            Self::One => values,
            Self::Several => {
                let sum = |lanes: &[T; LANES]| {
                    let mut sum = T::default();
                    lanes.iter().for_each(|lane| sum += *lane);
                    sum
                };
                values.as_chunks::<LANES>().0.iter().map(sum).collect()
            }
        }
    }
}

/// Adds a value of each row to the counter of its group.
#[inline(always)]
pub(super) fn scatter<A: AddAssign + Copy, T: Copy>(
    to: &mut [A],
    lanes: Lanes,
    groups: &[u32],
    column: &[T],
    rows: RowSelection<'_>,
    value: impl Fn(T) -> A,
) {
    match (rows, lanes) {
        (RowSelection::All, Lanes::One) => {
            for (group, own) in groups.iter().zip(column) {
                to[*group as usize] += value(*own);
            }
        }
        (RowSelection::All, Lanes::Several) => {
            let to = to.as_chunks_mut::<LANES>().0;
            let (fours, rest) = groups.as_chunks::<LANES>();
            let (own_fours, own_rest) = column.as_chunks::<LANES>();
            for (groups, own) in fours.iter().zip(own_fours) {
                for lane in 0..LANES {
                    to[groups[lane] as usize][lane] += value(own[lane]);
                }
            }
            for (group, own) in rest.iter().zip(own_rest) {
                to[*group as usize][0] += value(*own);
            }
        }
        (RowSelection::Selected(rows), Lanes::One) => {
            for (group, row) in groups.iter().zip(rows) {
                to[*group as usize] += value(column[usize::from(*row)]);
            }
        }
        (RowSelection::Selected(rows), Lanes::Several) => {
            let to = to.as_chunks_mut::<LANES>().0;
            let (fours, rest) = groups.as_chunks::<LANES>();
            let (row_fours, row_rest) = rows.as_chunks::<LANES>();
            for (groups, rows) in fours.iter().zip(row_fours) {
                for lane in 0..LANES {
                    to[groups[lane] as usize][lane] += value(column[usize::from(rows[lane])]);
                }
            }
            for (group, row) in rest.iter().zip(row_rest) {
                to[*group as usize][0] += value(column[usize::from(*row)]);
            }
        }
    }
}

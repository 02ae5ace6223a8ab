//! Adds rows to totals one column after the other, for rows that no faster layout covers.

use super::block::{Block, LengthSlice, RowSelection};
use super::kernels::sum_lengths;
use super::lanes::{Lanes, scatter};
use super::totals::Totals;
use crate::storage::{Flags, Lengths};

/// Adds rows to the totals, one column after the other.
pub(super) fn add_plain(block: &Block<'_>, groups: &[u32], sums: &mut Totals) {
    let chunk = block.chunk;
    let flags = block.slice(&chunk.flags);
    let needs = sums.needs;
    scatter(&mut sums.count, Lanes::One, groups, groups, RowSelection::All, |_| 1);
    if needs.acknowledged {
        scatter(&mut sums.acknowledged, Lanes::One, groups, flags, block.rows, |flags| {
            u32::from(flags & Flags::ACKNOWLEDGED != 0)
        });
    }
    if needs.ended {
        groups.iter().for_each(|group| {
            let ended = &mut sums.ended[*group as usize];
            *ended = ended.wrapping_add(1);
        });
    }
    let add = |to: &mut Vec<i64>, lengths: LengthSlice<'_>| match lengths {
        LengthSlice::Narrow(lengths) => {
            scatter(to, Lanes::One, groups, lengths, block.rows, narrow_length_or_zero);
        }
        LengthSlice::Wide(lengths) => {
            scatter(to, Lanes::One, groups, lengths, block.rows, wide_length_or_zero);
        }
    };
    if needs.length {
        add(&mut sums.length, block.lengths(&chunk.lengths));
    }
    if needs.ack_time {
        add(&mut sums.ack_time, block.lengths(&chunk.ack_times));
    }
}

pub(super) fn sum_lengths_of_rows(lengths: LengthSlice<'_>, rows: RowSelection<'_>) -> i64 {
    match (lengths, rows) {
        (LengthSlice::Narrow(lengths), RowSelection::All) => sum_lengths(lengths),
        (LengthSlice::Narrow(lengths), RowSelection::Selected(rows)) => {
            rows.iter().map(|row| narrow_length_or_zero(lengths[usize::from(*row)])).sum()
        }
        (LengthSlice::Wide(lengths), RowSelection::All) => {
            lengths.iter().map(|length| wide_length_or_zero(*length)).sum()
        }
        (LengthSlice::Wide(lengths), RowSelection::Selected(rows)) => {
            rows.iter().map(|row| wide_length_or_zero(lengths[usize::from(*row)])).sum()
        }
    }
}

#[inline(always)]
pub(super) fn narrow_length_or_zero(length: u32) -> i64 {
    if length == Lengths::NARROW_NONE { 0 } else { i64::from(length) }
}

#[inline(always)]
pub(super) fn wide_length_or_zero(length: i64) -> i64 {
    if length == Lengths::WIDE_NONE { 0 } else { length }
}

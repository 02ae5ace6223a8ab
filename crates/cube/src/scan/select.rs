//! Selects the rows that match.

use super::block::{Block, CodeSlice, LengthSlice, RowSelection};
use super::code_set::{CodeSet, SPARSE_DIVISOR};
use super::conditions::{Conditions, FactKind, ResidualChecks};
use super::index_selection::IndexSelection;
use super::kernels::{filter_code_range, filter_equal, filter_flags, filter_in_table, filter_length_range};
use super::row_list::{RowList, collect_rows};
use crate::dictionary::Link;
use crate::storage::{BLOCK_ROWS, Chunk};

/// Selects rows of chunks, with reusable buffers.
#[derive(Debug)]
pub(super) struct Selector {
    mask: Vec<u8>,
    rows: RowList,
}

impl Selector {
    pub fn new() -> Self {
        Self { mask: vec![0; BLOCK_ROWS], rows: RowList::new() }
    }

    /// Calls a function for each block of a chunk that has matching rows.
    pub fn for_each_block<E>(
        &mut self,
        chunk: &Chunk,
        conditions: &Conditions,
        checks: ResidualChecks,
        mut visit: impl FnMut(&Block<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut begin, mut end) = (0, chunk.len());
        if checks.time && conditions.fact_kind == FactKind::Incursions {
            // Rows are ordered by time.
            begin = conditions.from_us.map_or(0, |from| chunk.started_at.partition_point(|at| *at < from));
            end = conditions.to_us.map_or(end, |to| chunk.started_at.partition_point(|at| *at < to));
        }
        if begin >= end {
            return Ok(());
        }
        if let Some(few) = IndexSelection::choose(chunk, begin..end, conditions, checks) {
            return self.visit_index_selection(chunk, &few, conditions, visit);
        }
        while begin < end {
            let next = end.min((begin / BLOCK_ROWS + 1) * BLOCK_ROWS);
            let block = Block { chunk, from: begin, len: next - begin, rows: RowSelection::All };
            begin = next;
            match self.select_rows(&block, conditions, checks) {
                Selection::None => {}
                Selection::All => visit(&block)?,
                Selection::Some => {
                    visit(&Block { rows: RowSelection::Selected(self.rows.as_slice()), ..block })?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of matching rows in a block.
    pub fn count(&mut self, block: &Block<'_>, conditions: &Conditions, checks: ResidualChecks) -> usize {
        match self.select_rows(block, conditions, checks) {
            Selection::None => 0,
            Selection::All => block.len,
            Selection::Some => self.rows.as_slice().len(),
        }
    }

    /// Visits the rows from an index selection that meet the remaining conditions.
    fn visit_index_selection<E>(
        &mut self,
        chunk: &Chunk,
        few: &IndexSelection<'_>,
        conditions: &Conditions,
        mut visit: impl FnMut(&Block<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let block = Block { chunk, from: 0, len: chunk.len(), rows: RowSelection::All };
        // A person who is both pedestrian and operator is among the pedestrians already.
        let on_foot = conditions.people.as_ref().map(|people| (people, chunk.column(Link::Pedestrian)));
        for (runs, others) in [(&few.postings, None), (&few.operator_postings, on_foot)] {
            let mut runs = runs.iter().copied();
            let mut rest: &[u16] = &[];
            loop {
                self.rows.clear();
                while self.rows.as_slice().len() < BLOCK_ROWS {
                    if rest.is_empty() {
                        let Some(run) = runs.next() else { break };
                        rest = run;
                    }
                    rest = self.rows.fill(rest);
                }
                if self.rows.as_slice().is_empty() {
                    break;
                }
                if let Some((people, codes)) = others {
                    self.rows.retain(|row| !people.contains(codes.get(row)));
                }
                filter_row_list(&mut self.rows, &block, conditions, few.residual);
                if !self.rows.as_slice().is_empty() {
                    visit(&Block { rows: RowSelection::Selected(self.rows.as_slice()), ..block })?;
                }
            }
        }
        Ok(())
    }

    fn select_rows(
        &mut self,
        block: &Block<'_>,
        conditions: &Conditions,
        checks: ResidualChecks,
    ) -> Selection {
        let (first_day, last_day) = block.day_range();
        if first_day >= conditions.to_day || last_day < conditions.from_day {
            return Selection::None;
        }
        let days = checks.days && (first_day < conditions.from_day || last_day >= conditions.to_day);
        let is_runtime = conditions.fact_kind == FactKind::Runtime;
        if !(days || checks.flags || checks.lengths || checks.people || checks.code_sets != 0 || is_runtime) {
            return Selection::All;
        }
        let mask = &mut self.mask[..block.len];
        mask.fill(1);
        let chunk = block.chunk;
        if is_runtime {
            filter_runtime(mask, block, conditions, checks);
        }
        for (place, (link, members)) in conditions.code_sets.iter().enumerate() {
            if checks.checks_code_set(place) {
                filter_in_set(mask, block.codes(chunk.column(*link)), members);
            }
        }
        let is_done = !(days || checks.flags || checks.lengths || checks.people);
        if is_done || checks.code_sets != 0 {
            collect_rows(mask, &mut self.rows);
            let left = self.rows.as_slice().len();
            if is_done || left <= block.len / SPARSE_DIVISOR {
                filter_row_list(
                    &mut self.rows,
                    block,
                    conditions,
                    ResidualChecks { days, code_sets: 0, ..checks },
                );
                return Selection::of(self.rows.as_slice().len(), block.len);
            }
        }
        if checks.flags {
            let flags = block.slice(&chunk.flags);
            match conditions.flag_mask {
                Some((bits, value)) => filter_flags(mask, flags, bits, value),
                None => filter_by(mask, flags, |flags| conditions.has_flags(flags)),
            }
        }
        if days {
            let (from, to) = conditions.day_codes(chunk);
            match block.codes(&chunk.days) {
                CodeSlice::Narrow(days) => {
                    if to == 0 || from > u32::from(u16::MAX) {
                        mask.fill(0);
                    }
                    let short = |day: u32| u16::try_from(day).unwrap_or(u16::MAX);
                    filter_code_range(mask, days, short(from), short(to.saturating_sub(1)));
                }
                CodeSlice::Wide(days) => filter_by(mask, days, |day| (from..to).contains(&day)),
            }
        }
        if let (true, Some(people)) = (checks.people, &conditions.people) {
            filter_people(mask, block, people);
        }
        if let (true, Some((min, max))) = (checks.lengths, conditions.length_range_ms) {
            // The flags have already ensured that there is a duration.
            match block.lengths(&chunk.lengths) {
                LengthSlice::Narrow(lengths) => {
                    let short =
                        |length: i64| u32::try_from(length.clamp(0, i64::from(u32::MAX))).unwrap_or(0);
                    if max < 0 {
                        mask.fill(0);
                    }
                    filter_length_range(mask, lengths, short(min), short(max));
                }
                LengthSlice::Wide(lengths) => {
                    filter_by(mask, lengths, |length| (min..=max).contains(&length));
                }
            }
        }
        collect_rows(mask, &mut self.rows);
        Selection::of(self.rows.as_slice().len(), block.len)
    }
}

/// The selected rows of a block.
enum Selection {
    None,
    All,
    /// The rows in the selector's list.
    Some,
}

impl Selection {
    fn of(picked: usize, all: usize) -> Self {
        match picked {
            0 => Self::None,
            picked if picked == all => Self::All,
            _ => Self::Some,
        }
    }
}

/// Keeps the rows for which the predicate holds.
#[inline(always)]
fn filter_by<T: Copy>(mask: &mut [u8], column: &[T], holds: impl Fn(T) -> bool) {
    for (mask, value) in mask.iter_mut().zip(column) {
        *mask &= u8::from(holds(*value));
    }
}

/// Keeps the rows whose code is in a set.
fn filter_in_set(mask: &mut [u8], column: CodeSlice<'_>, members: &CodeSet) {
    match (column, &members.codes[..]) {
        (CodeSlice::Narrow(column), [one]) => match u16::try_from(*one) {
            Ok(one) => filter_equal(mask, column, one),
            Err(_) => mask.fill(0),
        },
        (CodeSlice::Wide(column), [one]) => filter_by(mask, column, |code| code == *one),
        (CodeSlice::Narrow(column), _) => filter_in_table(mask, column, &members.table),
        (CodeSlice::Wide(column), _) => filter_by(mask, column, |code| members.contains(code)),
    }
}

/// Keeps the rows with a person of the set as pedestrian or operator.
fn filter_people(mask: &mut [u8], block: &Block<'_>, people: &CodeSet) {
    let mut driving = mask.to_vec();
    filter_in_set(&mut driving, block.codes(block.chunk.column(Link::Operator)), people);
    filter_in_set(mask, block.codes(block.chunk.column(Link::Pedestrian)), people);
    mask.iter_mut().zip(driving).for_each(|(mask, driving)| *mask |= driving);
}

/// Keeps the runtime pieces that have a part within the requested time.
fn filter_runtime(mask: &mut [u8], block: &Block<'_>, conditions: &Conditions, checks: ResidualChecks) {
    for (row, mask) in mask.iter_mut().enumerate() {
        *mask &= u8::from(conditions.runtime_us(block, row, checks.time) > 0);
    }
}

/// Keeps the rows that meet all checks, one condition after the other.
fn filter_row_list(rows: &mut RowList, block: &Block<'_>, conditions: &Conditions, checks: ResidualChecks) {
    let chunk = block.chunk;
    for (place, (link, members)) in conditions.code_sets.iter().enumerate() {
        if checks.checks_code_set(place) {
            match block.codes(chunk.column(*link)) {
                CodeSlice::Narrow(codes) => rows.retain(|row| members.contains(u32::from(codes[row]))),
                CodeSlice::Wide(codes) => rows.retain(|row| members.contains(codes[row])),
            }
        }
    }
    if checks.flags {
        let flags = block.slice(&chunk.flags);
        rows.retain(|row| conditions.has_flags(flags[row]));
    }
    if checks.days {
        let (from, to) = conditions.day_codes(chunk);
        match block.codes(&chunk.days) {
            CodeSlice::Narrow(days) => rows.retain(|row| (from..to).contains(&u32::from(days[row]))),
            CodeSlice::Wide(days) => rows.retain(|row| (from..to).contains(&days[row])),
        }
    }
    if let (true, Some((min, max))) = (checks.lengths, conditions.length_range_ms) {
        // The flags have already ensured that there is a duration.
        match block.lengths(&chunk.lengths) {
            LengthSlice::Narrow(lengths) => {
                rows.retain(|row| i64::from(lengths[row]) >= min && i64::from(lengths[row]) <= max);
            }
            LengthSlice::Wide(lengths) => rows.retain(|row| (min..=max).contains(&lengths[row])),
        }
    }
    if let (true, Some(people)) = (checks.people, &conditions.people) {
        let [on_foot, driving] = [Link::Pedestrian, Link::Operator].map(|link| chunk.column(link));
        rows.retain(|row| {
            let at = block.from + row;
            people.contains(on_foot.get(at)) || people.contains(driving.get(at))
        });
    }
}

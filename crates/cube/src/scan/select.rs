//! Which rows are asked for.

use super::block::{Block, Long, Rows, Small};
use super::conditions::{Checks, Conditions, Facts};
use super::few::Few;
use super::kernels::{leave_among, leave_codes, leave_equal, leave_flags, leave_lengths};
use super::members::Members;
use super::rows::{Rows16, collect};
use crate::dictionary::Link;
use crate::storage::{BLOCK, Chunk};

/// Finds the rows of chunks, with room to work in.
#[derive(Debug)]
pub(super) struct Selector {
    mask: Vec<u8>,
    rows: Rows16,
}

impl Selector {
    pub fn new() -> Self {
        Self { mask: vec![0; BLOCK], rows: Rows16::new() }
    }

    /// Gives the blocks of a chunk that have rows which are asked for.
    pub fn blocks<E>(
        &mut self,
        chunk: &Chunk,
        conditions: &Conditions,
        checks: Checks,
        mut visit: impl FnMut(&Block<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut begin, mut end) = (0, chunk.len());
        if checks.time && conditions.facts == Facts::Incursions {
            // They are in order.
            begin = conditions.from_at.map_or(0, |from| chunk.started_at.partition_point(|at| *at < from));
            end = conditions.to_at.map_or(end, |to| chunk.started_at.partition_point(|at| *at < to));
        }
        if begin >= end {
            return Ok(());
        }
        if let Some(few) = Few::find(chunk, begin..end, conditions, checks) {
            return self.few(chunk, &few, conditions, visit);
        }
        while begin < end {
            let next = end.min((begin / BLOCK + 1) * BLOCK);
            let block = Block { chunk, from: begin, len: next - begin, rows: Rows::All };
            begin = next;
            match self.pick(&block, conditions, checks) {
                Picked::None => {}
                Picked::All => visit(&block)?,
                Picked::Some => visit(&Block { rows: Rows::Some(self.rows.places()), ..block })?,
            }
        }
        Ok(())
    }

    /// How many rows of a block are asked for.
    pub fn count(&mut self, block: &Block<'_>, conditions: &Conditions, checks: Checks) -> usize {
        match self.pick(block, conditions, checks) {
            Picked::None => 0,
            Picked::All => block.len,
            Picked::Some => self.rows.places().len(),
        }
    }

    /// Gives the rows that were found without a look at the others, if the rest that is asked holds too.
    fn few<E>(
        &mut self,
        chunk: &Chunk,
        few: &Few<'_>,
        conditions: &Conditions,
        mut visit: impl FnMut(&Block<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let block = Block { chunk, from: 0, len: chunk.len(), rows: Rows::All };
        // Whoever drives and walks at once is among those on foot already.
        let on_foot = conditions.people.as_ref().map(|people| (people, chunk.column(Link::Pedestrian)));
        for (runs, others) in [(&few.runs, None), (&few.driving, on_foot)] {
            let mut runs = runs.iter().copied();
            let mut rest: &[u16] = &[];
            loop {
                self.rows.clear();
                while self.rows.places().len() < BLOCK {
                    if rest.is_empty() {
                        let Some(run) = runs.next() else { break };
                        rest = run;
                    }
                    rest = self.rows.fill(rest);
                }
                if self.rows.places().is_empty() {
                    break;
                }
                if let Some((people, codes)) = others {
                    self.rows.retain(|row| !people.contains(codes.get(row)));
                }
                thin(&mut self.rows, &block, conditions, few.checks);
                if !self.rows.places().is_empty() {
                    visit(&Block { rows: Rows::Some(self.rows.places()), ..block })?;
                }
            }
        }
        Ok(())
    }

    fn pick(&mut self, block: &Block<'_>, conditions: &Conditions, checks: Checks) -> Picked {
        let (first_day, last_day) = block.days();
        if first_day >= conditions.to_day || last_day < conditions.from_day {
            return Picked::None;
        }
        let days = checks.days && (first_day < conditions.from_day || last_day >= conditions.to_day);
        let is_runtime = conditions.facts == Facts::Runtime;
        if !(days || checks.flags || checks.lengths || checks.people || checks.members != 0 || is_runtime) {
            return Picked::All;
        }
        let mask = &mut self.mask[..block.len];
        mask.fill(1);
        let chunk = block.chunk;
        if is_runtime {
            runtime(mask, block, conditions, checks);
        }
        for (place, (link, members)) in conditions.members.iter().enumerate() {
            if checks.has_members(place) {
                among(mask, block.codes(chunk.column(*link)), members);
            }
        }
        let is_done = !(days || checks.flags || checks.lengths || checks.people);
        if is_done || checks.members != 0 {
            collect(mask, &mut self.rows);
            let left = self.rows.places().len();
            if is_done || left <= block.len / SPARSE {
                thin(&mut self.rows, block, conditions, Checks { days, members: 0, ..checks });
                return Picked::of(self.rows.places().len(), block.len);
            }
        }
        if checks.flags {
            let flags = block.slice(&chunk.flags);
            match conditions.flag_bits {
                Some((bits, value)) => leave_flags(mask, flags, bits, value),
                None => narrow(mask, flags, |flags| conditions.has_flags(flags)),
            }
        }
        if days {
            let (from, to) = conditions.day_codes(chunk);
            match block.codes(&chunk.days) {
                Small::Narrow(days) => {
                    if to == 0 || from > u32::from(u16::MAX) {
                        mask.fill(0);
                    }
                    let short = |day: u32| u16::try_from(day).unwrap_or(u16::MAX);
                    leave_codes(mask, days, short(from), short(to.saturating_sub(1)));
                }
                Small::Wide(days) => narrow(mask, days, |day| (from..to).contains(&day)),
            }
        }
        if let (true, Some(people)) = (checks.people, &conditions.people) {
            either(mask, block, people);
        }
        if let (true, Some((least, most))) = (checks.lengths, conditions.lengths) {
            // That there is a length at all, the flags have said.
            match block.lengths(&chunk.lengths) {
                Long::Narrow(lengths) => {
                    let short =
                        |length: i64| u32::try_from(length.clamp(0, i64::from(u32::MAX))).unwrap_or(0);
                    if most < 0 {
                        mask.fill(0);
                    }
                    leave_lengths(mask, lengths, short(least), short(most));
                }
                Long::Wide(lengths) => narrow(mask, lengths, |length| (least..=most).contains(&length)),
            }
        }
        collect(mask, &mut self.rows);
        Picked::of(self.rows.places().len(), block.len)
    }
}

/// If a list of members leaves not even one of so many rows, those that are left are looked at one by one.
pub(super) const SPARSE: usize = 8;

/// What was picked of a block.
enum Picked {
    None,
    All,
    /// Those in the selector's list.
    Some,
}

impl Picked {
    fn of(picked: usize, all: usize) -> Self {
        match picked {
            0 => Self::None,
            picked if picked == all => Self::All,
            _ => Self::Some,
        }
    }
}

/// Leaves the rows for which something holds.
#[inline(always)]
fn narrow<T: Copy>(mask: &mut [u8], column: &[T], holds: impl Fn(T) -> bool) {
    for (mask, value) in mask.iter_mut().zip(column) {
        *mask &= u8::from(holds(*value));
    }
}

/// Leaves the rows whose code is in a list.
fn among(mask: &mut [u8], column: Small<'_>, members: &Members) {
    match (column, &members.codes[..]) {
        (Small::Narrow(column), [one]) => match u16::try_from(*one) {
            Ok(one) => leave_equal(mask, column, one),
            Err(_) => mask.fill(0),
        },
        (Small::Wide(column), [one]) => narrow(mask, column, |code| code == *one),
        (Small::Narrow(column), _) => leave_among(mask, column, &members.table),
        (Small::Wide(column), _) => narrow(mask, column, |code| members.contains(code)),
    }
}

/// Leaves the rows with someone of a list on foot or driving.
fn either(mask: &mut [u8], block: &Block<'_>, people: &Members) {
    let mut driving = mask.to_vec();
    among(&mut driving, block.codes(block.chunk.column(Link::Operator)), people);
    among(mask, block.codes(block.chunk.column(Link::Pedestrian)), people);
    mask.iter_mut().zip(driving).for_each(|(mask, driving)| *mask |= driving);
}

/// Leaves pieces that have a length within the time that is asked for.
fn runtime(mask: &mut [u8], block: &Block<'_>, conditions: &Conditions, checks: Checks) {
    for (row, mask) in mask.iter_mut().enumerate() {
        *mask &= u8::from(conditions.runtime_us(block, row, checks.time) > 0);
    }
}

/// Leaves the rows for which all holds that is checked, one condition after the other.
fn thin(rows: &mut Rows16, block: &Block<'_>, conditions: &Conditions, checks: Checks) {
    let chunk = block.chunk;
    for (place, (link, members)) in conditions.members.iter().enumerate() {
        if checks.has_members(place) {
            match block.codes(chunk.column(*link)) {
                Small::Narrow(codes) => rows.retain(|row| members.contains(u32::from(codes[row]))),
                Small::Wide(codes) => rows.retain(|row| members.contains(codes[row])),
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
            Small::Narrow(days) => rows.retain(|row| (from..to).contains(&u32::from(days[row]))),
            Small::Wide(days) => rows.retain(|row| (from..to).contains(&days[row])),
        }
    }
    if let (true, Some((least, most))) = (checks.lengths, conditions.lengths) {
        // That there is a length at all, the flags have said.
        match block.lengths(&chunk.lengths) {
            Long::Narrow(lengths) => {
                rows.retain(|row| i64::from(lengths[row]) >= least && i64::from(lengths[row]) <= most);
            }
            Long::Wide(lengths) => rows.retain(|row| (least..=most).contains(&lengths[row])),
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

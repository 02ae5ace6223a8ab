//! Adds rows to groups, as few places touched for a row as can be.

use super::aside::Aside;
use super::block::{Block, Long, Rows};
use super::budget::Budget;
use super::grouper::Ordinals;
use super::kernels::{count_both, count_equal, count_flag, sum_lengths, sum_where};
use super::keys::{Numbered, Split};
use super::lanes::{LANES, Lanes, scatter};
use super::packed::Packed;
use super::rows::{Rows16, collect_without};
use super::totals::{Needs, Totals};
use crate::Error;
use crate::storage::{DaySum, Flags, Lengths};

/// The most groups whose counts and sums share numbers.
const MOST_PACKED: usize = 1 << 16;
/// The most that lanes may take.
const MOST_LANED_BYTES: usize = 1 << 19;

/// The sums of groups while rows are added.
#[derive(Debug)]
pub(super) struct Adding {
    /// Where rows are not worth more.
    sums: Totals,
    /// Rows without an end, which are few.
    missing: Missing,
    fast: Fast,
}

/// What is added to for each row.
#[derive(Debug)]
enum Fast {
    /// Nothing but the sums.
    None,
    /// Rows, in lanes.
    Rows(Vec<u32>, Lanes),
    /// Rows, put aside first.
    Aside(Aside),
    /// Rows in the lower half, those acknowledged in the upper one; in lanes.
    Pairs(Vec<u64>, Lanes),
    /// Counts and lengths.
    Packed(Packed),
    /// Rows and those acknowledged as in pairs, lengths, waits: where groups are many, what a row adds to lies together.
    Cells(Vec<[u64; 4]>),
}

impl Adding {
    /// Bytes of a group, where there are many.
    pub fn bytes(needs: Needs) -> usize {
        let fast = match (needs.length || needs.waited, needs.acknowledged) {
            (true, _) => size_of::<[u64; 4]>(),
            (false, true) => size_of::<u64>(),
            (false, false) => 0,
        };
        needs.bytes() + fast
    }

    pub fn new(needs: Needs, groups: usize, budget: &Budget) -> Result<Self, Error> {
        let sums = Totals::new(needs, groups, budget)?;
        let lanes = |bytes: usize| {
            if groups.saturating_mul(bytes * LANES) <= MOST_LANED_BYTES { Lanes::Several } else { Lanes::One }
        };
        let has_lengths = needs.length || needs.waited;
        let fast = if groups == 0 {
            Fast::None
        } else if has_lengths && groups <= MOST_PACKED {
            Fast::Packed(Packed::new(needs, groups, lanes(16), budget)?)
        } else if has_lengths {
            Fast::Cells(budget.zeroed(groups)?)
        } else if needs.acknowledged {
            let lanes = lanes(8);
            Fast::Pairs(budget.zeroed(groups * lanes.count())?, lanes)
        } else if lanes(4) == Lanes::Several {
            Fast::Rows(budget.zeroed(groups * LANES)?, Lanes::Several)
        } else if Aside::is_worth_it(groups) && !needs.ended {
            Fast::Aside(Aside::new(groups, budget)?)
        } else {
            Fast::None
        };
        Ok(Self { sums, missing: Missing { mask: Vec::new(), places: Rows16::new() }, fast })
    }

    /// Makes room for so many groups.
    pub fn fit(&mut self, groups: usize, budget: &Budget) -> Result<(), Error> {
        self.sums.fit(groups, budget)
    }

    /// Adds the rows of a block to their groups.
    pub fn add(&mut self, block: &Block<'_>, groups: Ordinals<'_>) {
        match groups {
            Numbered::Same(group) => self.add_same(block, group as usize),
            Numbered::Each(groups) => self.add_each(block, groups),
        }
    }

    fn add_same(&mut self, block: &Block<'_>, group: usize) {
        let chunk = block.chunk;
        let flags = block.slice(&chunk.flags);
        let with = |flag: u8| match block.rows {
            Rows::All => count_flag(flags, flag),
            Rows::Some(rows) => rows.iter().map(|row| u32::from(flags[usize::from(*row)] & flag != 0)).sum(),
        };
        let needs = self.sums.needs;
        self.sums.count[group] += u32::try_from(block.count()).unwrap_or(u32::MAX);
        if needs.acknowledged {
            self.sums.acknowledged[group] += with(Flags::ACKNOWLEDGED);
        }
        if needs.ended {
            self.sums.ended[group] = self.sums.ended[group].wrapping_add(with(Flags::ENDED));
        }
        if needs.length {
            self.sums.length[group] += sum(block.lengths(&chunk.lengths), block.rows);
        }
        if needs.waited {
            self.sums.waited[group] += sum(block.lengths(&chunk.waits), block.rows);
        }
    }

    /// Adds what the rows of a day with the same flags come to.
    pub fn add_sum(&mut self, group: usize, sum: &DaySum) {
        let sums = &mut self.sums;
        sums.count[group] += sum.rows;
        if sums.needs.acknowledged && sum.flags.is_acknowledged() {
            sums.acknowledged[group] += sum.rows;
        }
        if sums.needs.ended && sum.flags.has_ended() {
            sums.ended[group] = sums.ended[group].wrapping_add(sum.rows);
        }
        if sums.needs.length {
            sums.length[group] += sum.length.cast_signed();
        }
        if sums.needs.waited {
            sums.waited[group] += sum.wait.cast_signed();
        }
    }

    fn add_each(&mut self, block: &Block<'_>, groups: &[u32]) {
        let flags = block.slice(&block.chunk.flags);
        let needs = self.sums.needs;
        if needs.ended {
            self.missing.find(block);
            let ended = &mut self.sums.ended;
            // Less than nothing, for now: in the end all rows are added.
            self.missing.each(|place| {
                let ended = &mut ended[groups[place] as usize];
                *ended = ended.wrapping_sub(1);
            });
        }
        match &mut self.fast {
            Fast::Rows(rows, lanes) => scatter(rows, *lanes, groups, groups, Rows::All, |_| 1),
            Fast::Pairs(pairs, lanes) => {
                scatter(pairs, *lanes, groups, flags, block.rows, |flags| {
                    u64::from(flags & Flags::ACKNOWLEDGED) << 28 | 1
                });
            }
            Fast::Packed(packed) => packed.add(block, groups, &mut self.sums),
            Fast::Aside(aside) => aside.add(groups, &mut self.sums.count),
            Fast::Cells(cells) => add_cells(block, groups, cells, &mut self.sums),
            Fast::None => add_plain(block, groups, &mut self.sums),
        }
    }

    /// Adds the rows of a block whose days are its groups.
    pub fn add_split(&mut self, block: &Block<'_>, split: &Split<'_, u32>) {
        let chunk = block.chunk;
        let flags = block.slice(&chunk.flags);
        let needs = self.sums.needs;
        for (day, group) in &split.days {
            let group = *group as usize;
            let rows = count_equal(split.codes, *day);
            if rows == 0 {
                continue;
            }
            self.sums.count[group] += rows;
            if needs.acknowledged {
                self.sums.acknowledged[group] += count_both(split.codes, *day, flags, Flags::ACKNOWLEDGED);
            }
            if needs.ended {
                let ended = count_both(split.codes, *day, flags, Flags::ENDED);
                self.sums.ended[group] = self.sums.ended[group].wrapping_add(ended);
            }
            let sum = |lengths: Long<'_>| match lengths {
                Long::Narrow(lengths) => sum_where(split.codes, *day, lengths),
                Long::Wide(lengths) => {
                    let own = split.codes.iter().zip(lengths).filter(|(code, _)| *code == day);
                    own.map(|(_, length)| wide(*length)).sum()
                }
            };
            if needs.length {
                self.sums.length[group] += sum(block.lengths(&chunk.lengths));
            }
            if needs.waited {
                self.sums.waited[group] += sum(block.lengths(&chunk.waits));
            }
        }
    }

    /// What was added up.
    pub fn finish(mut self) -> Totals {
        if let Fast::Cells(cells) = &self.fast {
            let sums = &mut self.sums;
            for (group, cell) in cells.iter().enumerate() {
                if let Some(length) = sums.length.get_mut(group) {
                    *length += cell[1].cast_signed();
                }
                if let Some(waited) = sums.waited.get_mut(group) {
                    *waited += cell[2].cast_signed();
                }
            }
        }
        // Those that were counted row by row, of which those without an end are taken off already.
        let mut each = |group: usize, rows: u32, acknowledged: u32| {
            self.sums.count[group] += rows;
            if let Some(all) = self.sums.acknowledged.get_mut(group) {
                *all += acknowledged;
            }
            if let Some(ended) = self.sums.ended.get_mut(group) {
                *ended = ended.wrapping_add(rows);
            }
        };
        let halves = |pair: u64| ((pair & 0xFFFF_FFFF) as u32, (pair >> 32) as u32);
        match self.fast {
            Fast::None => {}
            Fast::Cells(cells) => {
                let pairs = cells.into_iter().map(|cell| halves(cell[0])).enumerate();
                pairs.for_each(|(group, (rows, acknowledged))| each(group, rows, acknowledged));
            }
            Fast::Rows(rows, lanes) => {
                lanes.fold(rows).into_iter().enumerate().for_each(|(group, rows)| each(group, rows, 0));
            }
            Fast::Pairs(pairs, lanes) => {
                let pairs = lanes.fold(pairs).into_iter().map(halves).enumerate();
                pairs.for_each(|(group, (rows, acknowledged))| each(group, rows, acknowledged));
            }
            Fast::Packed(mut packed) => packed.flush(&mut self.sums),
            Fast::Aside(mut aside) => aside.flush(&mut self.sums.count),
        }
        self.sums
    }
}

/// Adds rows to cells, or to sums if lengths are wide.
fn add_cells(block: &Block<'_>, groups: &[u32], cells: &mut [[u64; 4]], sums: &mut Totals) {
    let chunk = block.chunk;
    let flags = block.slice(&chunk.flags);
    let (Long::Narrow(lengths), Long::Narrow(waits)) =
        (block.lengths(&chunk.lengths), block.lengths(&chunk.waits))
    else {
        return add_plain(block, groups, sums);
    };
    let mut add = |group: u32, flags: u8, length: u32, wait: u32| {
        let cell = &mut cells[group as usize];
        cell[0] += u64::from(flags & Flags::ACKNOWLEDGED) << 28 | 1;
        cell[1] += narrow(length).cast_unsigned();
        cell[2] += narrow(wait).cast_unsigned();
    };
    match block.rows {
        Rows::All => {
            let columns = flags.iter().zip(lengths).zip(waits);
            for (group, ((flags, length), wait)) in groups.iter().zip(columns) {
                add(*group, *flags, *length, *wait);
            }
        }
        Rows::Some(rows) => {
            for (group, row) in groups.iter().zip(rows) {
                let row = usize::from(*row);
                add(*group, flags[row], lengths[row], waits[row]);
            }
        }
    }
}

/// Adds rows to sums, each sum for itself.
pub(super) fn add_plain(block: &Block<'_>, groups: &[u32], sums: &mut Totals) {
    let chunk = block.chunk;
    let flags = block.slice(&chunk.flags);
    let needs = sums.needs;
    scatter(&mut sums.count, Lanes::One, groups, groups, Rows::All, |_| 1);
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
    let add = |to: &mut Vec<i64>, lengths: Long<'_>| match lengths {
        Long::Narrow(lengths) => scatter(to, Lanes::One, groups, lengths, block.rows, narrow),
        Long::Wide(lengths) => scatter(to, Lanes::One, groups, lengths, block.rows, wide),
    };
    if needs.length {
        add(&mut sums.length, block.lengths(&chunk.lengths));
    }
    if needs.waited {
        add(&mut sums.waited, block.lengths(&chunk.waits));
    }
}

/// The rows of a block that have no end.
#[derive(Debug)]
struct Missing {
    mask: Vec<u8>,
    places: Rows16,
}

impl Missing {
    fn find(&mut self, block: &Block<'_>) {
        let flags = block.slice(&block.chunk.flags);
        self.places.clear();
        match block.rows {
            Rows::All => collect_without(flags, Flags::ENDED, &mut self.mask, &mut self.places),
            Rows::Some(rows) => {
                for (place, row) in (0..).zip(rows) {
                    if flags[usize::from(*row)] & Flags::ENDED == 0 {
                        self.places.push(place);
                    }
                }
            }
        }
    }

    fn each(&self, visit: impl FnMut(usize)) {
        self.places.places().iter().map(|place| usize::from(*place)).for_each(visit);
    }
}

fn sum(lengths: Long<'_>, rows: Rows<'_>) -> i64 {
    match (lengths, rows) {
        (Long::Narrow(lengths), Rows::All) => sum_lengths(lengths),
        (Long::Narrow(lengths), Rows::Some(rows)) => {
            rows.iter().map(|row| narrow(lengths[usize::from(*row)])).sum()
        }
        (Long::Wide(lengths), Rows::All) => lengths.iter().map(|length| wide(*length)).sum(),
        (Long::Wide(lengths), Rows::Some(rows)) => {
            rows.iter().map(|row| wide(lengths[usize::from(*row)])).sum()
        }
    }
}

#[inline(always)]
pub(super) fn narrow(length: u32) -> i64 {
    if length == Lengths::NARROW_NONE { 0 } else { i64::from(length) }
}

#[inline(always)]
fn wide(length: i64) -> i64 {
    if length == Lengths::WIDE_NONE { 0 } else { length }
}

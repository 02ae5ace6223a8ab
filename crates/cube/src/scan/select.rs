//! Which rows are asked for.

use domain::insights::Question;
use domain::{Cut, ProjectId};

use super::block::{Block, Long, Rows, Small};
use super::kernels::{leave_among, leave_codes, leave_equal, leave_flags, leave_lengths};
use super::members::{Among, Members};
use crate::Snapshot;
use crate::dictionary::Link;
use crate::storage::{BLOCK, Chunk, Flags, Summary};

/// Which facts are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facts {
    Incursions,
    Runtime,
}

/// The conditions of a question, on one kind of facts.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    facts: Facts,
    pub from_at: Option<i64>,
    pub to_at: Option<i64>,
    /// Inclusive.
    pub from_day: i64,
    /// Exclusive.
    pub to_day: i64,
    /// A bit for each value of the flags that is asked for.
    flags: u64,
    /// The same as bits of the flags that must have a value, if it can be said so.
    flag_bits: Option<(u8, u8)>,
    /// In milliseconds, both inclusive.
    lengths: Option<(i64, i64)>,
    members: Vec<(Link, Members)>,
    /// On foot or driving.
    people: Option<Members>,
}

/// What of the conditions has to be looked at in a chunk: the rest is true of all of its rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checks {
    time: bool,
    days: bool,
    flags: bool,
    lengths: bool,
    people: bool,
    /// A bit for each list of members.
    members: u32,
}

impl Conditions {
    pub fn new(snapshot: &Snapshot, question: &Question, facts: Facts) -> Self {
        let filter = &question.filter;
        let of = |link: Link, ids: Vec<i64>| Members::new(ids, snapshot.dictionaries.of(link));
        let mut members = Vec::new();
        let mut lists = vec![
            (Link::Worksite, filter.worksites.iter().map(|id| id.0).collect::<Vec<_>>()),
            (Link::Machine, filter.machines.iter().map(|id| id.0).collect()),
            (Link::BaseStation, filter.base_stations.iter().map(|id| id.0).collect()),
            (Link::Operator, filter.operators.iter().map(|id| id.0).collect()),
        ];
        if facts == Facts::Incursions {
            lists.push((Link::Pedestrian, filter.pedestrians.iter().map(|id| id.0).collect()));
            lists.push((Link::Tag, filter.tags.iter().map(|id| id.0).collect()));
        }
        for (link, ids) in lists {
            if !ids.is_empty() {
                members.push((link, of(link, ids)));
            }
        }
        let projects = |ids: &[ProjectId]| of(Link::Project, ids.iter().map(|id| id.0).collect());
        let asked = (!filter.projects.is_empty()).then(|| projects(&filter.projects));
        match (asked, question.within.as_deref().map(projects)) {
            (Some(asked), Some(within)) => members.push((Link::Project, asked.and(&within))),
            (Some(one), None) | (None, Some(one)) => members.push((Link::Project, one)),
            (None, None) => {}
        }
        let at = |cut: Option<Cut>| match cut {
            Some(Cut::At(at)) => Some(at.micros()),
            _ => None,
        };
        let day = |cut: Option<Cut>, else_day: i64| match cut {
            Some(Cut::Day(day)) => day.number(),
            _ => else_day,
        };
        let mut conditions = Self {
            facts,
            from_at: at(question.from),
            to_at: at(question.to),
            from_day: day(question.from, i64::MIN),
            to_day: day(question.to, i64::MAX),
            flags: u64::MAX,
            flag_bits: None,
            lengths: None,
            members,
            people: None,
        };
        if facts == Facts::Incursions {
            let millis = |span: Option<domain::Span>| span.map(|span| span.micros() / 1_000);
            if filter.min_duration.is_some() || filter.max_duration.is_some() {
                let (least, most) = (millis(filter.min_duration), millis(filter.max_duration));
                conditions.lengths = Some((least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX)));
            }
            let is_asked = |flags: &usize| {
                let flags = Flags(u8::try_from(*flags).unwrap_or(0));
                let zone = domain::Zone::ALL[flags.zone()];
                let review = domain::Review::ALL[flags.review()];
                (filter.zones.is_empty() || filter.zones.contains(&zone))
                    && (filter.reviews.is_empty() || filter.reviews.contains(&review))
                    && filter.acknowledged.is_none_or(|asked| asked == flags.is_acknowledged())
                    && (conditions.lengths.is_none() || flags.has_ended())
            };
            conditions.flags = (0..Flags::COUNT).filter(is_asked).fold(0, |all, flags| all | 1 << flags);
            conditions.flag_bits = flag_bits(conditions.flags);
            if !filter.people.is_empty() {
                conditions.people = Some(of(Link::Operator, filter.people.iter().map(|id| id.0).collect()));
            }
        }
        conditions
    }

    /// The codes of a link that are asked for, if not all are.
    pub fn members(&self, link: Link) -> Option<&Members> {
        self.members.iter().find(|(of, _)| *of == link).map(|(_, members)| members)
    }

    /// What has to be looked at in a chunk; nothing if none of its rows is asked for.
    pub fn checks(&self, summary: &Summary) -> Option<Checks> {
        let (first, last) = (summary.first.0, summary.last.0);
        let (from, to) = (self.from_at.unwrap_or(i64::MIN), self.to_at.unwrap_or(i64::MAX));
        let end = match self.facts {
            Facts::Incursions => last,
            Facts::Runtime => last.saturating_add(summary.longest),
        };
        let is_past = end < from || self.to_at.is_some_and(|to| first >= to);
        if is_past || summary.last_day < self.from_day || summary.first_day >= self.to_day {
            return None;
        }
        if summary.flags & self.flags == 0 {
            return None;
        }
        let mut members = 0;
        for (place, (link, list)) in self.members.iter().enumerate() {
            match list.among(summary.presence(*link)) {
                Among::None => return None,
                Among::Some => members |= 1 << place,
                Among::All => {}
            }
        }
        let people = self.people.as_ref().map(|people| {
            [Link::Pedestrian, Link::Operator].map(|link| people.among(summary.presence(link)))
        });
        if people == Some([Among::None; 2]) {
            return None;
        }
        Some(Checks {
            time: first < from || end >= to,
            days: summary.first_day < self.from_day || summary.last_day >= self.to_day,
            flags: summary.flags & !self.flags != 0,
            lengths: self.lengths.is_some(),
            people: people.is_some_and(|people| !people.contains(&Among::All)),
            members,
        })
    }
}

/// The bits that all of some flags have in common, and their values, if no other flags have them so.
fn flag_bits(asked: u64) -> Option<(u8, u8)> {
    let all = || (0..64_u8).filter(move |flags| asked >> flags & 1 == 1);
    let (ones, zeros) = all().fold((63, 63), |(ones, zeros), flags| (ones & flags, zeros & !flags));
    let bits = ones | zeros;
    let count = (0..64_u8).filter(|flags| flags & bits == ones).count();
    (count == all().count() && count > 0).then_some((bits, ones))
}

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
            if checks.members >> place & 1 == 1 {
                among(mask, block.codes(chunk.column(*link)), members);
            }
        }
        let is_done = !(days || checks.flags || checks.lengths || checks.people);
        if is_done || checks.members != 0 {
            collect(mask, &mut self.rows);
            let left = self.rows.places().len();
            if is_done || left <= block.len / SPARSE {
                if !is_done {
                    self.rows.retain(|row| conditions.holds(block, row, Checks { days, ..checks }));
                }
                return Picked::of(self.rows.places().len(), block.len);
            }
        }
        if checks.flags {
            let flags = block.slice(&chunk.flags);
            match conditions.flag_bits {
                Some((bits, value)) => leave_flags(mask, flags, bits, value),
                None => narrow(mask, flags, |flags| conditions.flags >> (flags % 64) & 1 == 1),
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
const SPARSE: usize = 8;

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

impl Conditions {
    /// The days that are asked for as codes of a chunk, the last of which is not.
    fn day_codes(&self, chunk: &Chunk) -> (u32, u32) {
        let code = |day: i64| u32::try_from(day.saturating_sub(chunk.first_day).max(0)).unwrap_or(u32::MAX);
        (code(self.from_day), code(self.to_day))
    }

    /// Whether a row is asked for, of all that is checked but members.
    fn holds(&self, block: &Block<'_>, row: usize, checks: Checks) -> bool {
        let (chunk, at) = (block.chunk, block.from + row);
        let (from, to) = self.day_codes(chunk);
        let has = |link: Link, people: &Members| people.contains(chunk.column(link).get(at));
        let is_either = |people: &Members| has(Link::Pedestrian, people) || has(Link::Operator, people);
        let is_long =
            |(least, most)| chunk.lengths.get(at).is_some_and(|length| (least..=most).contains(&length));
        (!checks.flags || self.flags >> (chunk.flags[at] % 64) & 1 == 1)
            && (!checks.days || (from..to).contains(&chunk.days.get(at)))
            && (!checks.people || self.people.as_ref().is_some_and(is_either))
            && (!checks.lengths || self.lengths.is_some_and(is_long))
    }

    /// How much of a piece lies within the time that is asked for.
    #[inline(always)]
    fn runtime_us(&self, block: &Block<'_>, row: usize, is_cut: bool) -> i64 {
        let length = block.chunk.lengths.get(block.from + row).unwrap_or(0);
        if !is_cut {
            return length;
        }
        let started_at = block.chunk.started_at[block.from + row];
        let from = self.from_at.map_or(started_at, |from| from.max(started_at));
        let end = started_at.saturating_add(length);
        let to = self.to_at.map_or(end, |to| to.min(end));
        to.saturating_sub(from)
    }

    /// The same, in whole milliseconds.
    pub fn runtime_ms(&self, block: &Block<'_>, row: usize) -> i64 {
        self.runtime_us(block, row, true) / 1_000
    }
}

/// The places of what is left, in a list with room for a block and more.
fn collect(mask: &[u8], rows: &mut Rows16) {
    let (groups, rest) = mask.as_chunks::<64>();
    let (mut from, mut count) = (0, 0);
    for group in groups {
        let mut left = bits(group);
        let own = left.count_ones() as usize;
        // Eight are written whether there are so many or not: guessing wrong how many there are would cost more.
        let Some(room) = rows.places.get_mut(count..count + 64) else { break };
        let (first, others) = room.split_at_mut(8);
        for place in first {
            *place = from + (left.trailing_zeros() as u16);
            left &= left.wrapping_sub(1);
        }
        for place in others.iter_mut().take(own.saturating_sub(8)) {
            *place = from + (left.trailing_zeros() as u16);
            left &= left.wrapping_sub(1);
        }
        count += own;
        from += 64;
    }
    for mask in rest {
        if *mask != 0 {
            rows.places[count] = from;
            count += 1;
        }
        from += 1;
    }
    rows.count = count;
}

/// Places in a block.
#[derive(Debug)]
pub(super) struct Rows16 {
    places: Vec<u16>,
    count: usize,
}

impl Rows16 {
    pub fn new() -> Self {
        Self { places: vec![0; BLOCK + 64], count: 0 }
    }

    pub fn places(&self) -> &[u16] {
        &self.places[..self.count]
    }

    /// Leaves the places for which something holds.
    fn retain(&mut self, holds: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            let place = self.places[at];
            self.places[kept] = place;
            kept += usize::from(holds(usize::from(place)));
        }
        self.count = kept;
    }

    /// Leaves nothing in it.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    pub fn push(&mut self, place: u16) {
        self.places[self.count] = place;
        self.count += 1;
    }
}

/// Bytes of 0 and 1 as bits.
#[inline(always)]
fn bits(bytes: &[u8; 64]) -> u64 {
    // Multiplied so, the lowest bits of eight bytes come to lie beside each other in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let eights = bytes.as_chunks::<8>().0.iter().rev();
    eights.fold(0, |bits, eight| bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
}

/// The places of rows that lack a flag.
pub(super) fn collect_without(flags: &[u8], flag: u8, mask: &mut Vec<u8>, rows: &mut Rows16) {
    mask.clear();
    mask.resize(flags.len(), 1);
    leave_flags(mask, flags, flag, 0);
    collect(mask, rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_are_asked_for_are_bits_where_that_is_the_same() {
        let flags = |holds: fn(u8) -> bool| {
            (0..64).filter(|flags| holds(*flags)).fold(0, |all, flags| all | 1 << flags)
        };
        assert_eq!(flag_bits(flags(|_| true)), Some((0, 0)));
        assert_eq!(flag_bits(flags(|flags| flags & 17 == 16)), Some((17, 16)));
        assert_eq!(flag_bits(flags(|flags| flags % 3 == 0)), None);
        assert_eq!(flag_bits(0), None);
    }

    #[test]
    fn rows_are_collected_by_their_places() {
        let mask: Vec<u8> = (0..1_003_u32).map(|at| u8::from(at % 7 == 0 || at > 1_000)).collect();
        for mask in [mask, vec![1; BLOCK], vec![0; BLOCK]] {
            let mut rows = Rows16::new();
            collect(&mask, &mut rows);
            let places = 0..u16::try_from(mask.len()).unwrap();
            let plain: Vec<u16> = places.filter(|at| mask[usize::from(*at)] == 1).collect();
            assert_eq!(rows.places(), plain);
        }
    }
}

//! What is asked of rows, and what of it has to be looked at in a chunk.

use domain::insights::Question;
use domain::{Cut, ProjectId};

use super::block::Block;
use super::members::{Among, Members};
use crate::Snapshot;
use crate::dictionary::Link;
use crate::storage::{Chunk, Flags, Summary};

/// Which facts are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facts {
    Incursions,
    Runtime,
}

/// The conditions of a question, on one kind of facts.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub facts: Facts,
    pub from_at: Option<i64>,
    pub to_at: Option<i64>,
    /// Inclusive.
    pub from_day: i64,
    /// Exclusive.
    pub to_day: i64,
    /// A bit for each value of the flags that is asked for.
    pub flags: u64,
    /// The same as bits of the flags that must have a value, if it can be said so.
    pub flag_bits: Option<(u8, u8)>,
    /// In milliseconds, both inclusive.
    pub lengths: Option<(i64, i64)>,
    pub members: Vec<(Link, Members)>,
    /// On foot or driving.
    pub people: Option<Members>,
}

/// What of the conditions has to be looked at in a chunk: the rest is true of all of its rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Checks {
    pub time: bool,
    pub days: bool,
    pub flags: bool,
    pub lengths: bool,
    pub people: bool,
    /// A bit for each list of members.
    pub members: u32,
}

impl Checks {
    /// Whether days and flags are all that is looked at.
    pub fn are_of_days_and_flags(self) -> bool {
        !(self.time || self.lengths || self.people || self.members != 0)
    }

    /// Whether nothing has to be looked at.
    pub fn are_none(self) -> bool {
        self.are_of_days_and_flags() && !self.days && !self.flags
    }

    /// Whether a list of members has to be looked at.
    pub fn has_members(self, place: usize) -> bool {
        self.members >> place & 1 == 1
    }
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

impl Conditions {
    /// The days that are asked for as codes of a chunk, the last of which is not.
    pub fn day_codes(&self, chunk: &Chunk) -> (u32, u32) {
        let code = |day: i64| u32::try_from(day.saturating_sub(chunk.first_day).max(0)).unwrap_or(u32::MAX);
        (code(self.from_day), code(self.to_day))
    }

    /// Whether rows with these flags are asked for.
    #[inline(always)]
    pub fn has_flags(&self, flags: u8) -> bool {
        self.flags >> (flags % 64) & 1 == 1
    }

    /// How much of a piece lies within the time that is asked for.
    #[inline(always)]
    pub fn runtime_us(&self, block: &Block<'_>, row: usize, is_cut: bool) -> i64 {
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
}

//! The conditions of a question, and which of them must be checked for the rows of a chunk.

use domain::insights::{IncursionFilter, Question};
use domain::{PeriodBound, ProjectId};

use super::block::Block;
use super::code_set::{CodeSet, Overlap};
use crate::dictionary::Link;
use crate::storage::{Chunk, Flags, Summary};
use crate::{Attributes, Snapshot};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactKind {
    Incursions,
    Runtime,
}

/// The conditions of a question for one kind of fact.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    pub fact_kind: FactKind,
    pub from_us: Option<i64>,
    pub to_us: Option<i64>,
    /// Inclusive.
    pub from_day: i64,
    /// Exclusive.
    pub to_day: i64,
    /// One bit for each value of the flags that matches.
    pub flag_set: u64,
    /// The same as a mask and a value of flag bits, if it can be expressed that way.
    pub flag_mask: Option<(u8, u8)>,
    /// In milliseconds, both ends inclusive.
    pub length_range_ms: Option<(i64, i64)>,
    pub code_sets: Vec<(Link, CodeSet)>,
    /// People as pedestrians or operators.
    pub people: Option<CodeSet>,
}

/// The conditions that must be checked for the rows of a chunk. The others are true for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResidualChecks {
    pub time: bool,
    pub days: bool,
    pub flags: bool,
    pub lengths: bool,
    pub people: bool,
    /// One bit for each set of codes.
    pub code_sets: u32,
}

impl ResidualChecks {
    /// Returns whether only days and flags are checked.
    pub fn only_days_and_flags(self) -> bool {
        !(self.time || self.lengths || self.people || self.code_sets != 0)
    }

    /// Returns whether only flags are checked.
    pub fn only_flags(self) -> bool {
        self.only_days_and_flags() && !self.days
    }

    /// Returns whether nothing must be checked.
    pub fn is_empty(self) -> bool {
        self.only_flags() && !self.flags
    }

    /// Returns whether a set of codes must be checked.
    pub fn checks_code_set(self, place: usize) -> bool {
        self.code_sets >> place & 1 == 1
    }
}

impl Conditions {
    pub fn new(snapshot: &Snapshot, question: &Question, attributes: &Attributes, facts: FactKind) -> Self {
        let filter = &question.filter;
        let of = |link: Link, ids: Vec<i64>| CodeSet::new(ids, snapshot.dictionaries.of(link));
        let mut members = Vec::new();
        let mut lists = vec![
            (Link::Worksite, filter.worksites.iter().map(|id| id.0).collect::<Vec<_>>()),
            (Link::Machine, filter.machines.iter().map(|id| id.0).collect()),
            (Link::BaseStation, filter.base_stations.iter().map(|id| id.0).collect()),
            (Link::Operator, filter.operators.iter().map(|id| id.0).collect()),
        ];
        if facts == FactKind::Incursions {
            lists.push((Link::Pedestrian, filter.pedestrians.iter().map(|id| id.0).collect()));
            lists.push((Link::Tag, filter.tags.iter().map(|id| id.0).collect()));
        }
        for (link, ids) in lists {
            let named = (!ids.is_empty()).then(|| of(link, ids));
            let of_kind = ids_of_kinds(filter, attributes, link).map(|ids| of(link, ids));
            match (named, of_kind) {
                (Some(named), Some(of_kind)) => members.push((link, named.intersect(&of_kind))),
                (Some(one), None) | (None, Some(one)) => members.push((link, one)),
                (None, None) => {}
            }
        }
        let projects = |ids: &[ProjectId]| of(Link::Project, ids.iter().map(|id| id.0).collect());
        let asked = (!filter.projects.is_empty()).then(|| projects(&filter.projects));
        match (asked, question.visible_projects.as_deref().map(projects)) {
            (Some(asked), Some(within)) => members.push((Link::Project, asked.intersect(&within))),
            (Some(one), None) | (None, Some(one)) => members.push((Link::Project, one)),
            (None, None) => {}
        }
        let at = |cut: Option<PeriodBound>| match cut {
            Some(PeriodBound::Instant(at)) => Some(at.micros()),
            _ => None,
        };
        let day = |cut: Option<PeriodBound>, else_day: i64| match cut {
            Some(PeriodBound::Day(day)) => day.number(),
            _ => else_day,
        };
        let mut conditions = Self {
            fact_kind: facts,
            from_us: at(question.from),
            to_us: at(question.to),
            from_day: day(question.from, i64::MIN),
            to_day: day(question.to, i64::MAX),
            flag_set: u64::MAX,
            flag_mask: None,
            length_range_ms: None,
            code_sets: members,
            people: None,
        };
        if facts == FactKind::Incursions {
            let millis = |span: Option<domain::Span>| span.map(|span| span.micros() / 1_000);
            if filter.min_duration.is_some() || filter.max_duration.is_some() {
                let (min, max) = (millis(filter.min_duration), millis(filter.max_duration));
                conditions.length_range_ms = Some((min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX)));
            }
            let is_asked = |flags: &usize| {
                let flags = Flags(u8::try_from(*flags).unwrap_or(0));
                let zone = domain::Zone::ALL[flags.zone()];
                let review = domain::Review::ALL[flags.review()];
                (filter.zones.is_empty() || filter.zones.contains(&zone))
                    && (filter.reviews.is_empty() || filter.reviews.contains(&review))
                    && filter.acknowledged.is_none_or(|asked| asked == flags.is_acknowledged())
                    && (conditions.length_range_ms.is_none() || flags.has_ended())
            };
            conditions.flag_set = (0..Flags::COUNT).filter(is_asked).fold(0, |all, flags| all | 1 << flags);
            conditions.flag_mask = common_flag_mask(conditions.flag_set);
            if !filter.people.is_empty() {
                conditions.people = Some(of(Link::Operator, filter.people.iter().map(|id| id.0).collect()));
            }
        }
        conditions
    }

    /// Returns the codes of a link that match, unless all do.
    pub fn code_set(&self, link: Link) -> Option<&CodeSet> {
        self.code_sets.iter().find(|(of, _)| *of == link).map(|(_, members)| members)
    }

    /// Returns the conditions to check in a chunk, or `None` if no row can match.
    pub fn residual_checks(&self, summary: &Summary) -> Option<ResidualChecks> {
        let (first, last) = (summary.first.0, summary.last.0);
        let (from, to) = (self.from_us.unwrap_or(i64::MIN), self.to_us.unwrap_or(i64::MAX));
        let end = match self.fact_kind {
            FactKind::Incursions => last,
            FactKind::Runtime => last.saturating_add(summary.max_length),
        };
        let is_past = end < from || self.to_us.is_some_and(|to| first >= to);
        if is_past || summary.last_day < self.from_day || summary.first_day >= self.to_day {
            return None;
        }
        if summary.flags & self.flag_set == 0 {
            return None;
        }
        let mut members = 0;
        for (place, (link, list)) in self.code_sets.iter().enumerate() {
            match list.overlap(summary.presence(*link)) {
                Overlap::None => return None,
                Overlap::Some => members |= 1 << place,
                Overlap::All => {}
            }
        }
        let people = self.people.as_ref().map(|people| {
            [Link::Pedestrian, Link::Operator].map(|link| people.overlap(summary.presence(link)))
        });
        if people == Some([Overlap::None; 2]) {
            return None;
        }
        Some(ResidualChecks {
            time: first < from || end >= to,
            days: summary.first_day < self.from_day || summary.last_day >= self.to_day,
            flags: summary.flags & !self.flag_set != 0,
            lengths: self.length_range_ms.is_some(),
            people: people.is_some_and(|people| !people.contains(&Overlap::All)),
            code_sets: members,
        })
    }
}

/// Returns the ids of the machines or worksites of the requested kinds; `None` if the filter does not restrict them.
fn ids_of_kinds(filter: &IncursionFilter, attributes: &Attributes, link: Link) -> Option<Vec<i64>> {
    match link {
        Link::Machine if !filter.machine_kinds.is_empty() => {
            let of_kind =
                attributes.machine_kinds.iter().filter(|(_, kind)| filter.machine_kinds.contains(kind));
            Some(of_kind.map(|(id, _)| id.0).collect())
        }
        Link::Worksite if !filter.worksite_kinds.is_empty() => {
            let of_kind =
                attributes.worksite_kinds.iter().filter(|(_, kind)| filter.worksite_kinds.contains(kind));
            Some(of_kind.map(|(id, _)| id.0).collect())
        }
        _ => None,
    }
}

/// Returns the bits that all matching flags have in common, with their values, if no other flags have these values.
fn common_flag_mask(asked: u64) -> Option<(u8, u8)> {
    let all = || (0..64_u8).filter(move |flags| asked >> flags & 1 == 1);
    let (ones, zeros) = all().fold((63, 63), |(ones, zeros), flags| (ones & flags, zeros & !flags));
    let bits = ones | zeros;
    let count = (0..64_u8).filter(|flags| flags & bits == ones).count();
    (count == all().count() && count > 0).then_some((bits, ones))
}

impl Conditions {
    /// Returns the matching days as codes of a chunk; the end is exclusive.
    pub fn day_codes(&self, chunk: &Chunk) -> (u32, u32) {
        let code = |day: i64| u32::try_from(day.saturating_sub(chunk.first_day).max(0)).unwrap_or(u32::MAX);
        (code(self.from_day), code(self.to_day))
    }

    /// Returns whether rows with these flags match.
    #[inline(always)]
    pub fn has_flags(&self, flags: u8) -> bool {
        self.flag_set >> (flags % 64) & 1 == 1
    }

    /// Returns the part of a runtime piece that lies within the requested time.
    #[inline(always)]
    pub fn runtime_us(&self, block: &Block<'_>, row: usize, is_clipped: bool) -> i64 {
        let length = block.chunk.lengths.get(block.from + row).unwrap_or(0);
        if !is_clipped {
            return length;
        }
        let started_at = block.chunk.started_at[block.from + row];
        let from = self.from_us.map_or(started_at, |from| from.max(started_at));
        let end = started_at.saturating_add(length);
        let to = self.to_us.map_or(end, |to| to.min(end));
        to.saturating_sub(from)
    }

    /// The same in whole milliseconds.
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
        assert_eq!(common_flag_mask(flags(|_| true)), Some((0, 0)));
        assert_eq!(common_flag_mask(flags(|flags| flags & 17 == 16)), Some((17, 16)));
        assert_eq!(common_flag_mask(flags(|flags| flags % 3 == 0)), None);
        assert_eq!(common_flag_mask(0), None);
    }
}

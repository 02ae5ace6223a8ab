//! One dimension of a grouping: maps a row to a position on the axis, and a position to its key.

use std::sync::Arc;

use domain::insights::{Dimension, Key, Month, Resolution, Week};
use domain::{Day, MachineKind, PersonKind, Review, WorksiteKind, Zone};

use super::conditions::Conditions;
use crate::dictionary::{Dictionary, Link, ParentCells};
use crate::storage::Flags;
use crate::{Attributes, Snapshot};

pub(super) const HOURS_PER_WEEK: usize = 7 * 24;
/// The number of positions for durations: the buckets, and one for no duration.
pub(super) const LENGTH_BUCKETS: u64 = 8;

/// The first and the last day of the rows that may match.
pub(super) type DayRange = (i64, i64);

/// The parts of a row that determine its position on an axis. Their contributions are added.
#[derive(Debug, Default)]
pub(super) struct AxisSource {
    /// A link and the position of each of its codes. Without a table, the code is the position.
    pub link: Option<(Link, Option<Arc<Vec<u32>>>)>,
    /// Position by flags.
    pub flags: Option<[u32; Flags::COUNT]>,
    /// Position by hour of the week.
    pub hours: Option<[u32; HOURS_PER_WEEK]>,
    /// Position by day, from the first day that may match.
    pub days: Option<Vec<u32>>,
    /// Whether the position is the bucket of the duration.
    pub uses_length_bucket: bool,
}

/// The keys of the positions on an axis.
#[derive(Debug)]
enum AxisKeys {
    /// The ids of a dictionary by code, with none first.
    Ids(Link),
    /// Some codes of a dictionary.
    Codes(Link, Vec<u32>),
    /// Cells, with none first.
    Cells(Arc<ParentCells>),
    /// Consecutive numbers, starting at the given one.
    NumbersFrom(i64),
    /// Numbers from 0, with none first.
    NoneFirst,
    /// Numbers from 0, with none last.
    NoneLast,
}

#[derive(Debug)]
pub(super) struct Axis {
    pub dimension: Dimension,
    /// The number of positions.
    pub size: u64,
    pub source: AxisSource,
    keys: AxisKeys,
}

/// The inputs for building an axis.
#[derive(Clone, Copy)]
pub(super) struct AxisContext<'a> {
    pub snapshot: &'a Snapshot,
    pub attributes: &'a Attributes,
    pub conditions: &'a Conditions,
    pub days: DayRange,
}

impl Axis {
    pub fn new(dimension: Dimension, context: &AxisContext<'_>) -> Self {
        let (size, source, names) = match dimension {
            Dimension::Project => context.link(Link::Project),
            Dimension::Worksite => context.link(Link::Worksite),
            Dimension::Machine => context.link(Link::Machine),
            Dimension::BaseStation => context.link(Link::BaseStation),
            Dimension::Pedestrian => context.link(Link::Pedestrian),
            Dimension::Operator => context.link(Link::Operator),
            Dimension::Tag => context.link(Link::Tag),
            Dimension::WorksiteKind => {
                context.kind(Link::Worksite, WorksiteKind::ALL.len(), Attributes::worksite_kind)
            }
            Dimension::MachineKind => {
                context.kind(Link::Machine, MachineKind::ALL.len(), Attributes::machine_kind)
            }
            Dimension::PersonKind => {
                context.kind(Link::Pedestrian, PersonKind::ALL.len(), Attributes::person_kind)
            }
            Dimension::Zone => by_flags(Zone::ALL.len(), Flags::zone, Zone::Warning.code()),
            Dimension::Review => by_flags(Review::ALL.len(), Flags::review, Review::Unreviewed.code()),
            Dimension::Acknowledged => by_flags(2, |flags| usize::from(flags.is_acknowledged()), 0),
            Dimension::HourOfDay => by_hours(24, |hour| hour % 24),
            Dimension::DayOfWeek => by_hours(7, |hour| hour / 24),
            Dimension::Day => context.calendar(|day| day),
            Dimension::Week => context.calendar(|day| Week::of(Day::from_number(day)).number()),
            Dimension::Month => context.calendar(|day| Month::of(Day::from_number(day)).number()),
            Dimension::Hour => context.hour(),
            Dimension::Duration => (
                LENGTH_BUCKETS,
                AxisSource { uses_length_bucket: true, ..AxisSource::default() },
                AxisKeys::NoneLast,
            ),
            Dimension::Cell(resolution) => context.cell(resolution),
        };
        Self { dimension, size, source, keys: names }
    }

    /// Returns whether the rows of a chunk have only a few positions, because they are ordered by time.
    pub fn is_time(&self) -> bool {
        self.source.days.is_some()
    }

    /// Returns the key of a position.
    pub fn key(&self, place: u64, snapshot: &Snapshot) -> Key {
        let id = |dictionary: &Dictionary, code: u64| {
            u32::try_from(code).ok().and_then(|code| dictionary.id(code))
        };
        let at = usize::try_from(place).unwrap_or(usize::MAX);
        let number = i64::try_from(place).unwrap_or(i64::MAX);
        match &self.keys {
            AxisKeys::Ids(link) => id(snapshot.dictionaries.of(*link), place),
            AxisKeys::Codes(link, codes) => {
                codes.get(at).and_then(|code| snapshot.dictionaries.of(*link).id(*code))
            }
            AxisKeys::Cells(parents) => at.checked_sub(1).and_then(|at| parents.cells.get(at)).copied(),
            AxisKeys::NumbersFrom(first) => Some(first + number),
            AxisKeys::NoneFirst => (number > 0).then(|| number - 1),
            AxisKeys::NoneLast => (place + 1 < self.size).then_some(number),
        }
    }
}

type AxisParts = (u64, AxisSource, AxisKeys);

fn by_flags(size: usize, place: fn(Flags) -> usize, first: i64) -> AxisParts {
    let table = std::array::from_fn(|flags| to_u32(place(Flags(u8::try_from(flags).unwrap_or(0)))));
    (size as u64, AxisSource { flags: Some(table), ..AxisSource::default() }, AxisKeys::NumbersFrom(first))
}

fn by_hours(size: u64, place: fn(usize) -> usize) -> AxisParts {
    let table = std::array::from_fn(|hour| to_u32(place(hour)));
    (size, AxisSource { hours: Some(table), ..AxisSource::default() }, AxisKeys::NumbersFrom(0))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl AxisContext<'_> {
    fn link(&self, link: Link) -> AxisParts {
        let Some(members) = self.conditions.code_set(link) else {
            let size = self.snapshot.dictionaries.of(link).code_count() as u64;
            return (
                size,
                AxisSource { link: Some((link, None)), ..AxisSource::default() },
                AxisKeys::Ids(link),
            );
        };
        // Only the members of the filter occur, so other codes need no position.
        let mut places = vec![0; members.table.len()];
        for (place, code) in members.codes.iter().enumerate() {
            places[*code as usize] = to_u32(place);
        }
        let source = AxisSource { link: Some((link, Some(Arc::new(places)))), ..AxisSource::default() };
        (members.codes.len().max(1) as u64, source, AxisKeys::Codes(link, members.codes.clone()))
    }

    fn kind(&self, link: Link, kinds: usize, place: fn(&Attributes, i64) -> Option<usize>) -> AxisParts {
        let ids = self.snapshot.dictionaries.of(link).ids();
        let of = |id| place(self.attributes, id).map_or(0, |kind| to_u32(kind + 1));
        let places = std::iter::once(0).chain(ids.map(of)).collect();
        let source = AxisSource { link: Some((link, Some(Arc::new(places)))), ..AxisSource::default() };
        (kinds as u64 + 1, source, AxisKeys::NoneFirst)
    }

    fn calendar(&self, unit: fn(i64) -> i64) -> AxisParts {
        let (first, last) = self.days;
        let begin = unit(first);
        let place = |day: i64| u32::try_from(unit(day) - begin).unwrap_or(0);
        let size = u64::from(place(last)) + 1;
        (
            size,
            AxisSource { days: Some((first..=last).map(place).collect()), ..AxisSource::default() },
            AxisKeys::NumbersFrom(begin),
        )
    }

    fn hour(&self) -> AxisParts {
        let (first, last) = self.days;
        let days: Vec<u32> = (first..=last).zip((0..).step_by(24)).map(|(_, hour)| hour).collect();
        let size = days.len() as u64 * 24;
        let (_, by_hours, _) = by_hours(24, |hour| hour % 24);
        (size, AxisSource { days: Some(days), ..by_hours }, AxisKeys::NumbersFrom(first * 24))
    }

    fn cell(&self, resolution: Resolution) -> AxisParts {
        if resolution == Resolution::FINEST {
            return self.link(Link::Cell);
        }
        let parents = self.snapshot.dictionaries.parent_cells(resolution);
        let size = parents.cells.len() as u64 + 1;
        let places = Arc::clone(&parents.positions);
        (
            size,
            AxisSource { link: Some((Link::Cell, Some(places))), ..AxisSource::default() },
            AxisKeys::Cells(parents),
        )
    }
}

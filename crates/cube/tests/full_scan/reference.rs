//! A plain loop over rows: slow, but easy to verify.

use std::collections::{BTreeMap, BTreeSet};

use cube::{Attributes, IncursionFact, RuntimeFact};
use domain::insights::{
    Answer, Dimension, DurationBucket, Figure, Group, Grouping, Groups, Key, Measure, Month, Question, Week,
};
use domain::{Day, MachineId, MachineKind, PeriodBound, PersonKind, WorksiteId, WorksiteKind};

use crate::facts::Batch;

/// The latest version of each fact.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub incursions: BTreeMap<(i64, i64), IncursionFact>,
    pub runtime: BTreeMap<(i64, i64), RuntimeFact>,
}

/// The sums of a group.
#[derive(Default)]
struct Sums {
    count: i64,
    acknowledged: i64,
    lengths: Vec<i64>,
    ack_time_ms: i64,
    machines: BTreeSet<i64>,
    pedestrians: BTreeSet<i64>,
    operators: BTreeSet<i64>,
    runtime_ms: i64,
}

fn length_ms(fact: &IncursionFact) -> Option<i64> {
    fact.ended_at.map(|at| (at.micros() - fact.started_at.micros()) / 1_000)
}

fn waited_ms(fact: &IncursionFact) -> Option<i64> {
    fact.acknowledged_at.map(|at| (at.micros() - fact.started_at.micros()) / 1_000)
}

fn matches_any<T: PartialEq>(list: &[T], of: Option<T>) -> bool {
    list.is_empty() || of.is_some_and(|of| list.contains(&of))
}

fn is_within(question: &Question, project: Option<domain::ProjectId>) -> bool {
    question
        .visible_projects
        .as_ref()
        .is_none_or(|within| project.is_some_and(|project| within.contains(&project)))
}

fn has_kinds(
    question: &Question,
    attributes: &Attributes,
    machine: Option<MachineId>,
    worksite: Option<WorksiteId>,
) -> bool {
    let machine = machine.and_then(|id| attributes.machine_kinds.get(&id).copied());
    let worksite = worksite.and_then(|id| attributes.worksite_kinds.get(&id).copied());
    matches_any(&question.filter.machine_kinds, machine)
        && matches_any(&question.filter.worksite_kinds, worksite)
}

fn matches_question(question: &Question, fact: &IncursionFact) -> bool {
    let filter = &question.filter;
    let is_after = question.from.is_none_or(|cut| match cut {
        PeriodBound::Instant(at) => fact.started_at >= at,
        PeriodBound::Day(day) => fact.local_day >= day,
    });
    let is_before = question.to.is_none_or(|cut| match cut {
        PeriodBound::Instant(at) => fact.started_at < at,
        PeriodBound::Day(day) => fact.local_day < day,
    });
    let length = length_ms(fact);
    is_after
        && is_before
        && is_within(question, fact.project)
        && matches_any(&filter.projects, fact.project)
        && matches_any(&filter.worksites, fact.worksite)
        && matches_any(&filter.machines, fact.machine)
        && matches_any(&filter.base_stations, Some(fact.base_station))
        && (matches_any(&filter.people, fact.pedestrian) || matches_any(&filter.people, fact.operator))
        && matches_any(&filter.pedestrians, fact.pedestrian)
        && matches_any(&filter.operators, fact.operator)
        && matches_any(&filter.tags, Some(fact.tag))
        && matches_any(&filter.zones, Some(fact.zone))
        && filter.acknowledged.is_none_or(|asked| asked == fact.acknowledged_at.is_some())
        && filter.min_duration.is_none_or(|least| length.is_some_and(|ms| ms >= least.micros() / 1_000))
        && filter.max_duration.is_none_or(|most| length.is_some_and(|ms| ms <= most.micros() / 1_000))
        && matches_any(&filter.reviews, Some(fact.review))
}

/// Returns the requested part of a runtime piece, in microseconds.
fn runtime_us(question: &Question, piece: &RuntimeFact) -> i64 {
    let filter = &question.filter;
    let (mut from, mut to) = (piece.started_at, piece.ended_at);
    let is_there = is_within(question, piece.project)
        && matches_any(&filter.projects, piece.project)
        && matches_any(&filter.worksites, piece.worksite)
        && matches_any(&filter.machines, piece.machine)
        && matches_any(&filter.base_stations, Some(piece.base_station))
        && matches_any(&filter.operators, piece.operator);
    match question.from {
        Some(PeriodBound::Instant(at)) => from = from.max(at),
        Some(PeriodBound::Day(day)) if piece.local_day < day => return 0,
        _ => {}
    }
    match question.to {
        Some(PeriodBound::Instant(at)) => to = to.min(at),
        Some(PeriodBound::Day(day)) if piece.local_day >= day => return 0,
        _ => {}
    }
    if is_there { (to.micros() - from.micros()).max(0) } else { 0 }
}

fn place<T: PartialEq>(all: &[T], of: Option<&T>) -> Key {
    of.and_then(|of| all.iter().position(|one| one == of)).map(|at| i64::try_from(at).unwrap())
}

/// The common fields of incursions and runtime.
struct Common {
    project: Key,
    worksite: Key,
    machine: Key,
    base_station: Key,
    operator: Key,
    day: Day,
    hour: i64,
    day_of_week: i64,
}

fn common_key(dimension: Dimension, row: &Common, attributes: &Attributes) -> Key {
    match dimension {
        Dimension::Project => row.project,
        Dimension::Worksite => row.worksite,
        Dimension::WorksiteKind => {
            let kind = row.worksite.and_then(|id| attributes.worksite_kinds.get(&WorksiteId(id)));
            place(&WorksiteKind::ALL, kind)
        }
        Dimension::Machine => row.machine,
        Dimension::MachineKind => {
            let kind = row.machine.and_then(|id| attributes.machine_kinds.get(&MachineId(id)));
            place(&MachineKind::ALL, kind)
        }
        Dimension::BaseStation => row.base_station,
        Dimension::Operator => row.operator,
        Dimension::Hour => Some(row.day.number() * 24 + row.hour),
        Dimension::HourOfDay => Some(row.hour),
        Dimension::DayOfWeek => Some(row.day_of_week),
        Dimension::Day => Some(row.day.number()),
        Dimension::Week => Some(Week::of(row.day).number()),
        Dimension::Month => Some(Month::of(row.day).number()),
        _ => unreachable!("{dimension:?} is of incursions alone"),
    }
}

fn key(dimension: Dimension, fact: &IncursionFact, attributes: &Attributes) -> Key {
    match dimension {
        Dimension::Pedestrian => fact.pedestrian.map(|id| id.0),
        Dimension::PersonKind => {
            place(&PersonKind::ALL, fact.pedestrian.and_then(|id| attributes.person_kinds.get(&id)))
        }
        Dimension::Tag => Some(fact.tag.0),
        Dimension::Zone => Some(fact.zone.code()),
        Dimension::Acknowledged => Some(i64::from(fact.acknowledged_at.is_some())),
        Dimension::Review => Some(fact.review.code()),
        Dimension::Duration => length_ms(fact).map(|ms| DurationBucket::from_duration_ms(ms).number()),
        Dimension::Cell(resolution) => fact.cell.map(|cell| resolution.cell(cell)),
        other => {
            let row = Common {
                project: fact.project.map(|id| id.0),
                worksite: fact.worksite.map(|id| id.0),
                machine: fact.machine.map(|id| id.0),
                base_station: Some(fact.base_station.0),
                operator: fact.operator.map(|id| id.0),
                day: fact.local_day,
                hour: fact.local_minute / 60 % 24,
                day_of_week: fact.local_minute / 1_440,
            };
            common_key(other, &row, attributes)
        }
    }
}

fn piece_key(dimension: Dimension, piece: &RuntimeFact, attributes: &Attributes) -> Key {
    let row = Common {
        project: piece.project.map(|id| id.0),
        worksite: piece.worksite.map(|id| id.0),
        machine: piece.machine.map(|id| id.0),
        base_station: Some(piece.base_station.0),
        operator: piece.operator.map(|id| id.0),
        day: piece.local_day,
        hour: piece.local_hour,
        day_of_week: (piece.local_day.number() + 3).rem_euclid(7),
    };
    common_key(dimension, &row, attributes)
}

fn percentile(lengths: &[i64], percentile: usize) -> Option<i64> {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    sorted.get(((percentile * sorted.len()).div_ceil(100)).max(1) - 1).copied()
}

fn count(number: usize) -> Option<i64> {
    i64::try_from(number).ok()
}

fn figure(sums: &Sums, measure: Measure, runtime_ms: Option<i64>) -> Figure {
    let (numerator, denominator) = match measure {
        Measure::Incursions => (Some(sums.count), None),
        Measure::Acknowledged => (Some(sums.acknowledged), None),
        Measure::Unacknowledged => (Some(sums.count - sums.acknowledged), None),
        Measure::AcknowledgementRate => (Some(sums.acknowledged), Some(sums.count)),
        Measure::AverageDuration => (Some(sums.lengths.iter().sum()), count(sums.lengths.len())),
        Measure::Exposure => (Some(sums.lengths.iter().sum()), None),
        Measure::AverageAckTime => (Some(sums.ack_time_ms), Some(sums.acknowledged)),
        Measure::MedianDuration => (percentile(&sums.lengths, 50), count(sums.lengths.len())),
        Measure::P95Duration => (percentile(&sums.lengths, 95), count(sums.lengths.len())),
        Measure::LongestDuration => (sums.lengths.iter().max().copied(), count(sums.lengths.len())),
        Measure::Machines => (count(sums.machines.len()), None),
        Measure::Pedestrians => (count(sums.pedestrians.len()), None),
        Measure::Operators => (count(sums.operators.len()), None),
        Measure::RuntimeHours => (runtime_ms, None),
        Measure::IncursionsPerRuntimeHour => (Some(sums.count), runtime_ms),
    };
    Figure { numerator, denominator, incursions: sums.count }
}

impl Rows {
    pub fn apply(&mut self, (incursions, runtime): &Batch) {
        self.incursions.extend(incursions.iter().map(|fact| ((fact.started_at.micros(), fact.id.0), *fact)));
        self.runtime.extend(runtime.iter().map(|piece| ((piece.started_at.micros(), piece.id.0), *piece)));
    }

    pub fn answer(&self, question: &Question, attributes: &Attributes) -> Answer {
        let groups = |grouping: &Grouping| {
            let mut found: BTreeMap<Vec<Key>, Sums> = BTreeMap::new();
            if grouping.dimensions.is_empty() {
                found.insert(Vec::new(), Sums::default());
            }
            let matches = |fact: &&IncursionFact| {
                matches_question(question, fact)
                    && has_kinds(question, attributes, fact.machine, fact.worksite)
            };
            for fact in self.incursions.values().filter(matches) {
                let keys =
                    grouping.dimensions.iter().map(|dimension| key(*dimension, fact, attributes)).collect();
                let sums = found.entry(keys).or_default();
                sums.count += 1;
                sums.lengths.extend(length_ms(fact));
                if let Some(waited) = waited_ms(fact) {
                    sums.acknowledged += 1;
                    sums.ack_time_ms += waited;
                }
                sums.machines.extend(fact.machine.map(|id| id.0));
                sums.pedestrians.extend(fact.pedestrian.map(|id| id.0));
                sums.operators.extend(fact.operator.map(|id| id.0));
            }
            let knows_runtime = question.filter.applies_to_runtime() && grouping.applies_to_runtime();
            if question.needs_runtime() && knows_runtime {
                for piece in self.runtime.values() {
                    if !has_kinds(question, attributes, piece.machine, piece.worksite) {
                        continue;
                    }
                    let runtime_us = runtime_us(question, piece);
                    if runtime_us > 0 {
                        let keys = grouping
                            .dimensions
                            .iter()
                            .map(|dimension| piece_key(*dimension, piece, attributes))
                            .collect();
                        found.entry(keys).or_default().runtime_ms += runtime_us / 1_000;
                    }
                }
            }
            let group = |(keys, sums): (Vec<Key>, Sums)| {
                let runtime_ms = knows_runtime.then_some(sums.runtime_ms);
                let figures =
                    question.measures.iter().map(|measure| figure(&sums, *measure, runtime_ms)).collect();
                Group { keys, figures }
            };
            Groups::sort_and_limit(found.into_iter().map(group).collect(), grouping, &question.measures)
        };
        Answer { groupings: question.groupings.iter().map(groups).collect() }
    }
}

//! Answers by looking at every row, one after the other: slow, and plain enough to be believed.

use std::collections::{BTreeMap, BTreeSet};

use domain::insights::{
    Answer, Dimension, DurationBucket, Figure, Group, Grouping, Groups, IncursionFact, Key, Measure, Month,
    Question, RuntimeFact, Week,
};
use domain::{
    Cut, Day, MachineId, MachineKind, PersonId, PersonKind, ProjectId, Timestamp, WorksiteId, WorksiteKind,
};

use super::FactRows;

impl FactRows {
    /// The answer to a question.
    pub fn answer(&self, question: &Question) -> Answer {
        let groupings = question.groupings.iter().map(|grouping| self.groups(question, grouping)).collect();
        Answer { groupings }
    }

    fn groups(&self, question: &Question, grouping: &Grouping) -> Groups {
        let mut groups: BTreeMap<Vec<Key>, (Vec<&IncursionFact>, i64)> = BTreeMap::new();
        if grouping.by.is_empty() {
            groups.entry(Vec::new()).or_default();
        }
        for fact in self.incursions.iter().filter(|fact| is_asked(question, fact)) {
            let keys = grouping.by.iter().map(|dimension| self.key_of_incursion(*dimension, fact)).collect();
            groups.entry(keys).or_default().0.push(fact);
        }
        let has_runtime = question.needs_runtime()
            && question.filter.people.is_empty()
            && question.filter.pedestrians.is_empty()
            && question.filter.tags.is_empty()
            && grouping.by.iter().all(|dimension| dimension.has_runtime());
        if has_runtime {
            for piece in &self.runtime {
                let Some(ms) = asked_ms(question, piece) else { continue };
                let keys = grouping.by.iter().map(|dimension| self.key_of_piece(*dimension, piece)).collect();
                groups.entry(keys).or_default().1 += ms;
            }
        }
        let groups = groups.into_iter().map(|(keys, (facts, runtime_ms))| {
            let runtime_ms = has_runtime.then_some(runtime_ms);
            let figures =
                question.measures.iter().map(|measure| figure(*measure, &facts, runtime_ms)).collect();
            Group { keys, figures }
        });
        Groups::arrange(groups.collect(), grouping, &question.measures)
    }

    fn key_of_incursion(&self, dimension: Dimension, fact: &IncursionFact) -> Key {
        match dimension {
            Dimension::Project => fact.project.map(|id| id.0),
            Dimension::Worksite => fact.worksite.map(|id| id.0),
            Dimension::WorksiteKind => self.worksite_kind(fact.worksite),
            Dimension::Machine => fact.machine.map(|id| id.0),
            Dimension::MachineKind => self.machine_kind(fact.machine),
            Dimension::BaseStation => Some(fact.base_station.0),
            Dimension::Pedestrian => fact.pedestrian.map(|id| id.0),
            Dimension::Operator => fact.operator.map(|id| id.0),
            Dimension::PersonKind => self.person_kind(fact.pedestrian),
            Dimension::Tag => Some(fact.tag.0),
            Dimension::Zone => Some(fact.zone.code()),
            Dimension::Acknowledged => Some(i64::from(fact.acknowledged_at.is_some())),
            Dimension::Review => Some(fact.review.code()),
            Dimension::Hour => Some(fact.local_day.number() * 24 + fact.local_minute % 1_440 / 60),
            Dimension::HourOfDay => Some(fact.local_minute % 1_440 / 60),
            Dimension::DayOfWeek => Some(fact.local_minute / 1_440),
            Dimension::Day | Dimension::Week | Dimension::Month => {
                key_of_day(dimension, fact.local_day.number())
            }
            Dimension::Duration => fact.duration_ms().map(|ms| DurationBucket::of_ms(ms).number()),
            Dimension::Cell(resolution) => fact.cell.map(|cell| resolution.cell(cell)),
        }
    }

    fn key_of_piece(&self, dimension: Dimension, piece: &RuntimeFact) -> Key {
        match dimension {
            Dimension::Project => piece.project.map(|id| id.0),
            Dimension::Worksite => piece.worksite.map(|id| id.0),
            Dimension::WorksiteKind => self.worksite_kind(piece.worksite),
            Dimension::Machine => piece.machine.map(|id| id.0),
            Dimension::MachineKind => self.machine_kind(piece.machine),
            Dimension::BaseStation => Some(piece.base_station.0),
            Dimension::Operator => piece.operator.map(|id| id.0),
            Dimension::Hour => Some(piece.local_day.number() * 24 + piece.local_hour),
            Dimension::HourOfDay => Some(piece.local_hour),
            Dimension::DayOfWeek => Some((piece.local_day.number() + 3).rem_euclid(7)),
            Dimension::Day | Dimension::Week | Dimension::Month => {
                key_of_day(dimension, piece.local_day.number())
            }
            Dimension::Pedestrian
            | Dimension::PersonKind
            | Dimension::Tag
            | Dimension::Zone
            | Dimension::Acknowledged
            | Dimension::Review
            | Dimension::Duration
            | Dimension::Cell(_) => None,
        }
    }

    fn worksite_kind(&self, id: Option<WorksiteId>) -> Key {
        let (_, kind) = self.kinds.worksites.iter().find(|(known, _)| Some(*known) == id)?;
        place(WorksiteKind::ALL.iter().position(|known| known == kind))
    }

    fn machine_kind(&self, id: Option<MachineId>) -> Key {
        let (_, kind) = self.kinds.machines.iter().find(|(known, _)| Some(*known) == id)?;
        place(MachineKind::ALL.iter().position(|known| known == kind))
    }

    fn person_kind(&self, id: Option<PersonId>) -> Key {
        let (_, kind) = self.kinds.people.iter().find(|(known, _)| Some(*known) == id)?;
        place(PersonKind::ALL.iter().position(|known| known == kind))
    }
}

fn place(place: Option<usize>) -> Key {
    place.and_then(|place| i64::try_from(place).ok())
}

fn key_of_day(dimension: Dimension, day: i64) -> Key {
    let day = Day::from_number(day);
    match dimension {
        Dimension::Week => Some(Week::of(day).number()),
        Dimension::Month => Some(Month::of(day).number()),
        _ => Some(day.number()),
    }
}

/// Whether a filter's list lets a value pass.
fn passes<T: PartialEq>(list: &[T], value: Option<T>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.contains(&value))
}

fn is_within(question: &Question, project: Option<ProjectId>) -> bool {
    match &question.within {
        Some(projects) => project.is_some_and(|project| projects.contains(&project)),
        None => true,
    }
}

fn is_not_before(at: Timestamp, local_day: i64, cut: Option<Cut>) -> bool {
    match cut {
        None => true,
        Some(Cut::At(from)) => at >= from,
        Some(Cut::Day(day)) => local_day >= day.number(),
    }
}

fn is_asked(question: &Question, fact: &IncursionFact) -> bool {
    let filter = &question.filter;
    let is_long_enough = |least: i64| fact.duration_ms().is_some_and(|ms| ms >= least);
    let is_short_enough = |most: i64| fact.duration_ms().is_some_and(|ms| ms <= most);
    is_within(question, fact.project)
        && is_not_before(fact.started_at, fact.local_day.number(), question.from)
        && (question.to.is_none() || !is_not_before(fact.started_at, fact.local_day.number(), question.to))
        && passes(&filter.projects, fact.project)
        && passes(&filter.worksites, fact.worksite)
        && passes(&filter.machines, fact.machine)
        && passes(&filter.base_stations, Some(fact.base_station))
        && (passes(&filter.people, fact.pedestrian) || passes(&filter.people, fact.operator))
        && passes(&filter.pedestrians, fact.pedestrian)
        && passes(&filter.operators, fact.operator)
        && passes(&filter.tags, Some(fact.tag))
        && passes(&filter.zones, Some(fact.zone))
        && passes(&filter.reviews, Some(fact.review))
        && filter.acknowledged.is_none_or(|wanted| fact.acknowledged_at.is_some() == wanted)
        && filter.min_duration.is_none_or(|least| is_long_enough(least.micros() / 1_000))
        && filter.max_duration.is_none_or(|most| is_short_enough(most.micros() / 1_000))
}

/// How much of a piece is asked for; none if nothing of it is.
fn asked_ms(question: &Question, piece: &RuntimeFact) -> Option<i64> {
    let filter = &question.filter;
    let (mut from, mut to) = (piece.started_at, piece.ended_at);
    match question.from {
        Some(Cut::At(at)) => from = from.max(at),
        Some(Cut::Day(day)) if piece.local_day < day => return None,
        Some(Cut::Day(_)) | None => {}
    }
    match question.to {
        Some(Cut::At(at)) => to = to.min(at),
        Some(Cut::Day(day)) if piece.local_day >= day => return None,
        Some(Cut::Day(_)) | None => {}
    }
    let is_asked = from < to
        && is_within(question, piece.project)
        && passes(&filter.projects, piece.project)
        && passes(&filter.worksites, piece.worksite)
        && passes(&filter.machines, piece.machine)
        && passes(&filter.base_stations, Some(piece.base_station))
        && passes(&filter.operators, piece.operator);
    is_asked.then(|| (to - from).micros() / 1_000)
}

fn figure(measure: Measure, facts: &[&IncursionFact], runtime_ms: Option<i64>) -> Figure {
    let count = |number: usize| i64::try_from(number).expect("not so many");
    let incursions = count(facts.len());
    let acknowledged = count(facts.iter().filter(|fact| fact.acknowledged_at.is_some()).count());
    let mut lengths: Vec<i64> = facts.iter().filter_map(|fact| fact.duration_ms()).collect();
    lengths.sort_unstable();
    let ended = count(lengths.len());
    let nearest = |percent: usize| {
        let rank = (percent * lengths.len()).div_ceil(100);
        rank.checked_sub(1).map(|place| lengths[place])
    };
    let different = |id: fn(&IncursionFact) -> Option<i64>| {
        count(facts.iter().filter_map(|fact| id(fact)).collect::<BTreeSet<i64>>().len())
    };
    let (numerator, denominator) = match measure {
        Measure::Incursions => (Some(incursions), None),
        Measure::Acknowledged => (Some(acknowledged), None),
        Measure::Unacknowledged => (Some(incursions - acknowledged), None),
        Measure::AcknowledgementRate => (Some(acknowledged), Some(incursions)),
        Measure::AverageDuration => (Some(lengths.iter().sum()), Some(ended)),
        Measure::Exposure => (Some(lengths.iter().sum()), None),
        Measure::AverageAckTime => {
            (Some(facts.iter().filter_map(|fact| fact.ack_ms()).sum()), Some(acknowledged))
        }
        Measure::MedianDuration => (nearest(50), Some(ended)),
        Measure::P95Duration => (nearest(95), Some(ended)),
        Measure::Machines => (Some(different(|fact| fact.machine.map(|id| id.0))), None),
        Measure::Pedestrians => (Some(different(|fact| fact.pedestrian.map(|id| id.0))), None),
        Measure::Operators => (Some(different(|fact| fact.operator.map(|id| id.0))), None),
        Measure::RuntimeHours => (runtime_ms, None),
        Measure::IncursionsPerRuntimeHour => (Some(incursions), runtime_ms),
    };
    Figure { numerator, denominator, incursions }
}

//! Reference answers, found by reading every row: slow, but simple enough to be obviously correct.

use std::collections::{BTreeMap, BTreeSet};

use domain::insights::{
    Answer, Dimension, DurationBucket, Figure, Group, Grouping, Groups, IncursionFact, Key, Measure, Month,
    Question, RuntimeFact, Week,
};
use domain::{
    Day, MachineId, MachineKind, PeriodBound, PersonId, PersonKind, ProjectId, Timestamp, WorksiteId,
    WorksiteKind,
};

use super::FactRows;

impl FactRows {
    pub fn answer(&self, question: &Question) -> Answer {
        let groupings =
            question.groupings.iter().map(|grouping| self.answer_grouping(question, grouping)).collect();
        Answer { groupings }
    }

    fn answer_grouping(&self, question: &Question, grouping: &Grouping) -> Groups {
        let mut groups: BTreeMap<Vec<Key>, (Vec<&IncursionFact>, i64)> = BTreeMap::new();
        if grouping.dimensions.is_empty() {
            groups.entry(Vec::new()).or_default();
        }
        let matches = |fact: &&IncursionFact| {
            matches_question(question, fact) && self.has_kinds(question, fact.machine, fact.worksite)
        };
        for fact in self.incursions.iter().filter(matches) {
            let keys =
                grouping.dimensions.iter().map(|dimension| self.key_of_incursion(*dimension, fact)).collect();
            groups.entry(keys).or_default().0.push(fact);
        }
        let has_runtime = question.needs_runtime()
            && question.filter.people.is_empty()
            && question.filter.pedestrians.is_empty()
            && question.filter.tags.is_empty()
            && grouping.dimensions.iter().all(|dimension| dimension.applies_to_runtime());
        if has_runtime {
            for piece in &self.runtime {
                if !self.has_kinds(question, piece.machine, piece.worksite) {
                    continue;
                }
                let Some(ms) = matching_runtime_ms(question, piece) else { continue };
                let keys = grouping
                    .dimensions
                    .iter()
                    .map(|dimension| self.key_of_runtime(*dimension, piece))
                    .collect();
                groups.entry(keys).or_default().1 += ms;
            }
        }
        let groups = groups.into_iter().map(|(keys, (facts, runtime_ms))| {
            let runtime_ms = has_runtime.then_some(runtime_ms);
            let figures =
                question.measures.iter().map(|measure| figure(*measure, &facts, runtime_ms)).collect();
            Group { keys, figures }
        });
        Groups::sort_and_limit(groups.collect(), grouping, &question.measures)
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
            Dimension::Duration => fact.duration_ms().map(|ms| DurationBucket::from_duration_ms(ms).number()),
            Dimension::Cell(resolution) => fact.cell.map(|cell| resolution.cell(cell)),
        }
    }

    fn key_of_runtime(&self, dimension: Dimension, piece: &RuntimeFact) -> Key {
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

    /// Returns whether machine and worksite have the kinds that the filter names.
    fn has_kinds(
        &self,
        question: &Question,
        machine: Option<MachineId>,
        worksite: Option<WorksiteId>,
    ) -> bool {
        let filter = &question.filter;
        let machine = self.kinds.machines.iter().find(|(known, _)| Some(*known) == machine);
        let worksite = self.kinds.worksites.iter().find(|(known, _)| Some(*known) == worksite);
        passes(&filter.machine_kinds, machine.map(|(_, kind)| *kind))
            && passes(&filter.worksite_kinds, worksite.map(|(_, kind)| *kind))
    }

    fn worksite_kind(&self, id: Option<WorksiteId>) -> Key {
        let (_, kind) = self.kinds.worksites.iter().find(|(known, _)| Some(*known) == id)?;
        position_key(WorksiteKind::ALL.iter().position(|known| known == kind))
    }

    fn machine_kind(&self, id: Option<MachineId>) -> Key {
        let (_, kind) = self.kinds.machines.iter().find(|(known, _)| Some(*known) == id)?;
        position_key(MachineKind::ALL.iter().position(|known| known == kind))
    }

    fn person_kind(&self, id: Option<PersonId>) -> Key {
        let (_, kind) = self.kinds.people.iter().find(|(known, _)| Some(*known) == id)?;
        position_key(PersonKind::ALL.iter().position(|known| known == kind))
    }
}

fn position_key(place: Option<usize>) -> Key {
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

/// Returns whether a filter list accepts a value.
fn passes<T: PartialEq>(list: &[T], value: Option<T>) -> bool {
    list.is_empty() || value.is_some_and(|value| list.contains(&value))
}

fn is_in_scope(question: &Question, project: Option<ProjectId>) -> bool {
    match &question.visible_projects {
        Some(projects) => project.is_some_and(|project| projects.contains(&project)),
        None => true,
    }
}

fn is_not_before(at: Timestamp, local_day: i64, bound: Option<PeriodBound>) -> bool {
    match bound {
        None => true,
        Some(PeriodBound::Instant(from)) => at >= from,
        Some(PeriodBound::Day(day)) => local_day >= day.number(),
    }
}

fn matches_question(question: &Question, fact: &IncursionFact) -> bool {
    let filter = &question.filter;
    let is_long_enough = |min_ms: i64| fact.duration_ms().is_some_and(|ms| ms >= min_ms);
    let is_short_enough = |max_ms: i64| fact.duration_ms().is_some_and(|ms| ms <= max_ms);
    is_in_scope(question, fact.project)
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

/// Returns how much of a runtime piece matches the question; `None` if none of it does.
fn matching_runtime_ms(question: &Question, piece: &RuntimeFact) -> Option<i64> {
    let filter = &question.filter;
    let (mut from, mut to) = (piece.started_at, piece.ended_at);
    match question.from {
        Some(PeriodBound::Instant(at)) => from = from.max(at),
        Some(PeriodBound::Day(day)) if piece.local_day < day => return None,
        Some(PeriodBound::Day(_)) | None => {}
    }
    match question.to {
        Some(PeriodBound::Instant(at)) => to = to.min(at),
        Some(PeriodBound::Day(day)) if piece.local_day >= day => return None,
        Some(PeriodBound::Day(_)) | None => {}
    }
    let matches = from < to
        && is_in_scope(question, piece.project)
        && passes(&filter.projects, piece.project)
        && passes(&filter.worksites, piece.worksite)
        && passes(&filter.machines, piece.machine)
        && passes(&filter.base_stations, Some(piece.base_station))
        && passes(&filter.operators, piece.operator);
    matches.then(|| (to - from).micros() / 1_000)
}

fn figure(measure: Measure, facts: &[&IncursionFact], runtime_ms: Option<i64>) -> Figure {
    let count = |number: usize| i64::try_from(number).expect("not so many");
    let incursions = count(facts.len());
    let acknowledged = count(facts.iter().filter(|fact| fact.acknowledged_at.is_some()).count());
    let mut durations_ms: Vec<i64> = facts.iter().filter_map(|fact| fact.duration_ms()).collect();
    durations_ms.sort_unstable();
    let ended = count(durations_ms.len());
    let nearest_rank = |percent: usize| {
        let rank = (percent * durations_ms.len()).div_ceil(100);
        rank.checked_sub(1).map(|place| durations_ms[place])
    };
    let count_distinct = |id: fn(&IncursionFact) -> Option<i64>| {
        count(facts.iter().filter_map(|fact| id(fact)).collect::<BTreeSet<i64>>().len())
    };
    let (numerator, denominator) = match measure {
        Measure::Incursions => (Some(incursions), None),
        Measure::Acknowledged => (Some(acknowledged), None),
        Measure::Unacknowledged => (Some(incursions - acknowledged), None),
        Measure::AcknowledgementRate => (Some(acknowledged), Some(incursions)),
        Measure::AverageDuration => (Some(durations_ms.iter().sum()), Some(ended)),
        Measure::Exposure => (Some(durations_ms.iter().sum()), None),
        Measure::AverageAckTime => {
            (Some(facts.iter().filter_map(|fact| fact.ack_ms()).sum()), Some(acknowledged))
        }
        Measure::MedianDuration => (nearest_rank(50), Some(ended)),
        Measure::P95Duration => (nearest_rank(95), Some(ended)),
        Measure::LongestDuration => (durations_ms.last().copied(), Some(ended)),
        Measure::Machines => (Some(count_distinct(|fact| fact.machine.map(|id| id.0))), None),
        Measure::Pedestrians => (Some(count_distinct(|fact| fact.pedestrian.map(|id| id.0))), None),
        Measure::Operators => (Some(count_distinct(|fact| fact.operator.map(|id| id.0))), None),
        Measure::RuntimeHours => (runtime_ms, None),
        Measure::IncursionsPerRuntimeHour => (Some(incursions), runtime_ms),
    };
    Figure { numerator, denominator, incursions }
}

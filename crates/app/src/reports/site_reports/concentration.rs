//! Concentration: hours, places, machines and pairs with more incursions than their share.

use std::cmp::Reverse;

use domain::insights::{Dimension, Grouping, IncursionFilter, Measure};
use domain::{MachineId, PersonId};
use h3o::{CellIndex, LatLng};
use narrative::{ComparedWith, Fact, FactKind, FactUnit, Place, Subject, SubjectKind};

use super::comparisons::{certainty_by_count, certainty_of_share, compare, new_fact, new_share};
use super::facts::{Basis, unsigned};
use crate::insights::QuerySpec;
use crate::reports::figures::GroupView;
use crate::{App, Error};

/// With fewer incursions, nothing is concentrated.
const MIN_INCURSIONS: u64 = 10;
/// How many hours in a row are looked at.
const HOURS: usize = 3;
/// From how many meetings on, on how many days, a pair is told, and how many pairs.
const MIN_MEETINGS: i64 = 5;
const MIN_MEETING_DAYS: usize = 3;
const MAX_PAIRS: usize = 3;

impl App {
    /// Returns the busiest hours, place and machine, and pairs that met repeatedly.
    pub(super) async fn concentration_facts(&self, basis: &mut Basis<'_>) -> Result<Vec<Fact>, Error> {
        let count = basis.count("main", Measure::Incursions);
        let mut facts = Vec::new();
        if count >= MIN_INCURSIONS {
            let runtime = self.runtime_by_hour(basis).await?;
            facts.extend(busiest_hours(&incursions_by_hour(basis), &runtime));
            facts.extend(busiest_place(basis, count));
            facts.extend(top_machine(basis, count));
        }
        facts.extend(self.repeated_pairs(basis).await?);
        Ok(facts)
    }

    /// Returns the runtime of each hour of the day, in milliseconds.
    async fn runtime_by_hour(&self, basis: &mut Basis<'_>) -> Result<[u64; 24], Error> {
        let spec = QuerySpec {
            filter: &basis.filter,
            measures: vec![Measure::RuntimeHours],
            groupings: vec![Grouping::by([Dimension::HourOfDay])],
        };
        let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
        basis.seqs.push(result.seq);
        let mut hours = [0; 24];
        for group in result.take_next_groups().groups {
            let hour = group.keys.first().copied().flatten().and_then(|hour| usize::try_from(hour).ok());
            let runtime = group.figures.first().map_or(0, |figure| unsigned(figure.numerator));
            if let Some(sum) = hour.and_then(|hour| hours.get_mut(hour)) {
                *sum += runtime;
            }
        }
        Ok(hours)
    }

    async fn repeated_pairs(&self, basis: &mut Basis<'_>) -> Result<Vec<Fact>, Error> {
        let pairs: Vec<(i64, i64, i64)> = basis
            .figures
            .groups("main", "by_pair")
            .iter()
            .filter_map(|group| Some((group.key(0)?, group.key(1)?, group.incursions())))
            .filter(|(_, _, meetings)| *meetings >= MIN_MEETINGS)
            .take(MAX_PAIRS)
            .collect();
        let mut facts = Vec::new();
        for (machine, pedestrian, meetings) in pairs {
            let filter = IncursionFilter {
                machines: vec![MachineId(machine)],
                pedestrians: vec![PersonId(pedestrian)],
                ..basis.filter.clone()
            };
            let spec = QuerySpec {
                filter: &filter,
                measures: vec![Measure::Incursions],
                groupings: vec![Grouping::by([Dimension::Day])],
            };
            let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
            basis.seqs.push(result.seq);
            let days = result.take_next_groups().groups.len();
            if days >= MIN_MEETING_DAYS {
                let subject = |kind, id| Subject { kind, id };
                let meetings = unsigned(Some(meetings));
                facts.push(Fact {
                    subjects: vec![
                        subject(SubjectKind::Machine, machine),
                        subject(SubjectKind::Pedestrian, pedestrian),
                    ],
                    denominator: Some(days as f64),
                    certainty: certainty_by_count(meetings),
                    ..new_fact(FactKind::RepeatedPair, FactUnit::Count, meetings as f64, 0)
                });
            }
        }
        Ok(facts)
    }
}

/// Returns the incursions of each hour of the day.
fn incursions_by_hour(basis: &Basis<'_>) -> [u64; 24] {
    let mut hours = [0; 24];
    for group in basis.figures.groups("pattern", "by_hour") {
        let hour = group.key(1).and_then(|hour| usize::try_from(hour).ok());
        if let Some(sum) = hour.and_then(|hour| hours.get_mut(hour)) {
            *sum += unsigned(Some(group.incursions()));
        }
    }
    hours
}

/// Returns the hours in a row with most incursions, against their share of the runtime.
fn busiest_hours(incursions: &[u64; 24], runtime: &[u64; 24]) -> Option<Fact> {
    let sum = |hours: &[u64]| hours.iter().sum::<u64>();
    let windows = incursions.windows(HOURS).enumerate().map(|(from, hours)| (sum(hours), from));
    // Of equal ones the first.
    let (count, from) = windows.max_by_key(|(count, from)| (*count, Reverse(*from)))?;
    let all = sum(incursions);
    if count == 0 {
        return None;
    }
    let fact = Fact {
        hours: Some((u8::try_from(from).ok()?, u8::try_from(from + HOURS).ok()?)),
        ..new_share(FactKind::BusiestHours, count, all)
    };
    let ran = sum(runtime);
    Some(if ran == 0 {
        fact
    } else {
        against_runtime(fact, (count, all), (sum(&runtime[from..from + HOURS]), ran))
    })
}

/// Compares a share of the incursions with a share of the runtime.
fn against_runtime(fact: Fact, counts: (u64, u64), (part, all): (u64, u64)) -> Fact {
    let share = part as f64 / all as f64 * 100.0;
    let comparison = compare(ComparedWith::Runtime, FactUnit::Percent, fact.value, share);
    let certainty = certainty_of_share(comparison.direction, counts, share);
    Fact { comparison: Some(comparison), certainty, ..fact }
}

/// Returns the hexagon with most incursions among those with a position.
fn busiest_place(basis: &Basis<'_>, count: u64) -> Option<Fact> {
    let groups = basis.figures.groups("pattern", "by_cell");
    let without = groups.iter().find(|group| group.key(0).is_none()).map_or(0, GroupView::incursions);
    let all = count.saturating_sub(unsigned(Some(without)));
    let top = groups.iter().find(|group| group.key(0).is_some())?;
    let cell = CellIndex::try_from(u64::try_from(top.key(0)?).ok()?).ok()?;
    if all < MIN_INCURSIONS {
        return None;
    }
    let centre = LatLng::from(cell);
    // A tenth of a metre is enough.
    let rounded = |degrees: f64| (degrees * 1e6).round() / 1e6;
    let place = Place { cell: cell.to_string(), lat: rounded(centre.lat()), lon: rounded(centre.lng()) };
    let fact = new_share(FactKind::BusiestPlace, unsigned(Some(top.incursions())), all);
    Some(Fact { place: Some(place), ..fact })
}

/// Returns the machine with most incursions, if there are several, against its share of the runtime.
fn top_machine(basis: &Basis<'_>, count: u64) -> Option<Fact> {
    let groups = basis.figures.groups("main", "by_machine");
    let machines = groups.iter().filter(|group| group.key(0).is_some() && group.incursions() > 0);
    if machines.count() < 2 {
        return None;
    }
    let top = groups.iter().find(|group| group.key(0).is_some())?;
    let (machine, incursions) = (top.key(0)?, unsigned(Some(top.incursions())));
    let fact = Fact {
        subjects: vec![Subject { kind: SubjectKind::Machine, id: machine }],
        ..new_share(FactKind::TopMachine, incursions, count)
    };
    let ran = unsigned(top.figure(Measure::RuntimeHours).numerator);
    let all = basis.count("main", Measure::RuntimeHours);
    Some(if all == 0 { fact } else { against_runtime(fact, (incursions, count), (ran, all)) })
}

#[cfg(test)]
mod tests {
    use narrative::{Certainty, Direction};

    use super::*;

    fn hours(values: &[(usize, u64)]) -> [u64; 24] {
        let mut hours = [0; 24];
        for (hour, value) in values {
            hours[*hour] = *value;
        }
        hours
    }

    #[test]
    fn the_busiest_three_hours_are_compared_with_the_runtime_in_them() {
        let incursions = hours(&[(7, 30), (8, 20), (9, 10), (14, 40)]);
        let runtime = hours(&[(7, 10), (8, 10), (9, 10), (14, 70)]);
        let fact = busiest_hours(&incursions, &runtime).unwrap();
        assert_eq!((fact.hours, fact.value, fact.numerator), (Some((7, 10)), 60.0, Some(60.0)));
        let comparison = fact.comparison.unwrap();
        assert_eq!((comparison.value, comparison.direction), (30.0, Direction::Up));
        assert_eq!(fact.certainty, Certainty::High);
        let alone = busiest_hours(&hours(&[(23, 4)]), &[0; 24]).unwrap();
        assert_eq!((alone.hours, alone.comparison), (Some((21, 24)), None));
        assert_eq!(busiest_hours(&[0; 24], &runtime), None);
    }
}

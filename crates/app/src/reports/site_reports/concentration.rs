//! Concentration: hours, places, machines and pairs with more incursions than their share.

use std::collections::BTreeMap;

use domain::insights::{Dimension, Group, Grouping, IncursionFilter, Measure};
use domain::{MachineId, PersonId, SortedMap};
use h3o::{CellIndex, LatLng};
use narrative::{ComparedWith, Fact, FactKind, FactUnit, Place, Subject, SubjectKind};
use statistics::Overdispersion;

use super::comparisons::{certainty_by_count, certainty_of_largest_share, compare, new_fact, new_share};
use super::counts::unsigned;
use super::facts::Basis;
use crate::insights::QuerySpec;
use crate::reports::busiest_hours::{BusiestHours, count_candidates};
use crate::reports::figures::GroupView;
use crate::reports::thresholds::MIN_INCURSIONS;
use crate::{App, Error};

/// From how many meetings on, on how many days, a pair is reported, and how many pairs.
const MIN_MEETINGS: i64 = 5;
const MIN_MEETING_DAYS: usize = 3;
const MAX_PAIRS: usize = 3;

impl App {
    /// Returns the busiest hours, place and machine, and pairs that met repeatedly.
    pub(super) async fn concentration_facts(&self, basis: &mut Basis<'_>) -> Result<Vec<Fact>, Error> {
        let count = basis.count("main", Measure::Incursions);
        let mut facts = Vec::new();
        if count >= MIN_INCURSIONS.unsigned_abs() {
            let hours = self.hours_of_days(basis).await?;
            facts.extend(busiest_hours(&hours));
            facts.extend(busiest_place(basis, count));
            facts.extend(self.top_machine(basis, count).await?);
        }
        facts.extend(self.repeated_pairs(basis).await?);
        Ok(facts)
    }

    /// Returns the incursions and the runtime of each hour of each day.
    async fn hours_of_days(&self, basis: &mut Basis<'_>) -> Result<HoursOfDays, Error> {
        let spec = QuerySpec {
            filter: &basis.filter,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: vec![Grouping::by([Dimension::Day, Dimension::HourOfDay])],
        };
        let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
        basis.seqs.push(result.seq);
        let mut found = HoursOfDays::default();
        for group in result.take_next_groups().groups {
            let ([Some(day), Some(hour)], [incursions, runtime]) = (&group.keys[..], &group.figures[..])
            else {
                continue;
            };
            let Some(hour) = usize::try_from(*hour).ok().filter(|hour| *hour < 24) else { continue };
            found.incursions.entry(*day).or_default()[hour] += unsigned(incursions.numerator);
            found.runtime[hour] += unsigned(runtime.numerator);
        }
        Ok(found)
    }

    /// Returns the machine with most incursions, if there are several, against its share of the runtime.
    async fn top_machine(&self, basis: &mut Basis<'_>, count: u64) -> Result<Option<Fact>, Error> {
        let Some(top) = TopMachine::find(basis) else { return Ok(None) };
        let fact = Fact {
            subjects: vec![Subject { kind: SubjectKind::Machine, id: top.machine.0 }],
            ..new_share(FactKind::TopMachine, top.incursions, count)
        };
        let all = basis.count("main", Measure::RuntimeHours);
        if all == 0 {
            return Ok(Some(fact));
        }
        let filter = IncursionFilter { machines: vec![top.machine], ..basis.filter.clone() };
        let days = self.incursions_of_days(basis, &filter).await?;
        let spread = Overdispersion::of_shares(&[basis.days.period.shares(&days)]);
        let counts = (top.incursions, count);
        Ok(Some(against_runtime(fact, counts, (top.runtime, all), (spread, top.candidates))))
    }

    /// Returns the incursions of each day that match a filter; days without any are left out.
    async fn incursions_of_days(
        &self,
        basis: &mut Basis<'_>,
        filter: &IncursionFilter,
    ) -> Result<SortedMap<i64, u64>, Error> {
        let spec = QuerySpec {
            filter,
            measures: vec![Measure::Incursions],
            groupings: vec![Grouping::by([Dimension::Day])],
        };
        let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
        basis.seqs.push(result.seq);
        let day = |group: Group| {
            let incursions = group.figures.first().map_or(0, |figure| unsigned(figure.numerator));
            let day = group.keys.first().copied().flatten();
            day.filter(|_| incursions > 0).map(|day| (day, incursions))
        };
        Ok(result.take_next_groups().groups.into_iter().filter_map(day).collect())
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
            let days = self.incursions_of_days(basis, &filter).await?.len();
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

/// The incursions of each hour of each day, and the runtime of each hour of the day.
#[derive(Default)]
struct HoursOfDays {
    incursions: BTreeMap<i64, [u64; 24]>,
    /// In the unit of figures: only proportions matter.
    runtime: [u64; 24],
}

/// The machine with most incursions.
struct TopMachine {
    machine: MachineId,
    incursions: u64,
    /// In the unit of figures.
    runtime: u64,
    /// Number of machines among which it has most.
    candidates: u64,
}

impl TopMachine {
    /// Finds it, if several machines have incursions.
    fn find(basis: &Basis<'_>) -> Option<Self> {
        let mut groups = basis.figures.groups("main", "by_machine");
        groups.retain(|group| group.key(0).is_some());
        if groups.iter().filter(|group| group.incursions() > 0).count() < 2 {
            return None;
        }
        let top = groups.first()?;
        Some(Self {
            machine: MachineId(top.key(0)?),
            incursions: unsigned(Some(top.incursions())),
            runtime: unsigned(top.figure(Measure::RuntimeHours).numerator),
            candidates: groups.len() as u64 + basis.figures.more("main", "by_machine"),
        })
    }
}

/// Returns the hours in a row with most incursions, against their share of the runtime.
fn busiest_hours(hours: &HoursOfDays) -> Option<Fact> {
    let mut incursions = [0; 24];
    let mut anything = hours.runtime;
    for day in hours.incursions.values() {
        for (hour, count) in day.iter().enumerate() {
            incursions[hour] += count;
            anything[hour] += count;
        }
    }
    let found = BusiestHours::find(&incursions)?;
    let fact = Fact {
        hours: Some((found.from, found.to)),
        ..new_share(FactKind::BusiestHours, found.incursions, found.all)
    };
    let ran: u64 = hours.runtime.iter().sum();
    if ran == 0 {
        return Some(fact);
    }
    let shares: Vec<(u64, u64)> =
        hours.incursions.values().map(|day| (found.sum(day), day.iter().sum())).collect();
    let spread = Overdispersion::of_shares(&[shares]);
    let counts = (found.incursions, found.all);
    let runtime = (found.sum(&hours.runtime), ran);
    Some(against_runtime(fact, counts, runtime, (spread, count_candidates(&anything))))
}

/// Compares the largest share of the incursions with its share of the runtime. It was chosen among candidates, and days show how much
/// it varies.
fn against_runtime(
    fact: Fact,
    counts: (u64, u64),
    (part, all): (u64, u64),
    chosen: (Option<Overdispersion>, u64),
) -> Fact {
    let share = part as f64 / all as f64 * 100.0;
    let comparison = compare(ComparedWith::Runtime, FactUnit::Percent, fact.value, share);
    let certainty = certainty_of_largest_share(comparison.direction, counts, share, chosen);
    Fact { comparison: Some(comparison), certainty, ..fact }
}

/// Returns the hexagon with most incursions among those with a position.
fn busiest_place(basis: &Basis<'_>, count: u64) -> Option<Fact> {
    let groups = basis.figures.groups("pattern", "by_cell");
    let without = groups.iter().find(|group| group.key(0).is_none()).map_or(0, GroupView::incursions);
    let all = count.saturating_sub(unsigned(Some(without)));
    let top = groups.iter().find(|group| group.key(0).is_some())?;
    let cell = CellIndex::try_from(u64::try_from(top.key(0)?).ok()?).ok()?;
    if all < MIN_INCURSIONS.unsigned_abs() {
        return None;
    }
    let centre = LatLng::from(cell);
    // A tenth of a metre is enough.
    let rounded = |degrees: f64| (degrees * 1e6).round() / 1e6;
    let place = Place { cell: cell.to_string(), lat: rounded(centre.lat()), lon: rounded(centre.lng()) };
    let fact = new_share(FactKind::BusiestPlace, unsigned(Some(top.incursions())), all);
    Some(Fact { place: Some(place), ..fact })
}

#[cfg(test)]
mod tests {
    use narrative::{Certainty, Direction};

    use super::*;

    /// Twenty days with these incursions in hours of each day, and this runtime in hours of the day.
    fn days(incursions: impl Fn(i64) -> Vec<(usize, u64)>, runtime: &[(usize, u64)]) -> HoursOfDays {
        let hours = |values: &[(usize, u64)]| {
            let mut hours = [0; 24];
            for (hour, value) in values {
                hours[*hour] = *value;
            }
            hours
        };
        let incursions = (0..20).map(|day| (day, hours(&incursions(day)))).collect();
        HoursOfDays { incursions, runtime: hours(runtime) }
    }

    #[test]
    fn the_busiest_three_hours_are_compared_with_the_runtime_in_them() {
        let runtime = [(7, 10), (8, 10), (9, 10), (14, 70)];
        let fact = busiest_hours(&days(|_| vec![(7, 3), (8, 2), (9, 1), (14, 4)], &runtime)).unwrap();
        assert_eq!((fact.hours, fact.value, fact.numerator), (Some((7, 10)), 60.0, Some(120.0)));
        let comparison = fact.comparison.unwrap();
        assert_eq!((comparison.value, comparison.direction), (30.0, Direction::Up));
        assert_eq!(fact.certainty, Certainty::High);
        let alone = busiest_hours(&days(|_| vec![(23, 4)], &[])).unwrap();
        assert_eq!((alone.hours, alone.comparison), (Some((21, 24)), None));
        assert_eq!(busiest_hours(&days(|_| Vec::new(), &runtime)), None);
    }

    #[test]
    fn hours_that_were_busy_on_one_day_are_not_surely_busy() {
        // As many as above in these hours, but all of them on two days.
        let burst = |day: i64| if day < 2 { vec![(8, 60)] } else { vec![(14, 4)] };
        let runtime = [(7, 10), (8, 10), (9, 10), (14, 70)];
        let fact = busiest_hours(&days(burst, &runtime)).unwrap();
        assert_eq!((fact.numerator, fact.denominator), (Some(120.0), Some(192.0)));
        assert_eq!(fact.comparison.unwrap().direction, Direction::Up);
        assert_eq!(fact.certainty, Certainty::Low);
    }
}

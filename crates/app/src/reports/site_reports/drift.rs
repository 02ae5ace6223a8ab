//! Drift: the rate of incursions now against that of the weeks after the stations were installed, when people still take care.

use std::collections::BTreeMap;

use domain::insights::{Dimension, Grouping, Measure, Week};
use domain::{Day, Period, PeriodBound, ProjectId};
use narrative::{ComparedWith, Fact, FactKind, FactUnit};
use statistics::rate_interval;

use super::comparisons::{CONFIDENCE, certainty_of_rates, compare, new_fact};
use super::facts::{Basis, rate_digits, unsigned};
use crate::insights::QuerySpec;
use crate::insights::query::filter_for_period;
use crate::{App, Error};

/// How far back the installation is looked for, in days.
const LOOK_BACK_DAYS: i64 = 1_820;
/// The weeks after the installation that are compared with, counted from 0: the first two are for getting used to it.
const BASELINE_WEEKS: std::ops::Range<i64> = 2..8;
/// Fewer hours of runtime say nothing.
const MIN_HOURS: f64 = 24.0;

/// A week of a worksite.
#[derive(Default)]
struct SiteWeek {
    incursions: u64,
    hours: f64,
    projects: Vec<Option<ProjectId>>,
}

/// Incursions and runtime of the weeks after the installation.
#[derive(Debug, PartialEq)]
struct Baseline {
    incursions: u64,
    hours: f64,
    projects: Vec<Option<ProjectId>>,
}

impl App {
    /// Returns the drift; none if the worksite is too new, too old or ran too little.
    pub(super) async fn drift_fact(&self, basis: &mut Basis<'_>) -> Result<Option<Fact>, Error> {
        let Some(hours) = basis.hours("main") else { return Ok(None) };
        let first_day = match basis.from {
            PeriodBound::Day(day) => day.number(),
            PeriodBound::Instant(at) => at.seconds().div_euclid(24 * 60 * 60),
        };
        let earliest = Day::from_number(first_day - LOOK_BACK_DAYS);
        let before = Period { from: Some(PeriodBound::Day(earliest)), to: Some(basis.from) };
        let filter = filter_for_period(&basis.filter, before);
        let spec = QuerySpec {
            filter: &filter,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: vec![Grouping::by([Dimension::Week, Dimension::Project])],
        };
        let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
        let mut weeks: BTreeMap<i64, SiteWeek> = BTreeMap::new();
        for group in result.take_next_groups().groups {
            let ([Some(week), project], [incursions, runtime]) = (&group.keys[..], &group.figures[..]) else {
                continue;
            };
            let week = weeks.entry(*week).or_default();
            week.incursions += unsigned(incursions.numerator);
            week.hours += runtime.value(Measure::RuntimeHours).unwrap_or(0.0);
            week.projects.push(project.map(ProjectId));
        }
        let Some(baseline) = find_baseline(&weeks, Week::of(earliest), Day::from_number(first_day)) else {
            return Ok(None);
        };
        basis.seqs.push(result.seq);
        basis.earlier_projects.extend(baseline.projects);
        let count = basis.count("main", Measure::Incursions);
        let rate = count as f64 / hours;
        let other = baseline.incursions as f64 / baseline.hours;
        let comparison = compare(ComparedWith::AfterInstallation, FactUnit::PerHour, rate, other);
        let earlier = (baseline.incursions, baseline.hours);
        Ok(Some(Fact {
            numerator: Some(count as f64),
            denominator: Some(hours),
            interval: rate_interval(count, hours, CONFIDENCE).map(|found| (found.low, found.high)),
            certainty: certainty_of_rates(comparison.direction, (count, hours), earlier),
            comparison: Some(comparison),
            ..new_fact(FactKind::Drift, FactUnit::PerHour, rate, rate_digits(rate.min(other)))
        }))
    }
}

/// Returns the weeks after the first one with runtime. It must not be at the edge of what was looked at, and they must be over before
/// the period begins.
fn find_baseline(weeks: &BTreeMap<i64, SiteWeek>, earliest: Week, period: Day) -> Option<Baseline> {
    let (installed, _) = weeks.iter().find(|(_, week)| week.hours > 0.0)?;
    let end = installed + BASELINE_WEEKS.end;
    if *installed <= earliest.number() + 1 || Week::from_number(end).first_day() > period {
        return None;
    }
    let mut baseline = Baseline { incursions: 0, hours: 0.0, projects: Vec::new() };
    for (_, week) in weeks.range(installed + BASELINE_WEEKS.start..end) {
        baseline.incursions += week.incursions;
        baseline.hours += week.hours;
        baseline.projects.extend(&week.projects);
    }
    (baseline.hours >= MIN_HOURS).then_some(baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weeks(first: i64, hours: &[f64]) -> BTreeMap<i64, SiteWeek> {
        let week =
            |hours: &f64| SiteWeek { incursions: 10, hours: *hours, projects: vec![Some(ProjectId(1))] };
        (first..).zip(hours.iter().map(week)).collect()
    }

    #[test]
    fn the_third_to_the_eighth_week_after_the_first_runtime_count() {
        let known = weeks(100, &[0.0, 40.0, 40.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 90.0]);
        let find = |earliest: i64, period: i64| {
            let period = Week::from_number(period).first_day();
            find_baseline(&known, Week::from_number(earliest), period)
                .map(|found| (found.incursions, found.hours))
        };
        assert_eq!(find(50, 120), Some((60, 300.0)));
        // The period begins before the weeks are over, or the installation may be older.
        assert_eq!(find(50, 108), None);
        assert_eq!(find(50, 109), Some((60, 300.0)));
        assert_eq!(find(100, 120), None);
        let idle = weeks(100, &[40.0, 0.0, 0.0, 5.0]);
        assert_eq!(find_baseline(&idle, Week::from_number(50), Week::from_number(120).first_day()), None);
    }
}

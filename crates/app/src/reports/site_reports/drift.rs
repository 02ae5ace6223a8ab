//! Drift: the rate of incursions in the period against the baseline, which is the one that alerts about drift use, too
//! (`insights::installation`).

use domain::insights::{Dimension, Grouping, Measure, Week};
use domain::{Day, Period, PeriodBound, ProjectId, SortedMap};
use narrative::{Certainty, ComparedWith, Direction, Fact, FactKind, FactUnit};
use statistics::Overdispersion;

use super::comparisons::{certainty_of_rates, compare, interval_of_rate, new_fact};
use super::facts::{Basis, rate_digits};
use crate::insights::QuerySpec;
use crate::insights::installation::{LOOK_BACK_WEEKS, WeekTotals, find_baseline, first_known_week};
use crate::insights::query::filter_for_period;
use crate::{App, Error};

impl App {
    /// Returns the drift; none if the worksite is too new, too old or ran too little.
    pub(super) async fn drift_fact(&self, basis: &mut Basis<'_>) -> Result<Option<Fact>, Error> {
        let Some(hours) = basis.hours("main") else { return Ok(None) };
        let first_day = match basis.from {
            PeriodBound::Day(day) => day.number(),
            PeriodBound::Instant(at) => at.seconds().div_euclid(24 * 60 * 60),
        };
        let earliest = Day::from_number(first_day - 7 * LOOK_BACK_WEEKS);
        let before = Period { from: Some(PeriodBound::Day(earliest)), to: Some(basis.from) };
        let filter = filter_for_period(&basis.filter, before);
        let spec = QuerySpec {
            filter: &filter,
            measures: vec![Measure::IncursionsPerRuntimeHour],
            groupings: vec![Grouping::by([Dimension::Week, Dimension::Project])],
        };
        let mut result = self.run_query_in(basis.author.query_scope(), spec).await?;
        let (mut weeks, mut projects) = (Vec::new(), Vec::new());
        for group in result.take_next_groups().groups {
            let ([Some(week), project], [figure]) = (&group.keys[..], &group.figures[..]) else { continue };
            let incursions = figure.numerator.unwrap_or(0);
            weeks.push((*week, WeekTotals { incursions, runtime_ms: figure.denominator.unwrap_or(0) }));
            projects.push((*week, project.map(ProjectId)));
        }
        let weeks = SortedMap::merged(weeks, WeekTotals::add);
        let projects = SortedMap::grouped(projects);
        let scope = &basis.author.scope;
        let retention = self.store.read().await?.brand_settings(scope).await?.values.retention;
        let first_known = first_known_week(earliest, &retention, self.clock.now());
        let end = Week::of(Day::from_number(first_day)).number();
        let Ok(baseline) = find_baseline(&weeks, first_known, end) else { return Ok(None) };
        let baseline_weeks: Vec<(u64, f64)> = baseline.iter().map(|(_, week)| week.part()).collect();
        let Some(other) = statistics::baseline_rate(&baseline_weeks) else { return Ok(None) };
        basis.seqs.push(result.seq);
        let of_baseline = baseline.iter().filter_map(|(number, _)| projects.get(number)).flatten().copied();
        basis.earlier_projects.extend(of_baseline);

        let count = basis.count("main", Measure::Incursions);
        let rate = count as f64 / hours;
        let comparison = compare(ComparedWith::AfterInstallation, FactUnit::PerHour, rate, other);
        // Weeks vary as many times more than independent incursions as days do, since they are sums of them.
        let spread = Overdispersion::of_counts(&[basis.days.period.rates(), baseline_weeks.clone()], 0);
        Ok(Some(Fact {
            numerator: Some(count as f64),
            denominator: Some(hours),
            interval: interval_of_rate(count, hours, basis.days.spread_of_rates()),
            certainty: certainty_of_drift(comparison.direction, (count, hours), &baseline_weeks, spread),
            comparison: Some(comparison),
            ..new_fact(FactKind::Drift, FactUnit::PerHour, rate, rate_digits(rate.min(other)))
        }))
    }
}

/// Returns how sure the difference from the median of the baseline is. Chance is judged by the sum of its weeks; if that is on the other
/// side, one week differs from the others, and nothing is sure.
fn certainty_of_drift(
    direction: Direction,
    (count, hours): (u64, f64),
    baseline: &[(u64, f64)],
    spread: Option<Overdispersion>,
) -> Certainty {
    let (earlier, earlier_hours) = baseline
        .iter()
        .fold((0, 0.0), |(counts, hours): (u64, f64), week| (counts.saturating_add(week.0), hours + week.1));
    let (rate, mean) = (count as f64 / hours, earlier as f64 / earlier_hours);
    let is_doubtful = match direction {
        Direction::Up => rate <= mean,
        Direction::Down => rate >= mean,
        Direction::Level => false,
    };
    if is_doubtful {
        return Certainty::Low;
    }
    certainty_of_rates(direction, (count, hours), (earlier, earlier_hours), spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_week_that_differs_makes_nothing_sure() {
        let certainty = |direction: Direction, now: (u64, f64), baseline: [u64; 4]| {
            let weeks: Vec<(u64, f64)> = baseline.into_iter().map(|count| (count, 10.0)).collect();
            let days = vec![(now.0 / 20, now.1 / 20.0); 20];
            let spread = Overdispersion::of_counts(&[days], 0);
            certainty_of_drift(direction, now, &weeks, spread)
        };
        assert_eq!(certainty(Direction::Up, (400, 100.0), [20; 4]), Certainty::High);
        assert_eq!(certainty(Direction::Down, (100, 100.0), [20; 4]), Certainty::High);
        // The median is 2 per hour, the mean 6.5.
        assert_eq!(certainty(Direction::Up, (400, 100.0), [20, 20, 20, 200]), Certainty::Low);
        assert_eq!(certainty(Direction::Level, (200, 100.0), [20, 20, 20, 200]), Certainty::High);
    }
}

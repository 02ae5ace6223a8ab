//! The days of the period and of the one before it, which show how much numbers vary by themselves.

use domain::insights::{Dimension, Figure, Group, Grouping, IncursionFilter, Interval, Measure};
use domain::{Period, PeriodBound, SortedMap};
use statistics::Overdispersion;

use super::counts::unsigned;
use crate::accounts::authors::Author;
use crate::insights::query::filter_for_period;
use crate::insights::{QueryResult, QuerySpec};
use crate::reports::figures::{GroupView, ReportFigures};
use crate::{App, Error};

/// In shorter periods, the days of a week cannot be distinguished from bursts.
const MIN_DAYS_FOR_WEEKDAYS: usize = 14;
const MEASURES: [Measure; 3] = [Measure::Incursions, Measure::Acknowledged, Measure::RuntimeHours];

/// The numbers of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct DayNumbers {
    incursions: u64,
    acknowledged: u64,
    /// In the unit of figures: only proportions matter.
    runtime: u64,
}

impl DayNumbers {
    /// Reads the figures of [`MEASURES`].
    fn from_figures(figures: &[Figure]) -> Self {
        let number = |place: usize| figures.get(place).map_or(0, |figure| unsigned(figure.numerator));
        Self { incursions: number(0), acknowledged: number(1), runtime: number(2) }
    }
}

/// The days of one period.
#[derive(Debug, Default)]
pub(super) struct PeriodDays {
    /// Local days with facts.
    with_facts: SortedMap<i64, DayNumbers>,
    /// All days that are wholly in the period and over, with facts or without.
    whole: Vec<i64>,
}

impl PeriodDays {
    fn new(with_facts: SortedMap<i64, DayNumbers>, asked: &QueryResult) -> Self {
        let partial = asked.partial_buckets(Interval::Day);
        let days = Interval::Day.bucket_keys(asked.from, asked.to, &asked.time_zones);
        Self { with_facts, whole: days.into_iter().filter(|day| !partial.contains(*day)).collect() }
    }

    /// Returns the incursions of each day with its runtime.
    pub fn rates(&self) -> Vec<(u64, f64)> {
        self.with_facts.values().map(|day| (day.incursions, day.runtime as f64)).collect()
    }

    /// Returns the incursions of each day, and how many of them belong to something, by day.
    pub fn shares(&self, parts: &SortedMap<i64, u64>) -> Vec<(u64, u64)> {
        let share =
            |(day, numbers): (&i64, &DayNumbers)| (parts.get(day).copied().unwrap_or(0), numbers.incursions);
        self.with_facts.iter().map(share).collect()
    }

    fn acknowledged(&self) -> Vec<(u64, u64)> {
        self.with_facts.values().map(|day| (day.acknowledged, day.incursions)).collect()
    }

    /// Returns the incursions of each whole day.
    fn counts(&self) -> Vec<(i64, u64)> {
        let count = |day: &i64| self.with_facts.get(day).map_or(0, |numbers| numbers.incursions);
        self.whole.iter().map(|day| (*day, count(day))).collect()
    }
}

/// The days of the period and of the one before it.
#[derive(Debug, Default)]
pub(super) struct Days {
    pub period: PeriodDays,
    previous: PeriodDays,
}

impl Days {
    /// Returns how much the rates of days vary; none if there are too few days with runtime.
    pub fn spread_of_rates(&self) -> Option<Overdispersion> {
        Overdispersion::of_counts(&[self.period.rates(), self.previous.rates()], 0)
    }

    /// Returns how much the shares of acknowledged incursions vary from day to day.
    pub fn spread_of_acknowledgements(&self) -> Option<Overdispersion> {
        Overdispersion::of_shares(&[self.period.acknowledged(), self.previous.acknowledged()])
    }

    /// Returns how much the numbers of days vary, beyond what days of the week do.
    pub fn spread_of_counts(&self) -> Option<Overdispersion> {
        spread_of_counts(&self.period.counts(), &self.previous.counts())
    }
}

/// Returns how much days with their numbers vary, beyond what the days of the week do.
fn spread_of_counts(period: &[(i64, u64)], previous: &[(i64, u64)]) -> Option<Overdispersion> {
    if period.len().min(previous.len()) < MIN_DAYS_FOR_WEEKDAYS {
        let alike = |days: &[(i64, u64)]| -> Vec<(u64, f64)> {
            days.iter().map(|(_, count)| (*count, 1.0)).collect()
        };
        return Overdispersion::of_counts(&[alike(period), alike(previous)], 0);
    }
    // 1 January 1970 was a Thursday.
    let weekday = |day: i64| usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0);
    let mut usual = [(0.0, 0.0); 7];
    for (day, count) in period.iter().chain(previous) {
        let (sum, days) = &mut usual[weekday(*day)];
        *sum += *count as f64;
        *days += 1.0;
    }
    // Days of the week on which nothing ever happens have an exposure of zero, and do not count.
    let exposure = |day: i64| {
        let (sum, days) = usual[weekday(day)];
        sum / days
    };
    let of = |days: &[(i64, u64)]| -> Vec<(u64, f64)> {
        days.iter().map(|(day, count)| (*count, exposure(*day))).collect()
    };
    let fitted = usual.iter().filter(|(sum, _)| *sum > 0.0).count().saturating_sub(1);
    Overdispersion::of_counts(&[of(period), of(previous)], fitted)
}

impl App {
    /// Returns the days of the period and of the one before it, and adds the last change that the latter include to `seqs`.
    pub(super) async fn days_of(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        figures: &ReportFigures,
        seqs: &mut Vec<i64>,
    ) -> Result<Days, Error> {
        let mut days = Days::default();
        if let Some(answer) = figures.answer("main") {
            let groups = figures.groups("main", "by_day");
            let day = |group: &GroupView<'_>| {
                let numbers = MEASURES.map(|measure| group.figure(measure));
                Some((group.key(0)?, DayNumbers::from_figures(&numbers)))
            };
            days.period = PeriodDays::new(groups.iter().filter_map(day).collect(), &answer.result());
        }
        let Some((from, to)) = &figures.previous else { return Ok(days) };
        let bound = |text: &str| PeriodBound::parse(text).map_err(Error::internal);
        let before = Period { from: Some(bound(from)?), to: Some(bound(to)?) };
        let filter = filter_for_period(filter, before);
        let spec = QuerySpec {
            filter: &filter,
            measures: MEASURES.to_vec(),
            groupings: vec![Grouping::by([Dimension::Day])],
        };
        let mut result = self.run_query_in(author.query_scope(), spec).await?;
        seqs.push(result.seq);
        let day = |group: Group| {
            let day = group.keys.first().copied().flatten()?;
            Some((day, DayNumbers::from_figures(&group.figures)))
        };
        let with_facts = result.take_next_groups().groups.into_iter().filter_map(day).collect();
        days.previous = PeriodDays::new(with_facts, &result);
        Ok(days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four weeks from a Monday, with these numbers on the days of each week.
    fn weeks(first: i64, week: [u64; 7]) -> Vec<(i64, u64)> {
        (first..).zip(week.into_iter().cycle().take(28)).collect()
    }

    #[test]
    fn weekdays_are_no_bursts() {
        let (busy, calm) = (weeks(4, [9, 12, 9, 6, 3, 0, 0]), weeks(32, [6, 8, 6, 4, 2, 0, 0]));
        let spread = spread_of_counts(&busy, &calm).unwrap();
        assert_eq!(spread.factor(), 1.0);
        // Seven days do not show what is usual on a Monday.
        let spread = spread_of_counts(&busy[..7], &calm[..7]).unwrap();
        assert!(spread.factor() > 2.0, "{spread:?}");
        assert_eq!(spread_of_counts(&busy[..1], &calm[..1]), None);
    }

    #[test]
    fn a_burst_within_a_day_counts() {
        let mut days = weeks(4, [5, 5, 5, 5, 5, 0, 0]);
        days[9].1 = 60;
        let spread = spread_of_counts(&days, &weeks(32, [5, 5, 5, 5, 5, 0, 0])).unwrap();
        assert!(spread.factor() > 5.0, "{spread:?}");
        let rates = PeriodDays {
            with_facts: days
                .iter()
                .map(|(day, count)| (*day, DayNumbers { incursions: *count, acknowledged: 0, runtime: 8 }))
                .collect(),
            whole: Vec::new(),
        };
        assert_eq!(rates.rates().len(), 28);
        assert_eq!(rates.shares(&SortedMap::from_iter([(13, 7)]))[9], (7, 60));
    }
}

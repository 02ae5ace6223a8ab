//! The values of tags, stations and visits over time.

use domain::{AlertMetric, AlertTerms, Judgement, Measurement, Span, Timestamp};

use super::minutes::minute_from;
use super::replay::{Referee, Timeline};

pub(super) const MINUTE: Span = Span::minutes(1);
pub(super) const DAY: Span = Span::minutes(24 * 60);

/// The values of one tag, station or visit.
#[derive(Clone, Debug)]
pub(super) enum Course {
    /// Whole units since the last of these times.
    Since { times: Vec<Timestamp>, unit: Span, ends_at: Option<Timestamp> },
    /// The last of these values.
    Levels(Vec<(Timestamp, i64)>),
}

impl Course {
    pub fn since(times: Vec<Timestamp>, unit: Span) -> Self {
        Self::Since { times, unit, ends_at: None }
    }

    fn value(&self, at: Timestamp) -> Option<i64> {
        match self {
            Self::Since { ends_at: Some(ends_at), .. } if *ends_at <= at => None,
            Self::Since { times, unit, .. } => {
                let last = times[..times.partition_point(|time| *time <= at)].last()?;
                Some((at - *last).micros() / unit.micros())
            }
            Self::Levels(levels) => {
                levels[..levels.partition_point(|(time, _)| *time <= at)].last().map(|(_, level)| *level)
            }
        }
    }

    /// Returns the instants at which the verdict can change.
    fn instants(&self, terms: &AlertTerms, clear_percent: u32, to: Timestamp) -> Vec<Timestamp> {
        let (times, unit, ends_at) = match self {
            Self::Since { times, unit, ends_at } => (times, *unit, *ends_at),
            Self::Levels(levels) => return levels.iter().map(|(at, _)| *at).collect(),
        };
        // Thresholds of these metrics are whole numbers.
        let threshold = terms.threshold.millionths() / 1_000_000;
        let reach = |percent: u32| {
            let units = (threshold * i64::from(percent) + 99) / 100;
            Span::from_micros(units.saturating_mul(unit.micros()))
        };
        let mut instants: Vec<Timestamp> = Vec::new();
        for (place, since) in times.iter().enumerate() {
            let next = times.get(place + 1).copied().or(ends_at);
            let lasts = next.unwrap_or(to) - *since;
            if lasts >= reach(100) {
                // The last minute has the largest value.
                instants.extend([*since + reach(100), next.unwrap_or(to) - MINUTE]);
            }
            if lasts >= reach(clear_percent) {
                instants.extend(next);
            }
        }
        instants
    }
}

/// The tags, stations or visits of one split.
#[derive(Debug)]
pub(super) struct DeviceTimeline {
    courses: Vec<Course>,
    is_lower_worse: bool,
    /// In order.
    instants: Vec<Timestamp>,
    now: Timestamp,
}

impl DeviceTimeline {
    pub fn new(courses: Vec<Course>, referee: &Referee) -> Self {
        let (terms, (_, to)) = (&referee.terms, referee.period);
        let instants = courses.iter().flat_map(|course| course.instants(terms, referee.clear_percent, to));
        let mut instants: Vec<Timestamp> = instants.map(minute_from).collect();
        instants.sort_unstable();
        instants.dedup();
        let is_lower_worse = terms.metric == AlertMetric::TagBatteryLow;
        Self { courses, is_lower_worse, instants, now: referee.period.0 }
    }
}

impl Timeline for DeviceTimeline {
    fn advance(&mut self, to: Timestamp) {
        self.now = to;
    }

    /// Returns the worst value, which stands for the split.
    fn judgement(&self, _: bool) -> Option<Judgement> {
        let values = self.courses.iter().filter_map(|course| course.value(self.now));
        let worst = if self.is_lower_worse { values.min() } else { values.max() };
        worst.map(|worst| Judgement::Value(Measurement::count(worst)))
    }

    fn next_change(&self, _: bool) -> Option<Timestamp> {
        self.instants.get(self.instants.partition_point(|at| *at <= self.now)).copied()
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertLevel, AlertScope, AlertSplit};

    use super::super::replay::WorstValues;
    use super::*;

    fn minute(number: i64) -> Timestamp {
        Timestamp::from_seconds(1_770_000_000 + number * 60)
    }

    fn referee(metric: AlertMetric, threshold: i64) -> Referee {
        Referee {
            terms: AlertTerms {
                metric,
                comparison: metric.comparisons()[0],
                threshold: AlertLevel::whole(threshold),
                window: None,
                minimum_count: None,
                scope: AlertScope::default(),
                split_by: AlertSplit::None,
            },
            cool_down: Span::ZERO,
            clear_percent: 90,
            period: (minute(0), minute(1_000)),
            parts: vec![minute(0)],
        }
    }

    /// The minutes at which courses that are judged together fire and clear, and the worst value.
    fn replayed(referee: &Referee, courses: Vec<Course>) -> (Vec<(i64, Option<i64>)>, Option<i64>) {
        let outcome = referee.replay(&mut DeviceTimeline::new(courses, referee), &mut WorstValues::new(1));
        let number = |at: Timestamp| (at.seconds() - minute(0).seconds()) / 60;
        let times = outcome.firings.iter().map(|one| (number(one.fired_at), one.cleared_at.map(number)));
        (times.collect(), outcome.peak.map(|peak| peak.numerator))
    }

    fn contacts(minutes: &[i64]) -> Course {
        Course::since(minutes.iter().map(|number| minute(*number)).collect(), MINUTE)
    }

    #[test]
    fn a_station_fires_once_for_each_long_silence() {
        let silent = referee(AlertMetric::BaseStationSilent, 60);
        let found = replayed(&silent, vec![contacts(&[-30, 10, 65, 300, 420, 990])]);
        // 40 and 55 minutes are too short.
        assert_eq!(found, (vec![(125, Some(300)), (360, Some(420)), (480, Some(990))], Some(569)));
    }

    #[test]
    fn stations_together_are_silent_as_long_as_one_of_them() {
        let silent = referee(AlertMetric::BaseStationSilent, 60);
        let often: Vec<i64> = (0..100).map(|number| number * 10).collect();
        let two = vec![contacts(&often), contacts(&[0, 200, 255, 310, 990])];
        assert_eq!(replayed(&silent, two).0, [(60, Some(200)), (370, Some(990))]);
        // 55 minutes of the other one are not enough to fire, and enough not to clear.
        let near = vec![contacts(&[0, 100, 990]), contacts(&[45, 101, 990])];
        assert_eq!(replayed(&silent, near).0, [(60, Some(101)), (160, Some(990))]);
    }

    #[test]
    fn a_visit_fires_from_its_expected_end_until_it_is_over() {
        let overstay = referee(AlertMetric::VisitorOverstay, 30);
        let visit = |from: i64, to: Option<i64>| Course::Since {
            times: vec![minute(from)],
            unit: MINUTE,
            ends_at: to.map(minute),
        };
        assert_eq!(replayed(&overstay, vec![visit(100, Some(160))]), (vec![(130, Some(160))], Some(59)));
        assert!(replayed(&overstay, vec![visit(100, Some(120))]).0.is_empty());
        assert_eq!(replayed(&overstay, vec![visit(900, None)]).0, [(930, None)]);
        let at_once = referee(AlertMetric::VisitorOverstay, 0);
        assert_eq!(replayed(&at_once, vec![visit(100, Some(160))]).0, [(100, Some(160))]);
    }

    #[test]
    fn the_emptiest_battery_counts() {
        let low = referee(AlertMetric::TagBatteryLow, 20);
        let levels = |of: &[(i64, i64)]| {
            Course::Levels(of.iter().map(|(at, percent)| (minute(*at), *percent)).collect())
        };
        let one = vec![levels(&[(-5, 80), (100, 21), (200, 20), (300, 22), (400, 90)])];
        // 20 divided by 0.9 is 22.2.
        assert_eq!(replayed(&low, one.clone()), (vec![(200, Some(400))], Some(20)));
        let two = vec![one[0].clone(), levels(&[(0, 100), (350, 5), (500, 100)])];
        assert_eq!(replayed(&low, two), (vec![(200, Some(500))], Some(5)));
    }

    #[test]
    fn a_tag_is_overdue_whole_days_after_its_last_test() {
        let mut overdue = referee(AlertMetric::TagTestOverdue, 2);
        overdue.period = (minute(0), minute(10 * 1_440));
        let tests = Course::since(vec![minute(-1_440), minute(1_440 + 5), minute(6 * 1_440)], DAY);
        let day = 1_440;
        assert_eq!(
            replayed(&overdue, vec![tests]).0,
            [(day, Some(day + 5)), (3 * day + 5, Some(6 * day)), (8 * day, None)]
        );
    }
}

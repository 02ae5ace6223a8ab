//! The time axis: positions of times, and the choice of labelled ticks.

use crate::calendar::{DAY_S, Date, HOUR_S, Interval, LocalTime};
use crate::options::ChartOptions;
use crate::svg::text::{Weight, clean, width};

/// A period mapped onto the horizontal axis.
#[derive(Clone, Debug)]
pub(crate) struct TimeAxis {
    start: LocalTime,
    end: LocalTime,
    left: f64,
    width: f64,
    interval: Option<Interval>,
}

/// A labelled time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) x: f64,
    /// The centre of its label, which may be shifted at the edge of the chart.
    pub(crate) label_x: f64,
    pub(crate) label: String,
    /// The day or year that begins here, shown in a second row.
    pub(crate) sublabel: Option<String>,
    /// The centre of the second row, which may be shifted, too.
    pub(crate) sublabel_x: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Minutes(i64),
    Hours(i64),
    Days(i64),
    Weeks(i64),
    Months(i32),
    Years(i32),
}

const STEPS: [Step; 30] = [
    Step::Minutes(5),
    Step::Minutes(10),
    Step::Minutes(15),
    Step::Minutes(30),
    Step::Hours(1),
    Step::Hours(2),
    Step::Hours(3),
    Step::Hours(6),
    Step::Hours(12),
    Step::Days(1),
    Step::Days(2),
    Step::Weeks(1),
    Step::Weeks(2),
    Step::Weeks(4),
    Step::Months(1),
    Step::Months(2),
    Step::Months(3),
    Step::Months(6),
    Step::Years(1),
    Step::Years(2),
    Step::Years(5),
    Step::Years(10),
    Step::Years(20),
    Step::Years(50),
    Step::Years(100),
    Step::Years(200),
    Step::Years(500),
    Step::Years(1000),
    Step::Years(2000),
    Step::Years(5000),
];

impl Step {
    fn seconds(self) -> i64 {
        match self {
            Self::Minutes(n) => n * 60,
            Self::Hours(n) => n * HOUR_S,
            Self::Days(n) => n * DAY_S,
            Self::Weeks(n) => n * 7 * DAY_S,
            Self::Months(n) => i64::from(n) * 30 * DAY_S,
            Self::Years(n) => i64::from(n) * 365 * DAY_S,
        }
    }

    /// Whether ticks this close make sense for values of an interval.
    fn suits(self, interval: Option<Interval>) -> bool {
        match interval {
            None => true,
            Some(Interval::Hour) => self.seconds() >= HOUR_S,
            Some(Interval::Day) => self.seconds() >= DAY_S,
            Some(Interval::Week) => self.seconds() >= 7 * DAY_S,
            Some(Interval::Month) => matches!(self, Self::Months(_) | Self::Years(_)),
        }
    }
}

impl TimeAxis {
    /// Maps the period from `start` to `end`; without an interval, times are instants rather than starts of intervals.
    pub(crate) fn new(
        start: LocalTime,
        end: LocalTime,
        left: f64,
        width: f64,
        interval: Option<Interval>,
    ) -> Self {
        let end = if end <= start { LocalTime::from_seconds(start.seconds() + HOUR_S) } else { end };
        let start = if end <= start { LocalTime::from_seconds(end.seconds() - HOUR_S) } else { start };
        Self { start, end, left, width, interval }
    }

    fn seconds(&self) -> i64 {
        self.end.seconds() - self.start.seconds()
    }

    pub(crate) fn x(&self, at: LocalTime) -> f64 {
        let share = (at.seconds() - self.start.seconds()) as f64 / self.seconds() as f64;
        self.left + share.clamp(0.0, 1.0) * self.width
    }

    /// Returns the extent of the interval that begins at `at`.
    pub(crate) fn slot(&self, at: LocalTime) -> (f64, f64) {
        let end = self.interval.map_or(at, |interval| interval.end(at));
        (self.x(at), self.x(end))
    }

    pub(crate) fn middle(&self, at: LocalTime) -> f64 {
        let (from, to) = self.slot(at);
        (from + to) / 2.0
    }

    /// Chooses the densest ticks whose labels do not touch, within `edges`.
    pub(crate) fn ticks(&self, picture: &ChartOptions, size: f64, edges: (f64, f64)) -> Vec<Tick> {
        let max_ticks = (self.width / (size * 2.0)).max(1.0) as i64;
        for step in STEPS.into_iter().filter(|step| step.suits(self.interval)) {
            if self.seconds() / step.seconds() > max_ticks {
                continue;
            }
            let ticks = self.ticks_at(step, picture, size, edges);
            if !ticks.is_empty() && labels_fit(&ticks, size) {
                return thin_sublabels(ticks, size, edges);
            }
        }
        let first = self.label(self.start, Step::Days(1), picture, size, edges);
        thin_sublabels(vec![first], size, edges)
    }

    fn ticks_at(&self, step: Step, picture: &ChartOptions, size: f64, edges: (f64, f64)) -> Vec<Tick> {
        let mut ticks: Vec<Tick> = Vec::new();
        let mut before: Option<Date> = None;
        for moment in self.tick_times(step, picture) {
            let mut tick = self.label(moment, step, picture, size, edges);
            let changed = before.is_none_or(|before| match step {
                Step::Minutes(_) | Step::Hours(_) => before != moment.date(),
                _ => before.parts().0 != moment.date().parts().0,
            });
            if !changed {
                tick.sublabel = None;
            }
            before = Some(moment.date());
            ticks.push(tick);
        }
        ticks
    }

    fn tick_times(&self, step: Step, picture: &ChartOptions) -> Vec<LocalTime> {
        let (start, end) = (self.start.seconds(), self.end.seconds());
        let evenly = |origin: i64, every: i64| {
            let first = origin + (start - origin + every - 1).div_euclid(every) * every;
            (0..)
                .map(|n| first + n * every)
                .take_while(|&at| at <= end)
                .map(LocalTime::from_seconds)
                .take(2000)
                .collect()
        };
        let monthly = |every: i32| {
            let first = self.start.date().month_number();
            let first = (first + every - 1).div_euclid(every) * every;
            (0..2000)
                .map(|n| LocalTime::from(Date::from_month_number(first + n * every)))
                .skip_while(|at| *at < self.start)
                .take_while(|at| *at <= self.end && at.date().month_number() < 9999 * 12)
                .collect()
        };
        let mut moments: Vec<LocalTime> = match step {
            Step::Minutes(n) => evenly(0, n * 60),
            Step::Hours(n) => evenly(0, n * HOUR_S),
            Step::Days(n) => evenly(0, n * DAY_S),
            Step::Weeks(n) => {
                let origin = match self.interval {
                    Some(Interval::Week) => start,
                    // 1 January 1970 was a Thursday.
                    _ => (i64::from(picture.week_start.weekday()) - 3) * DAY_S,
                };
                evenly(origin, n * 7 * DAY_S)
            }
            Step::Months(n) => monthly(n),
            Step::Years(n) => monthly(12 * n),
        };
        // A tick at the very end would label nothing on the axis.
        if self.interval.is_some_and(|interval| interval != Interval::Hour) {
            moments.retain(|at| *at < self.end);
        }
        moments.dedup();
        moments
    }

    fn label(&self, at: LocalTime, step: Step, picture: &ChartOptions, size: f64, edges: (f64, f64)) -> Tick {
        let date = at.date();
        let (year, month, _) = date.parts();
        let month_name = &picture.translations.months[usize::from(month - 1)];
        let (label, under) = match step {
            Step::Minutes(_) | Step::Hours(_) => (at.format_clock(), Some(picture.format_date(date))),
            Step::Days(_) | Step::Weeks(_) => {
                (date.day_and_month(picture.date_order), Some(year.to_string()))
            }
            Step::Months(_) => (clean(month_name), Some(year.to_string())),
            Step::Years(_) => (year.to_string(), None),
        };
        let named = match self.interval {
            None | Some(Interval::Hour) => false,
            Some(Interval::Day) => true,
            Some(Interval::Week) => matches!(step, Step::Weeks(_)),
            Some(Interval::Month) => true,
        };
        let x = if named { self.middle(at) } else { self.x(at) };
        let inside = |text: &str| {
            let half = width(text, size, Weight::Regular) / 2.0;
            x.min(edges.1 - half).max(edges.0 + half)
        };
        let sublabel_x = under.as_deref().map_or(x, inside);
        Tick { x, label_x: inside(&label), label, sublabel: under, sublabel_x }
    }
}

/// Whether no two neighbouring labels touch.
fn labels_fit(ticks: &[Tick], size: f64) -> bool {
    let half = |tick: &Tick| width(&tick.label, size, Weight::Regular) / 2.0;
    ticks
        .windows(2)
        .all(|pair| pair[0].label_x + half(&pair[0]) + size * 0.7 <= pair[1].label_x - half(&pair[1]))
}

/// Drops labels of the second row that would touch; if the first two do, the second is more informative.
fn thin_sublabels(mut ticks: Vec<Tick>, size: f64, edges: (f64, f64)) -> Vec<Tick> {
    let mut last: Option<usize> = None;
    for index in 0..ticks.len() {
        let Some(under) = &ticks[index].sublabel else { continue };
        let half = width(under, size, Weight::Regular) / 2.0;
        let middle = ticks[index].sublabel_x;
        let fits = middle - half >= edges.0 - 0.01 && middle + half <= edges.1 + 0.01;
        let touches = last.is_some_and(|last: usize| {
            let before = &ticks[last];
            let reach =
                before.sublabel.as_ref().map_or(0.0, |under| width(under, size, Weight::Regular) / 2.0);
            before.sublabel_x + reach + size * 0.7 > middle - half
        });
        match last {
            _ if !fits => ticks[index].sublabel = None,
            Some(first) if touches && first == 0 => {
                ticks[first].sublabel = None;
                last = Some(index);
            }
            _ if touches => ticks[index].sublabel = None,
            _ => last = Some(index),
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(year: i32, month: u8, day: u8) -> LocalTime {
        Date::new(year, month, day).unwrap().into()
    }

    fn labels(start: LocalTime, end: LocalTime, width: f64, interval: Option<Interval>) -> Vec<String> {
        let picture = ChartOptions::titled("");
        let axis = TimeAxis::new(start, end, 50.0, width, interval);
        axis.ticks(&picture, 11.0, (0.0, width + 70.0)).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn a_day_is_labelled_by_hours() {
        let found = labels(day(2026, 3, 1), day(2026, 3, 2), 800.0, None);
        assert_eq!(found.first().map(String::as_str), Some("00:00"));
        assert_eq!(found.len(), 13);
    }

    #[test]
    fn the_day_of_the_first_hour_is_named_even_at_the_edge() {
        let picture = ChartOptions::titled("");
        let axis = TimeAxis::new(day(2026, 3, 1), day(2026, 3, 2), 20.0, 800.0, Some(Interval::Hour));
        let ticks = axis.ticks(&picture, 11.0, (9.0, 830.0));
        assert_eq!((ticks[0].label.as_str(), ticks[0].sublabel.as_deref()), ("00:00", Some("01/03/2026")));
        assert!(ticks[0].sublabel_x > ticks[0].x && ticks[0].label_x >= ticks[0].x);
    }

    #[test]
    fn a_month_of_days_is_labelled_by_days() {
        let found = labels(day(2026, 3, 1), day(2026, 3, 31), 800.0, Some(Interval::Day));
        assert_eq!(&found[..2], ["02/03", "04/03"]);
    }

    #[test]
    fn a_quarter_of_days_is_labelled_by_mondays() {
        let found = labels(day(2026, 3, 1), day(2026, 6, 1), 800.0, Some(Interval::Day));
        assert_eq!(&found[..2], ["02/03", "09/03"]);
    }

    #[test]
    fn years_of_months_are_labelled_by_months_and_years() {
        assert_eq!(
            &labels(day(2025, 1, 1), day(2026, 1, 1), 800.0, Some(Interval::Month))[..2],
            ["Jan", "Feb"]
        );
        assert_eq!(
            &labels(day(2001, 1, 1), day(2026, 1, 1), 300.0, Some(Interval::Month))[..2],
            ["2005", "2010"]
        );
    }

    proptest! {
        #[test]
        fn labels_never_touch_and_stay_inside(
            start in -30_000i32..60_000, seconds in 1i64..10_000_000_000, width in 60.0..3900.0f64, kind in 0..5u8,
        ) {
            let interval = [None, Some(Interval::Hour), Some(Interval::Day), Some(Interval::Week), Some(Interval::Month)][usize::from(kind)];
            let start = LocalTime::from(Date::from_days(start));
            let axis = TimeAxis::new(start, LocalTime::from_seconds(start.seconds() + seconds), 50.0, width, interval);
            let edges = (10.0, width + 60.0);
            let ticks = axis.ticks(&ChartOptions::titled(""), 11.0, edges);
            prop_assert!(!ticks.is_empty());
            prop_assert!(labels_fit(&ticks, 11.0));
            for tick in &ticks {
                let half = super::width(&tick.label, 11.0, Weight::Regular) / 2.0;
                prop_assert!(tick.label_x - half >= edges.0 - 0.01 && tick.label_x + half <= edges.1 + 0.01);
            }
        }
    }
}

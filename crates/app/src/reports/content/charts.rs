//! Charts of a report, drawn from its figures, with captions that say what is seen.

use documents::{Block, Text};
use domain::insights::{
    ChartKind, Dimension, Figure, IncursionFilter, Interval, Measure, Month, NoValueReason, Unit, Week,
};
use domain::{Day, PeriodBound, SortedMap};
use texts::reports;

use super::composer::Composer;
use super::sections::section;
use crate::insights::chart_images::draw_for_document;
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, QueryResult, SeriesKind};

/// The width of charts, in pixels of their drawing. On paper their text is about two thirds as large, so that it can still be read.
const WIDTH: u32 = 720;
/// No chart is drawn less tall.
const LEAST_HEIGHT: u32 = 200;
/// With more days than this, a chart shows weeks; with more than that, months.
const MAX_DAYS: usize = 92;
const MAX_WEEKS_AS_DAYS: usize = 800;

/// The size of a drawing in pixels, and its height for the rest of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawnSize {
    pub width: u32,
    pub height: u32,
    pub low_height: u32,
}

impl DrawnSize {
    pub fn of_height(height: u32) -> Self {
        Self { width: WIDTH, height, low_height: (height * 5 / 8).max(LEAST_HEIGHT) }
    }
}

/// Draws a chart with its caption, and once more for the rest of a page.
pub(super) fn figure(
    composer: &Composer<'_>,
    chart: &Chart,
    height: u32,
    caption: String,
    max_height: f32,
) -> Block {
    sized_figure(composer, chart, DrawnSize::of_height(height), caption, max_height)
}

/// The same in a size of its own.
pub(super) fn sized_figure(
    composer: &Composer<'_>,
    chart: &Chart,
    size: DrawnSize,
    caption: String,
    max_height: f32,
) -> Block {
    if !composer.is_in_time() {
        return Block::Paragraph(Text::default());
    }
    let formats = composer.formats;
    let draw =
        |height: u32| draw_for_document(chart, (size.width, height), formats.preferences, formats.language);
    let drawn = draw(size.height);
    Block::Figure(documents::Figure {
        svg: drawn.svg,
        low_svg: (size.low_height < size.height).then(|| draw(size.low_height).svg),
        alt: drawn.description,
        caption: Text::plain(caption),
        max_height,
    })
}

/// The figures of a measure by bucket of time, in order and without gaps.
pub(super) struct OverTime {
    pub interval: Interval,
    pub result: QueryResult,
    keys: Vec<i64>,
    /// The numbers of the days or weeks of a grouping, by bucket.
    groups: SortedMap<i64, Vec<usize>>,
}

impl OverTime {
    /// Reads a grouping by day or by week; a long period is shown in longer buckets.
    pub fn new(composer: &Composer<'_>, answer: &str, grouping: &str, stored: Interval) -> Option<Self> {
        let result = composer.figures().answer(answer)?.result();
        let keys = |interval: Interval| interval.bucket_keys(result.from, result.to, &result.time_zones);
        let number = keys(stored).len();
        let interval = match stored {
            Interval::Day if number > MAX_WEEKS_AS_DAYS => Interval::Month,
            Interval::Day if number > MAX_DAYS => Interval::Week,
            other => other,
        };
        let groups = composer.figures().groups(answer, grouping);
        let places = groups.iter().enumerate();
        let places =
            places.filter_map(|(place, group)| Some((bucket(stored, interval, group.key(0)?), place)));
        Some(Self { interval, keys: keys(interval), result, groups: SortedMap::grouped(places) })
    }

    /// Returns the figure of each bucket.
    pub fn figures(
        &self,
        composer: &Composer<'_>,
        (answer, grouping): (&str, &str),
        measure: Measure,
    ) -> Vec<(i64, Figure)> {
        let groups = composer.figures().groups(answer, grouping);
        let total = composer.figures().total(answer, measure);
        let nothing = Figure { numerator: Some(0), denominator: total.denominator.map(|_| 0), incursions: 0 };
        let of = |key: &i64| {
            let places = self.groups.get(key).into_iter().flatten();
            let found = places.filter_map(|place| groups.get(*place)).map(|group| group.figure(measure));
            (*key, found.reduce(add).unwrap_or(nothing))
        };
        self.keys.iter().map(of).collect()
    }

    fn series(&self, composer: &Composer<'_>, of: (&str, &str), measure: Measure) -> ChartSeries {
        let partial = self.result.partial_buckets(self.interval);
        let points = self.figures(composer, of, measure).into_iter().map(|(key, figure)| {
            let position = ChartPosition::Bucket(key, self.interval.label(key));
            // Without facts a bucket counts as empty, once it has begun.
            let point = match self.groups.contains_key(&key) || partial.has_begun(key) {
                true => ChartPoint::new(position, measure, figure),
                false => ChartPoint::without_value(position, NoValueReason::NotYet),
            };
            ChartPoint { partial: partial.contains(key), ..point }
        });
        series(measure, points.collect())
    }

    /// Names a bucket inside a sentence.
    pub fn bucket_name(&self, composer: &Composer<'_>, key: i64) -> String {
        match self.interval {
            Interval::Week => {
                let monday = composer.formats.day(Week::from_number(key).first_day());
                composer.fill(reports::IN_WEEK_OF, &[("day", &monday)])
            }
            Interval::Month => {
                let month = composer.label(Dimension::Month, Some(key));
                composer.fill(reports::IN_MONTH, &[("month", &month)])
            }
            Interval::Day | Interval::Hour => {
                let weekday = texts::values::weekday(composer.language(), (key + 3).rem_euclid(7));
                let day = composer.formats.day(Day::from_number(key));
                composer.fill(reports::ON_DAY, &[("weekday", weekday), ("day", &day)])
            }
        }
    }
}

/// Returns the bucket of an interval that contains a stored day or week.
fn bucket(stored: Interval, interval: Interval, key: i64) -> i64 {
    match (stored, interval) {
        (Interval::Day, Interval::Week) => Week::of(Day::from_number(key)).number(),
        (Interval::Day, Interval::Month) => Month::of(Day::from_number(key)).number(),
        _ => key,
    }
}

fn add(left: Figure, right: Figure) -> Figure {
    let sum = |left: Option<i64>, right: Option<i64>| match (left, right) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or(0) + right.unwrap_or(0)),
    };
    Figure {
        numerator: sum(left.numerator, right.numerator),
        denominator: sum(left.denominator, right.denominator),
        incursions: left.incursions + right.incursions,
    }
}

pub(super) fn series(measure: Measure, points: Vec<ChartPoint>) -> ChartSeries {
    ChartSeries {
        key: measure.as_str().to_owned(),
        label: measure.label().to_owned(),
        measure,
        kind: SeriesKind::Measured,
        points,
    }
}

/// Returns a chart of incursions without anything special.
pub(super) fn plain_chart(kind: ChartKind, series: Vec<ChartSeries>, result: QueryResult) -> Chart {
    Chart {
        kind,
        title: String::new(),
        unit: kind.unit().unwrap_or(Unit::Count),
        interval: None,
        series,
        more: 0,
        without_end: 0,
        details: ChartDetails::None,
        filter: IncursionFilter::default(),
        result,
    }
}

/// Returns the section about incursions over time, whose heading says how long the steps of the chart are.
pub(super) fn section_over_time(
    composer: &Composer<'_>,
    (answer, grouping): (&str, &str),
    stored: Interval,
) -> Vec<Block> {
    let steps = OverTime::new(composer, answer, grouping, stored).map_or(stored, |buckets| buckets.interval);
    let heading = match steps {
        Interval::Hour | Interval::Day => reports::DAY_BY_DAY,
        Interval::Week => reports::WEEK_BY_WEEK,
        Interval::Month => reports::MONTH_BY_MONTH,
    };
    section(composer, heading, [incursions_over_time(composer, (answer, grouping), stored)])
}

/// Draws acknowledged and unacknowledged incursions over time, with the acknowledgement rate.
pub(super) fn incursions_over_time(
    composer: &Composer<'_>,
    (answer, grouping): (&str, &str),
    stored: Interval,
) -> Option<Block> {
    let of = (answer, grouping);
    let buckets = OverTime::new(composer, answer, grouping, stored)?;
    let measures = [Measure::Acknowledged, Measure::Unacknowledged, Measure::AcknowledgementRate];
    let series = Vec::from(measures.map(|measure| buckets.series(composer, of, measure)));
    let counts = buckets.figures(composer, of, Measure::Incursions);
    let fullest =
        counts.iter().reduce(|best, next| if next.1.incursions > best.1.incursions { next } else { best });
    let (key, fullest) = fullest.filter(|(_, figure)| figure.incursions > 0)?;
    let total = composer.figures().total(answer, Measure::Incursions).incursions;
    let (count, total) = (composer.formats.count(fullest.incursions), composer.formats.count(total));
    let when = buckets.bucket_name(composer, *key);
    let values = [("when", when.as_str()), ("n", &count), ("total", &total)];
    let caption = composer.fill(reports::MOST_INCURSIONS, &values);
    let chart = plain_chart(ChartKind::AcknowledgedIncursions, series, buckets.result.clone());
    let chart = Chart { interval: Some(buckets.interval), ..chart };
    Some(figure(composer, &chart, 320, caption, 0.4))
}

/// Draws the runtime of a machine over time.
pub(super) fn runtime_over_time(composer: &Composer<'_>, answer: &str) -> Option<Block> {
    let of = (answer, "by_day");
    let buckets = OverTime::new(composer, answer, "by_day", Interval::Day)?;
    let figures = composer.figures().groups(answer, "by_day");
    let days = figures.iter().filter_map(|group| group.figure(Measure::RuntimeHours).numerator);
    let (ran, milliseconds) = days.filter(|ms| *ms > 0).fold((0, 0), |(days, sum), ms| (days + 1, sum + ms));
    if ran == 0 {
        return None;
    }
    let hours = composer.formats.hours(milliseconds as f64 / 3_600_000.0);
    let all_days = days_in(&buckets.result);
    let (ran, all_days) = (composer.formats.count(ran), composer.formats.count(all_days));
    let values = [("n", ran.as_str()), ("total", &all_days), ("hours", &hours)];
    let caption = composer.fill(reports::RAN_ON_DAYS, &values);
    let series = vec![buckets.series(composer, of, Measure::RuntimeHours)];
    let chart = plain_chart(ChartKind::MachineRuntime, series, buckets.result.clone());
    let chart = Chart { interval: Some(buckets.interval), ..chart };
    Some(figure(composer, &chart, 260, caption, 0.32))
}

/// Counts the local days of a period.
fn days_in(result: &QueryResult) -> i64 {
    let to = match result.to {
        PeriodBound::Instant(at) => PeriodBound::Instant(at.min(result.now)),
        day => day,
    };
    let days = Interval::Day.bucket_keys(result.from, to, &result.time_zones);
    i64::try_from(days.len()).unwrap_or(i64::MAX)
}

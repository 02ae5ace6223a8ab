//! Values over time, as lines.

use charts::{ChartOptions, Line, LineKind, Point, TimeLines, Tone, Value, ValueScale};
use domain::insights::{Interval, Measure, Unit};
use texts::Language;

use super::labels::series_label;
use super::units::Axis;
use super::{
    Reader, bucket_of, empty_reason, interval_of, is_drawn_partial, local_time, others_label, value_of,
};
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartSeries, RestBand, SeriesKind};

/// Draws the series of a chart as lines, with the previous period shifted onto this one, and groups without a series as a band.
pub(super) fn draw(chart: &Chart, reader: Reader<'_>, options: &ChartOptions) -> String {
    let language = reader.language;
    let (interval, drawn) = interval_of(chart);
    let measure = chart.series.first().map_or(Measure::Incursions, |series| series.measure);
    let axis = Axis::of(measure, chart.series.iter(), language);
    let steps: Vec<i64> = chart
        .series
        .iter()
        .find(|series| series.kind == SeriesKind::Measured)
        .map(|series| series.points.iter().filter_map(bucket_of).collect())
        .unwrap_or_default();
    let shift = match &chart.details {
        ChartDetails::Trends { previous: Some(previous), .. } => buckets_of_weeks(interval, previous.weeks),
        _ => None,
    };
    let place = |series: &ChartSeries, index: usize, point: &ChartPoint| match (series.kind, shift) {
        (SeriesKind::Previous, Some(shift)) => bucket_of(point).map(|bucket| bucket.saturating_add(shift)),
        (SeriesKind::Previous, None) => steps.get(index).copied(),
        (SeriesKind::Measured | SeriesKind::Trend, _) => bucket_of(point),
    };
    let line = |series: &ChartSeries| {
        let points = series.points.iter().enumerate().filter_map(|(index, point)| {
            let range = point.range.map(|(low, high)| (low * axis.factor, high * axis.factor));
            let at = local_time(interval, place(series, index, point)?);
            let value = value_of(point, axis.factor, language);
            let shown = Point::new(at, value).partial(is_drawn_partial(point));
            // The description gives the time at which a value was measured.
            let measured_at = bucket_of(point).map(|bucket| local_time(interval, bucket));
            Some(shown.with_range(range).measured_at(measured_at.filter(|measured_at| *measured_at != at)))
        });
        let (kind, points): (_, Vec<Point>) = match series.kind {
            SeriesKind::Measured => (LineKind::Measured, points.collect()),
            SeriesKind::Previous => (LineKind::Previous, points.collect()),
            SeriesKind::Trend => {
                (LineKind::Trend, points.filter(|point| matches!(point.value, Value::Number(_))).collect())
            }
        };
        Line { label: series_label(chart, series, reader), kind, tone: Tone::Plain, points }
    };
    let empty_reason = empty_reason(chart, language);
    let mut lines: Vec<Line> = chart.series.iter().map(line).collect();
    if let ChartDetails::Rest(rest) = &chart.details {
        lines.push(band(rest, interval, axis.factor, language));
    }
    TimeLines {
        unit: axis.unit_per(interval, language),
        interval: drawn,
        scale: if chart.unit == Unit::Ratio { ValueScale::Percent } else { ValueScale::FromZero },
        lines: if empty_reason.is_some() { Vec::new() } else { lines },
        threshold: None,
        empty_reason,
    }
    .svg(options)
}

/// Returns the number of buckets in some weeks; none for months, which do not consist of weeks: they correspond in their order.
fn buckets_of_weeks(interval: Interval, weeks: i64) -> Option<i64> {
    match interval {
        Interval::Hour => Some(weeks * 7 * 24),
        Interval::Day => Some(weeks * 7),
        Interval::Week => Some(weeks),
        Interval::Month => None,
    }
}

fn band(rest: &RestBand, interval: Interval, factor: f64, language: Language) -> Line {
    let points = rest.points.iter().map(|point| {
        let range = point.range.map(|(low, high)| (low * factor, high * factor));
        Point::new(local_time(interval, point.bucket), Value::Gap(String::new())).with_range(range)
    });
    Line {
        label: others_label(rest.members, language),
        kind: LineKind::Band,
        tone: Tone::Neutral,
        points: points.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_have_as_many_buckets_in_every_interval_but_months() {
        assert_eq!(buckets_of_weeks(Interval::Hour, 2), Some(336));
        assert_eq!(buckets_of_weeks(Interval::Day, 4), Some(28));
        assert_eq!(buckets_of_weeks(Interval::Week, 4), Some(4));
        assert_eq!(buckets_of_weeks(Interval::Month, 4), None);
    }
}

//! Values over time, as lines.

use charts::{ChartOptions, Line, LineKind, Point, TimeLines, Tone, Value, ValueScale};
use domain::insights::{Measure, Unit};

use super::units::Axis;
use super::{bucket_of, empty_reason, interval_of, local_time, value_of};
use crate::insights::{Chart, ChartSeries, SeriesKind};

/// Draws the series of a chart as lines, with the previous period shifted onto this one.
pub(super) fn draw(chart: &Chart, options: &ChartOptions) -> String {
    let (interval, drawn) = interval_of(chart);
    let measure = chart.series.first().map_or(Measure::Incursions, |series| series.measure);
    let axis = Axis::of(measure, chart.series.iter());
    let steps: Vec<i64> = chart
        .series
        .iter()
        .find(|series| series.kind == SeriesKind::Measured)
        .map(|series| series.points.iter().filter_map(bucket_of).collect())
        .unwrap_or_default();
    let line = |series: &ChartSeries| {
        let points = series.points.iter().zip(&steps).map(|(point, step)| {
            let value = match series.kind {
                SeriesKind::Trend => clip_to_valid_range(value_of(point, axis.factor), chart.unit),
                SeriesKind::Measured | SeriesKind::Previous => value_of(point, axis.factor),
            };
            Point { at: local_time(interval, *step), value }
        });
        let (kind, points): (_, Vec<Point>) = match series.kind {
            SeriesKind::Measured => (LineKind::Measured, points.collect()),
            SeriesKind::Previous => (LineKind::Previous, points.collect()),
            SeriesKind::Trend => {
                (LineKind::Trend, points.filter(|point| matches!(point.value, Value::Number(_))).collect())
            }
        };
        Line { label: series.label.clone(), kind, tone: Tone::Plain, points }
    };
    let empty_reason = empty_reason(chart);
    TimeLines {
        unit: axis.unit_per(interval),
        interval: drawn,
        scale: if chart.unit == Unit::Ratio { ValueScale::Percent } else { ValueScale::FromZero },
        lines: if empty_reason.is_some() { Vec::new() } else { chart.series.iter().map(line).collect() },
        threshold: None,
        empty_reason,
    }
    .svg(options)
}

/// A trend line may leave the range of its measure: below zero, or above 100 %.
fn clip_to_valid_range(value: Value, unit: Unit) -> Value {
    match value {
        Value::Number(number) if number < 0.0 || (unit == Unit::Ratio && number > 100.0) => {
            Value::Gap(String::new())
        }
        other => other,
    }
}

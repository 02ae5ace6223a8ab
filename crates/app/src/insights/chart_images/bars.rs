//! Amounts over time, as bars.

use charts::{Arrangement, ChartOptions, Point, Rate, Series, TimeBars, Tone, ValueScale};
use domain::insights::{Measure, Unit};

use super::units::Axis;
use super::{bucket_of, empty_reason, interval_of, local_time, value_of};
use crate::insights::{Chart, ChartSeries};

/// Draws the sums of a chart as stacked bars, and a rate among them as a line.
pub(super) fn draw(chart: &Chart, options: &ChartOptions) -> String {
    let (interval, drawn) = interval_of(chart);
    let (rates, sums): (Vec<&ChartSeries>, Vec<&ChartSeries>) =
        chart.series.iter().partition(|series| series.measure.unit() == Unit::Ratio);
    let measure = sums.first().map_or(Measure::RuntimeHours, |series| series.measure);
    let axis = Axis::of(measure, sums.iter().copied());
    let points = |series: &ChartSeries, factor: f64| -> Vec<Point> {
        let placed = series.points.iter().filter_map(|point| Some((bucket_of(point)?, point)));
        placed.map(|(step, point)| Point::new(local_time(interval, step), value_of(point, factor))).collect()
    };
    let empty_reason = empty_reason(chart);
    let bars = sums.iter().map(|series| Series {
        label: series.label.clone(),
        tone: tone(series.measure),
        points: points(series, axis.factor),
    });
    let rate =
        rates.first().map(|series| Rate { label: series.label.clone(), points: points(series, 100.0) });
    TimeBars {
        unit: axis.unit_per(interval),
        interval: drawn,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: if empty_reason.is_some() { Vec::new() } else { bars.collect() },
        rate: rate.filter(|_| empty_reason.is_none()),
        threshold: None,
        empty_reason,
    }
    .svg(options)
}

fn tone(measure: Measure) -> Tone {
    match measure {
        Measure::Acknowledged => Tone::Good,
        Measure::Unacknowledged => Tone::Danger,
        _ => Tone::Plain,
    }
}

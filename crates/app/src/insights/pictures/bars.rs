//! Amounts step by step, as bars.

use charts::{Arrangement, Picture, Point, Rate, Series, TimeBars, Tone, ValueScale};
use domain::insights::{Measure, Unit};

use super::units::Axis;
use super::{interval_of, local_time, nothing, step_of, value_of};
use crate::insights::{Chart, ChartSeries};

/// The sums of a chart as stacked bars; a rate among them as a line.
pub(super) fn draw(chart: &Chart, picture: &Picture) -> String {
    let (interval, drawn) = interval_of(chart);
    let (rates, sums): (Vec<&ChartSeries>, Vec<&ChartSeries>) =
        chart.series.iter().partition(|series| series.measure.unit() == Unit::Ratio);
    let measure = sums.first().map_or(Measure::RuntimeHours, |series| series.measure);
    let axis = Axis::of(measure, sums.iter().copied());
    let points = |series: &ChartSeries, factor: f64| -> Vec<Point> {
        let placed = series.points.iter().filter_map(|point| Some((step_of(point)?, point)));
        placed.map(|(step, point)| Point::new(local_time(interval, step), value_of(point, factor))).collect()
    };
    let empty_reason = nothing(chart);
    let bars = sums.iter().map(|series| Series {
        label: series.label.clone(),
        tone: tone(series.measure),
        points: points(series, axis.factor),
    });
    let rate =
        rates.first().map(|series| Rate { label: series.label.clone(), points: points(series, 100.0) });
    TimeBars {
        unit: axis.per(interval),
        interval: drawn,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: if empty_reason.is_some() { Vec::new() } else { bars.collect() },
        rate: rate.filter(|_| empty_reason.is_none()),
        threshold: None,
        empty_reason,
    }
    .svg(picture)
}

fn tone(measure: Measure) -> Tone {
    match measure {
        Measure::Acknowledged => Tone::Good,
        Measure::Unacknowledged => Tone::Danger,
        _ => Tone::Plain,
    }
}

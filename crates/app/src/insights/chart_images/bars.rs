//! Amounts over time, as bars.

use charts::{Arrangement, ChartOptions, Point, Rate, Series, TimeBars, Tone, Total, Value, ValueScale};
use domain::insights::{Measure, Unit};

use super::labels::series_label;
use super::units::Axis;
use super::{
    Reader, bucket_of, empty_reason, interval_of, is_drawn_partial, local_time, others_label, value_of,
};
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartSeries};

/// Maximum number of series of a chart with a total; the others are drawn as one, so that the bars add up to the total.
const MAX_SERIES: usize = 10;

/// Draws the sums of a chart as stacked bars, and their total or a rate among them as a line.
pub(super) fn draw(chart: &Chart, reader: Reader<'_>, options: &ChartOptions) -> String {
    let language = reader.language;
    let (interval, drawn) = interval_of(chart);
    let (rates, sums): (Vec<&ChartSeries>, Vec<&ChartSeries>) =
        chart.series.iter().partition(|series| series.measure.unit() == Unit::Ratio);
    let measure = sums.first().map_or(Measure::RuntimeHours, |series| series.measure);
    let total = match &chart.details {
        ChartDetails::Runtime { total, .. } => Some(total),
        _ => None,
    };
    let axis = Axis::of(measure, sums.iter().copied().chain(total), language);
    let points = |series: &ChartSeries, factor: f64| -> Vec<Point> {
        let placed = series.points.iter().filter_map(|point| Some((bucket_of(point)?, point)));
        let point = |(step, point): (i64, &ChartPoint)| {
            Point::new(local_time(interval, step), value_of(point, factor, language))
                .partial(is_drawn_partial(point))
        };
        placed.map(point).collect()
    };
    let empty_reason = empty_reason(chart, language);
    let shown = if total.is_some() { &sums[..sums.len().min(MAX_SERIES)] } else { &sums[..] };
    let mut bars: Vec<Series> = shown
        .iter()
        .map(|series| Series {
            label: series_label(chart, series, reader),
            tone: tone(series.measure),
            points: points(series, axis.factor),
        })
        .collect();
    let others = (sums.len() - shown.len()) as u64 + chart.more;
    let total = total.map(|total| {
        let all = texts::charts::ALL_MACHINES;
        let label = if total.label == all.english { all.get(language) } else { total.label.as_str() };
        Total { label: label.to_owned(), points: points(total, axis.factor) }
    });
    if let Some(total) = total.as_ref().filter(|_| others > 0) {
        let points = rest_of_total(total, &bars);
        bars.push(Series { label: others_label(others, language), tone: Tone::Neutral, points });
    }
    let rate = rates
        .first()
        .map(|series| Rate { label: series_label(chart, series, reader), points: points(series, 100.0) });
    TimeBars {
        unit: axis.unit_per(interval, language),
        interval: drawn,
        arrangement: Arrangement::Stacked,
        scale: ValueScale::FromZero,
        series: if empty_reason.is_some() { Vec::new() } else { bars },
        // The total of one machine is its bar.
        total: total.filter(|_| empty_reason.is_none() && (others > 0 || shown.len() > 1)),
        rate: rate.filter(|_| empty_reason.is_none()),
        threshold: None,
        empty_reason,
    }
    .svg(options)
}

/// Returns what is left of a total after these series, which have the same buckets.
fn rest_of_total(total: &Total, series: &[Series]) -> Vec<Point> {
    let number = |point: &Point| match point.value {
        Value::Number(value) => Some(value),
        Value::Gap(_) => None,
    };
    let rest = |(place, point): (usize, &Point)| {
        let shown: f64 = series.iter().filter_map(|series| number(series.points.get(place)?)).sum();
        // Sums of rounded numbers may differ by a little.
        let value =
            number(point).map_or_else(|| point.value.clone(), |total| (total - shown).max(0.0).into());
        Point { value, ..point.clone() }
    };
    total.points.iter().enumerate().map(rest).collect()
}

fn tone(measure: Measure) -> Tone {
    match measure {
        Measure::Acknowledged => Tone::Good,
        Measure::Unacknowledged => Tone::Danger,
        _ => Tone::Plain,
    }
}

#[cfg(test)]
mod tests {
    use charts::LocalTime;

    use super::*;

    #[test]
    fn the_bars_add_up_to_the_total() {
        let at = |day: i64| LocalTime::from_seconds(day * 86_400);
        let points = |values: [f64; 2]| vec![Point::new(at(1), values[0]), Point::new(at(2), values[1])];
        let series = |values| Series { label: String::new(), tone: Tone::Plain, points: points(values) };
        let mut total = Total { label: String::new(), points: points([5.0, 3.0]) };
        total.points[1].partial = true;
        total.points.push(Point::new(at(3), Value::Gap("no runtime".to_owned())));
        let rest = rest_of_total(&total, &[series([1.0, 0.5]), series([1.5, 2.5])]);
        let values: Vec<&Value> = rest.iter().map(|point| &point.value).collect();
        let gap = Value::Gap("no runtime".to_owned());
        assert_eq!(values, [&Value::Number(2.5), &Value::Number(0.0), &gap]);
        assert!(rest[1].partial);
    }
}

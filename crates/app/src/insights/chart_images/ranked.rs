//! Groups side by side: time in zones, and durations.

use charts::{Bucket, ChartOptions, Histogram, Part, RankedBars, Row, Tone};
use domain::Zone;
use domain::insights::{Dimension, Measure};

use super::units::Axis;
use super::{empty_reason, label_of};
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, Labelled, LabelledId};

/// Draws the time in zones, the group with the most first.
pub(super) fn draw(chart: &Chart, options: &ChartOptions) -> String {
    let axis = Axis::of_sums(Measure::Exposure, &chart.series);
    let points = || chart.series.first().into_iter().flat_map(|first| first.points.iter().enumerate());
    let value = |series: &ChartSeries, place: usize| {
        series.points.get(place).and_then(|point| point.value.ok()).unwrap_or(0.0) * axis.factor
    };
    let (parts, rows): (Vec<Part>, Vec<Row>) = match (&chart.details, &chart.series[..]) {
        // Each zone has the colour that it has as a part of other groups.
        (ChartDetails::By(Dimension::Zone), [only]) => {
            let part = |point: &ChartPoint| Part {
                label: label_of(point).to_owned(),
                tone: key_of(point).map_or(Tone::Neutral, tone),
            };
            let row = |(place, point): (usize, &ChartPoint)| {
                let mut values = vec![0.0; only.points.len()];
                values[place] = value(only, place);
                Row { label: label_of(point).to_owned(), values }
            };
            (only.points.iter().map(part).collect(), points().map(row).collect())
        }
        (_, all) => {
            let part = |series: &ChartSeries| Part { label: series.label.clone(), tone: tone(&series.key) };
            let row = |(place, point): (usize, &ChartPoint)| Row {
                label: label_of(point).to_owned(),
                values: all.iter().map(|series| value(series, place)).collect(),
            };
            (all.iter().map(part).collect(), points().map(row).collect())
        }
    };
    RankedBars { unit: axis.unit.to_owned(), parts, rows, empty_reason: empty_reason(chart) }.svg(options)
}

/// Returns the word that identifies the group of a point.
fn key_of(point: &ChartPoint) -> Option<&str> {
    match &point.position {
        ChartPosition::Part(Labelled { id: LabelledId::Word(word), .. }) => Some(word),
        _ => None,
    }
}

fn tone(zone: &str) -> Tone {
    match Zone::parse(zone) {
        Ok(Zone::Danger) => Tone::Danger,
        Ok(Zone::Warning) => Tone::Warning,
        Err(_) => Tone::Neutral,
    }
}

/// Draws a histogram of the durations of incursions.
pub(super) fn draw_durations(chart: &Chart, options: &ChartOptions) -> String {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let buckets = points.map(|point| Bucket {
        // The unit is below the axis.
        label: label_of(point).replace(" s and longer", "+").trim_end_matches(" s").to_owned(),
        value: point.value.unwrap_or(0.0),
    });
    Histogram {
        unit: "incursions".into(),
        bucket_unit: "duration in seconds".into(),
        buckets: buckets.collect(),
        empty_reason: empty_reason(chart),
    }
    .svg(options)
}

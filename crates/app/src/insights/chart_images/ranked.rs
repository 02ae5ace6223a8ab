//! Groups side by side: time in zones, and durations.

use charts::{Bucket, ChartOptions, Histogram, Part, RankedBars, Row, Tone};
use domain::Zone;
use domain::insights::{Dimension, Measure};

use super::units::Axis;
use super::{empty_reason, label_of};
use crate::insights::{Chart, ChartDetails};

/// Draws the time in zones, the group with the most first.
pub(super) fn draw(chart: &Chart, options: &ChartOptions) -> String {
    let axis = Axis::of_sums(Measure::Exposure, &chart.series);
    let by_zone = matches!(chart.details, ChartDetails::By(Dimension::Zone));
    let parts = chart.series.iter().map(|series| Part {
        label: series.label.clone(),
        tone: if by_zone { Tone::Plain } else { tone(&series.key) },
    });
    let rows = chart.series.first().map(|first| first.points.iter().enumerate()).into_iter().flatten();
    let rows = rows.map(|(place, point)| Row {
        label: label_of(point).to_owned(),
        values: chart
            .series
            .iter()
            .map(|series| {
                series.points.get(place).and_then(|point| point.value.ok()).unwrap_or(0.0) * axis.factor
            })
            .collect(),
    });
    RankedBars {
        unit: axis.unit.to_owned(),
        parts: parts.collect(),
        rows: rows.collect(),
        empty_reason: empty_reason(chart),
    }
    .svg(options)
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
        label: label_of(point).trim_end_matches(" s").replace(" s and longer", " and longer"),
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

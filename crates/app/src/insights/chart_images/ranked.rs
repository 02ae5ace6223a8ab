//! Groups side by side: time in zones, and durations.

use charts::{Bucket, ChartOptions, Histogram, Part, RankedBars, Row, Tone};
use domain::Zone;
use domain::insights::{Dimension, Measure};
use texts::Language;

use super::labels::{point_label, series_label};
use super::units::Axis;
use super::{Reader, empty_reason};
use crate::insights::{Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, Labelled, LabelledId};

/// Draws the time in zones, the group with the most first.
pub(super) fn draw(chart: &Chart, reader: Reader<'_>, options: &ChartOptions) -> String {
    let language = reader.language;
    let axis = Axis::of_sums(Measure::Exposure, &chart.series, language);
    let points = || chart.series.first().into_iter().flat_map(|first| first.points.iter().enumerate());
    let value = |series: &ChartSeries, place: usize| {
        series.points.get(place).and_then(|point| point.value.ok()).unwrap_or(0.0) * axis.factor
    };
    let (parts, rows): (Vec<Part>, Vec<Row>) = match (&chart.details, &chart.series[..]) {
        // Each zone has the colour that it has as a part of other groups.
        (ChartDetails::By(Dimension::Zone), [only]) => {
            let part = |point: &ChartPoint| Part {
                label: point_label(chart, point, language),
                tone: key_of(point).map_or(Tone::Neutral, tone),
            };
            let row = |(place, point): (usize, &ChartPoint)| {
                let mut values = vec![0.0; only.points.len()];
                values[place] = value(only, place);
                Row { label: point_label(chart, point, language), values }
            };
            (only.points.iter().map(part).collect(), points().map(row).collect())
        }
        (_, all) => {
            let part = |series: &ChartSeries| Part {
                label: series_label(chart, series, reader),
                tone: tone(&series.key),
            };
            let row = |(place, point): (usize, &ChartPoint)| Row {
                label: point_label(chart, point, language),
                values: all.iter().map(|series| value(series, place)).collect(),
            };
            (all.iter().map(part).collect(), points().map(row).collect())
        }
    };
    let empty_reason = empty_reason(chart, language);
    RankedBars { unit: axis.unit.to_owned(), parts, rows, empty_reason }.svg(options)
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
pub(super) fn draw_durations(chart: &Chart, language: Language, options: &ChartOptions) -> String {
    let points = chart.series.iter().flat_map(|series| &series.points);
    let buckets = points.map(|point| {
        let label = point_label(chart, point, language);
        // The unit is written once, below the axis.
        let label = match label.strip_suffix(" s and longer") {
            Some(from) => texts::charts::AND_LONGER.fill(language, &[("from", from)]),
            None => label.trim_end_matches(" s").to_owned(),
        };
        Bucket { label, value: point.value.unwrap_or(0.0) }
    });
    Histogram {
        unit: texts::charts::UNIT_INCURSIONS.get(language).to_owned(),
        bucket_unit: texts::charts::UNIT_DURATION.get(language).to_owned(),
        buckets: buckets.collect(),
        empty_reason: empty_reason(chart, language),
    }
    .svg(options)
}

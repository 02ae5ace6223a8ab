//! A measure by day of the week and hour, as a matrix.

use charts::{ChartOptions, Quantity, WeekMatrix};
use domain::SortedSet;
use domain::insights::{Measure, NoValueReason};
use texts::Language;

use super::units::Axis;
use super::{empty_reason, reason_text};
use crate::insights::Chart;

pub(super) fn draw(chart: &Chart, language: Language, options: &ChartOptions) -> String {
    let measure = chart.series.first().map_or(Measure::Incursions, |series| series.measure);
    let axis = Axis::of(measure, chart.series.iter(), language);
    let empty_reason = empty_reason(chart, language);
    let (mut values, mut partial) = ([[None; 24]; 7], [[false; 24]; 7]);
    if empty_reason.is_none() {
        for series in &chart.series {
            // The matrix starts on Monday, whatever the first day in the chart.
            let weekday = series.key.parse().ok().and_then(|number: usize| number.checked_sub(1));
            let Some(weekday) = weekday.filter(|weekday| *weekday < 7) else { continue };
            for (hour, point) in series.points.iter().enumerate().take(24) {
                values[weekday][hour] = point.value.ok().map(|value| value * axis.factor);
                partial[weekday][hour] = point.partial;
            }
        }
    }
    let empty_reason = empty_reason.or_else(|| Some(texts::charts::ONLY_RUNTIME.get(language).to_owned()));
    let points = chart.series.iter().flat_map(|series| &series.points);
    let reasons: SortedSet<NoValueReason> = points.filter_map(|point| point.value.err()).collect();
    let reasons: Vec<&str> = reasons.into_iter().map(|reason| reason_text(reason, language)).collect();
    WeekMatrix {
        unit: axis.unit.to_owned(),
        quantity: if axis.is_sum { Quantity::Amount } else { Quantity::Level },
        values,
        partial,
        gap_reason: (!reasons.is_empty()).then(|| reasons.join(", ")),
        empty_reason,
    }
    .svg(options)
}

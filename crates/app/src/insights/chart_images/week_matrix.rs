//! A measure by day of the week and hour, as a matrix.

use charts::{ChartOptions, Quantity, WeekMatrix};
use domain::insights::Measure;

use super::units::Axis;
use super::{empty_reason, reason_text};
use crate::insights::Chart;

pub(super) fn draw(chart: &Chart, options: &ChartOptions) -> String {
    let measure = chart.series.first().map_or(Measure::Incursions, |series| series.measure);
    let axis = Axis::of(measure, chart.series.iter());
    let empty_reason = empty_reason(chart);
    let mut values = [[None; 24]; 7];
    if empty_reason.is_none() {
        for series in &chart.series {
            // The matrix starts on Monday, whatever the first day in the chart.
            let weekday = series.key.parse().ok().and_then(|number: usize| number.checked_sub(1));
            let Some(day) = weekday.and_then(|weekday| values.get_mut(weekday)) else { continue };
            for (hour, point) in day.iter_mut().zip(&series.points) {
                *hour = point.value.ok().map(|value| value * axis.factor);
            }
        }
    }
    let empty_reason =
        empty_reason.or_else(|| Some("Machines ran, and there were no incursions.".to_owned()));
    let reasons = chart.series.iter().flat_map(|series| &series.points).find_map(|point| point.value.err());
    WeekMatrix {
        unit: axis.unit.to_owned(),
        quantity: if axis.is_sum { Quantity::Amount } else { Quantity::Level },
        values,
        gap_reason: reasons.map(|reason| reason_text(reason).to_owned()),
        empty_reason,
    }
    .svg(options)
}

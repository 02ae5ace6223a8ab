//! The units of axes.

use domain::insights::{Interval, Measure, Unit};

use crate::insights::ChartSeries;

/// The unit of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// For example "minutes".
    pub unit: &'static str,
    /// Converts a value of the measure to the unit.
    pub factor: f64,
    /// Whether values are sums over a bucket of time.
    pub is_sum: bool,
}

impl Axis {
    /// Returns the axis for the values of a measure.
    pub fn of<'a>(measure: Measure, series: impl Iterator<Item = &'a ChartSeries>) -> Self {
        let values = series.flat_map(|series| &series.points).filter_map(|point| point.value.ok());
        Self::for_max(measure, values.fold(0.0, f64::max))
    }

    /// Returns the axis for values that are added up over all series at each position.
    pub fn of_sums(measure: Measure, series: &[ChartSeries]) -> Self {
        let places = series.first().map_or(0, |series| series.points.len());
        let value = |series: &ChartSeries, place: usize| series.points.get(place)?.value.ok();
        let sum = |place| series.iter().filter_map(|series| value(series, place)).sum::<f64>();
        Self::for_max(measure, (0..places).map(sum).fold(0.0, f64::max))
    }

    fn for_max(measure: Measure, max: f64) -> Self {
        let is_sum = matches!(
            measure,
            Measure::Incursions
                | Measure::Acknowledged
                | Measure::Unacknowledged
                | Measure::Exposure
                | Measure::RuntimeHours
        );
        let (unit, factor) = match measure.unit() {
            Unit::Count => match measure {
                Measure::Machines => ("machines", 1.0),
                Measure::Pedestrians => ("people on foot", 1.0),
                Measure::Operators => ("operators", 1.0),
                _ => ("incursions", 1.0),
            },
            Unit::Ratio => ("% acknowledged", 100.0),
            Unit::Seconds if max <= 180.0 => ("seconds", 1.0),
            Unit::Seconds if max <= 3.0 * 3_600.0 => ("minutes", 1.0 / 60.0),
            Unit::Seconds | Unit::Hours => {
                ("hours", if measure.unit() == Unit::Hours { 1.0 } else { 1.0 / 3_600.0 })
            }
            Unit::PerHour => ("incursions per runtime hour", 1.0),
        };
        Self { unit, factor, is_sum }
    }

    /// Returns the unit of values that belong to one bucket each.
    pub fn unit_per(self, interval: Interval) -> String {
        if self.is_sum { format!("{} per {}", self.unit, interval.as_str()) } else { self.unit.to_owned() }
    }
}

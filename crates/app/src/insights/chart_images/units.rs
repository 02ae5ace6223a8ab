//! The units of axes.

use domain::insights::{Interval, Measure, Unit};
use texts::{Language, charts};

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
    pub fn of<'a>(
        measure: Measure,
        series: impl Iterator<Item = &'a ChartSeries>,
        language: Language,
    ) -> Self {
        let values = series.flat_map(|series| &series.points).filter_map(|point| point.value.ok());
        Self::for_max(measure, values.fold(0.0, f64::max), language)
    }

    /// Returns the axis for values that are added up over all series at each position.
    pub fn of_sums(measure: Measure, series: &[ChartSeries], language: Language) -> Self {
        let places = series.first().map_or(0, |series| series.points.len());
        let value = |series: &ChartSeries, place: usize| series.points.get(place)?.value.ok();
        let sum = |place| series.iter().filter_map(|series| value(series, place)).sum::<f64>();
        Self::for_max(measure, (0..places).map(sum).fold(0.0, f64::max), language)
    }

    fn for_max(measure: Measure, max: f64, language: Language) -> Self {
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
                Measure::Machines => (charts::UNIT_MACHINES, 1.0),
                Measure::Pedestrians => (charts::UNIT_PEDESTRIANS, 1.0),
                Measure::Operators => (charts::UNIT_OPERATORS, 1.0),
                _ => (charts::UNIT_INCURSIONS, 1.0),
            },
            Unit::Ratio => (charts::UNIT_PERCENT_ACKNOWLEDGED, 100.0),
            Unit::Seconds if max <= 180.0 => (charts::UNIT_SECONDS, 1.0),
            Unit::Seconds if max <= 3.0 * 3_600.0 => (charts::UNIT_MINUTES, 1.0 / 60.0),
            Unit::Seconds => (charts::UNIT_HOURS, 1.0 / 3_600.0),
            Unit::Hours => (charts::UNIT_HOURS, 1.0),
            Unit::PerHour => (charts::UNIT_PER_RUNTIME_HOUR, 1.0),
        };
        Self { unit: unit.get(language), factor, is_sum }
    }

    /// Returns the unit of values that belong to one bucket each.
    pub fn unit_per(self, interval: Interval, language: Language) -> String {
        let interval = match interval {
            Interval::Hour => charts::HOUR,
            Interval::Day => charts::DAY,
            Interval::Week => charts::WEEK,
            Interval::Month => charts::MONTH,
        };
        match self.is_sum {
            true => {
                let values = [("unit", self.unit), ("interval", interval.get(language))];
                charts::UNIT_PER.fill(language, &values)
            }
            false => self.unit.to_owned(),
        }
    }
}

//! What alerts can measure.

use crate::Invalid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlertMetric {
    /// Incursions that began in the window.
    Incursions,
    /// Those that were not acknowledged in the cab.
    UnacknowledgedIncursions,
    /// The share of incursions that were acknowledged.
    AcknowledgementRate,
    IncursionsPerRuntimeHour,
    /// The longest incursion of the window that has ended.
    LongIncursion,
    /// Incursions of one person on foot with one machine.
    RepeatPair,
    /// Whole days since a worn tag last passed a test, or was first worn.
    TagTestOverdue,
    /// The lowest battery of the tags that are worn.
    TagBatteryLow,
    /// Whole minutes since the last contact of a base station that is installed on a machine.
    BaseStationSilent,
    /// Whole minutes by which an open visit exceeds its expected end.
    VisitorOverstay,
    /// How much of the fall of the rate since the installation was climbed back.
    Drift,
}

impl AlertMetric {
    pub const ALL: [Self; 11] = [
        Self::Incursions,
        Self::UnacknowledgedIncursions,
        Self::AcknowledgementRate,
        Self::IncursionsPerRuntimeHour,
        Self::LongIncursion,
        Self::RepeatPair,
        Self::TagTestOverdue,
        Self::TagBatteryLow,
        Self::BaseStationSilent,
        Self::VisitorOverstay,
        Self::Drift,
    ];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incursions => "incursions",
            Self::UnacknowledgedIncursions => "unacknowledged_incursions",
            Self::AcknowledgementRate => "acknowledgement_rate",
            Self::IncursionsPerRuntimeHour => "incursions_per_runtime_hour",
            Self::LongIncursion => "long_incursion",
            Self::RepeatPair => "repeat_pair",
            Self::TagTestOverdue => "tag_test_overdue",
            Self::TagBatteryLow => "tag_battery_low",
            Self::BaseStationSilent => "base_station_silent",
            Self::VisitorOverstay => "visitor_overstay",
            Self::Drift => "drift",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|metric| metric.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_metric", format!("must be one of {words}"))
        })
    }

    /// Returns the unit of its values and thresholds.
    pub const fn unit(self) -> AlertUnit {
        match self {
            Self::Incursions | Self::UnacknowledgedIncursions | Self::RepeatPair => AlertUnit::Count,
            Self::AcknowledgementRate => AlertUnit::Ratio,
            Self::IncursionsPerRuntimeHour => AlertUnit::PerHour,
            Self::LongIncursion => AlertUnit::Seconds,
            Self::TagTestOverdue => AlertUnit::Days,
            Self::TagBatteryLow | Self::Drift => AlertUnit::Percent,
            Self::BaseStationSilent | Self::VisitorOverstay => AlertUnit::Minutes,
        }
    }

    pub const fn source(self) -> MetricSource {
        match self {
            Self::Incursions
            | Self::UnacknowledgedIncursions
            | Self::AcknowledgementRate
            | Self::IncursionsPerRuntimeHour
            | Self::LongIncursion
            | Self::RepeatPair => MetricSource::Columns,
            Self::TagTestOverdue | Self::TagBatteryLow | Self::BaseStationSilent | Self::VisitorOverstay => {
                MetricSource::Rows
            }
            Self::Drift => MetricSource::Weeks,
        }
    }

    /// Returns the [`Measurement::scale`](crate::Measurement::scale) of its values.
    pub const fn scale(self) -> i64 {
        match self {
            Self::IncursionsPerRuntimeHour => 3_600_000,
            _ => 1,
        }
    }

    /// Whether it divides by the runtime of machines.
    pub const fn needs_runtime(self) -> bool {
        matches!(self, Self::IncursionsPerRuntimeHour | Self::Drift)
    }

    /// Returns the seconds for which incursions are left alone before they are judged: whether one was acknowledged is known only after
    /// a while.
    pub const fn lag_s(self) -> i64 {
        match self {
            Self::UnacknowledgedIncursions | Self::AcknowledgementRate => ACKNOWLEDGEMENT_LAG_S,
            _ => 0,
        }
    }
}

const ACKNOWLEDGEMENT_LAG_S: i64 = 120;

/// On which side of the threshold a rule fires. A value on the threshold fires too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertComparison {
    Above,
    Below,
}

impl AlertComparison {
    pub const ALL: [Self; 2] = [Self::Above, Self::Below];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|comparison| comparison.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_comparison", "must be above or below"))
    }
}

/// The unit of a metric's values and thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertUnit {
    Count,
    /// From 0 to 1.
    Ratio,
    PerHour,
    Seconds,
    Days,
    Percent,
    Minutes,
}

impl AlertUnit {
    pub const ALL: [Self; 7] =
        [Self::Count, Self::Ratio, Self::PerHour, Self::Seconds, Self::Days, Self::Percent, Self::Minutes];

    /// Returns the value sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Ratio => "ratio",
            Self::PerHour => "per_hour",
            Self::Seconds => "seconds",
            Self::Days => "days",
            Self::Percent => "percent",
            Self::Minutes => "minutes",
        }
    }
}

/// Where the values of a metric come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricSource {
    /// Facts within the window of the rule.
    Columns,
    /// The registry and visits as they are now.
    Rows,
    /// Facts of five years, by week.
    Weeks,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for metric in AlertMetric::ALL {
            assert_eq!(AlertMetric::parse(metric.as_str()), Ok(metric));
        }
        for comparison in AlertComparison::ALL {
            assert_eq!(AlertComparison::parse(comparison.as_str()), Ok(comparison));
        }
        for bad in ["", "Incursions", "incursion", "runtime_hours"] {
            let code = AlertMetric::parse(bad).map_err(|invalid| invalid.code);
            assert_eq!(code, Err("invalid_metric"), "{bad}");
        }
        let code = AlertComparison::parse("equal").map_err(|invalid| invalid.code);
        assert_eq!(code, Err("invalid_comparison"));
    }

    #[test]
    fn only_what_may_still_be_acknowledged_waits() {
        let waiting: Vec<_> = AlertMetric::ALL.into_iter().filter(|metric| metric.lag_s() > 0).collect();
        assert_eq!(waiting, [AlertMetric::UnacknowledgedIncursions, AlertMetric::AcknowledgementRate]);
    }
}

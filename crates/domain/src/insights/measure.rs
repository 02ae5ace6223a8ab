//! Measures and their units.

use crate::Invalid;

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    Count,
    /// A share from 0 to 1.
    Ratio,
    Seconds,
    Hours,
    PerHour,
}

impl Unit {
    pub const ALL: [Self; 5] = [Self::Count, Self::Ratio, Self::Seconds, Self::Hours, Self::PerHour];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Ratio => "ratio",
            Self::Seconds => "seconds",
            Self::Hours => "hours",
            Self::PerHour => "per_hour",
        }
    }
}

/// A measure of a group of incursions and of the runtime of the machines concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    Incursions,
    /// Incursions acknowledged in the cab.
    Acknowledged,
    Unacknowledged,
    /// Share of incursions acknowledged in the cab.
    AcknowledgementRate,
    /// Average duration of the incursions that ended.
    AverageDuration,
    /// Summed duration.
    Exposure,
    /// Average time to acknowledgement of the acknowledged incursions.
    AverageAckTime,
    /// Median duration, by nearest rank.
    MedianDuration,
    /// 95th percentile of the duration, by nearest rank.
    P95Duration,
    /// The longest duration. Alerts ask for it; it is no measure of the API, and so not one of [`Measure::ALL`].
    LongestDuration,
    /// Number of distinct machines.
    Machines,
    /// Number of distinct people on foot.
    Pedestrians,
    /// Number of distinct people driving.
    Operators,
    /// Hours with the ignition on.
    RuntimeHours,
    IncursionsPerRuntimeHour,
}

impl Measure {
    /// All measures of the API, in the order of the documentation.
    pub const ALL: [Self; 14] = [
        Self::Incursions,
        Self::Acknowledged,
        Self::Unacknowledged,
        Self::AcknowledgementRate,
        Self::AverageDuration,
        Self::Exposure,
        Self::AverageAckTime,
        Self::MedianDuration,
        Self::P95Duration,
        Self::Machines,
        Self::Pedestrians,
        Self::Operators,
        Self::RuntimeHours,
        Self::IncursionsPerRuntimeHour,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incursions => "incursions",
            Self::Acknowledged => "acknowledged",
            Self::Unacknowledged => "unacknowledged",
            Self::AcknowledgementRate => "acknowledgement_rate",
            Self::AverageDuration => "average_duration",
            Self::Exposure => "exposure",
            Self::AverageAckTime => "average_ack_time",
            Self::MedianDuration => "median_duration",
            Self::P95Duration => "p95_duration",
            Self::LongestDuration => "longest_duration",
            Self::Machines => "machines",
            Self::Pedestrians => "pedestrians",
            Self::Operators => "operators",
            Self::RuntimeHours => "runtime_hours",
            Self::IncursionsPerRuntimeHour => "incursions_per_runtime_hour",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Incursions => "Incursions",
            Self::Acknowledged => "Acknowledged",
            Self::Unacknowledged => "Not acknowledged",
            Self::AcknowledgementRate => "Acknowledgement rate",
            Self::AverageDuration => "Average duration",
            Self::Exposure => "Time in zones",
            Self::AverageAckTime => "Average time to acknowledge",
            Self::MedianDuration => "Median duration",
            Self::P95Duration => "95th percentile of duration",
            Self::LongestDuration => "Longest duration",
            Self::Machines => "Machines",
            Self::Pedestrians => "People on foot",
            Self::Operators => "Operators",
            Self::RuntimeHours => "Runtime",
            Self::IncursionsPerRuntimeHour => "Incursions per runtime hour",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|measure| measure.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_measure", format!("must be one of {words}"))
        })
    }

    pub const fn unit(self) -> Unit {
        match self {
            Self::Incursions
            | Self::Acknowledged
            | Self::Unacknowledged
            | Self::Machines
            | Self::Pedestrians
            | Self::Operators => Unit::Count,
            Self::AcknowledgementRate => Unit::Ratio,
            Self::AverageDuration
            | Self::Exposure
            | Self::AverageAckTime
            | Self::MedianDuration
            | Self::P95Duration
            | Self::LongestDuration => Unit::Seconds,
            Self::RuntimeHours => Unit::Hours,
            Self::IncursionsPerRuntimeHour => Unit::PerHour,
        }
    }

    /// Whether it needs the runtime of machines.
    pub const fn needs_runtime(self) -> bool {
        matches!(self, Self::RuntimeHours | Self::IncursionsPerRuntimeHour)
    }

    /// Returns the rank in percent, if the measure is a percentile of durations.
    pub const fn percentile(self) -> Option<i64> {
        match self {
            Self::MedianDuration => Some(50),
            Self::P95Duration => Some(95),
            Self::LongestDuration => Some(100),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for measure in Measure::ALL {
            assert_eq!(Measure::parse(measure.as_str()), Ok(measure));
        }
        assert_eq!(Measure::parse("speed").map_err(|invalid| invalid.code), Err("invalid_measure"));
    }
}

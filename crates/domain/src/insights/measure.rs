//! What is measured.

use crate::Invalid;

/// What a value is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// How many.
    Count,
    /// A part of one.
    Ratio,
    /// Seconds.
    Seconds,
    /// Hours.
    Hours,
    /// So many in an hour.
    PerHour,
}

impl Unit {
    /// The word for it.
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

/// What is measured of a group of incursions, and of the runtime of the machines concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// How many there were.
    Incursions,
    /// How many the cab acknowledged.
    Acknowledged,
    /// How many it did not.
    Unacknowledged,
    /// The part that the cab acknowledged.
    AcknowledgementRate,
    /// How long they lasted on average; of those that ended.
    AverageDuration,
    /// How long they lasted together.
    Exposure,
    /// How long the cab took on average; of those it acknowledged.
    AverageAckTime,
    /// How long the one in the middle lasted, by nearest rank.
    MedianDuration,
    /// How long the one lasted that 95 of 100 did not outlast, by nearest rank.
    P95Duration,
    /// How many machines.
    Machines,
    /// How many people on foot.
    Pedestrians,
    /// How many people driving.
    Operators,
    /// How long ignitions were on.
    RuntimeHours,
    /// How many there were for each such hour.
    IncursionsPerRuntimeHour,
}

impl Measure {
    /// All of them, in the order of their documentation.
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

    /// The word for it.
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
            Self::Machines => "machines",
            Self::Pedestrians => "pedestrians",
            Self::Operators => "operators",
            Self::RuntimeHours => "runtime_hours",
            Self::IncursionsPerRuntimeHour => "incursions_per_runtime_hour",
        }
    }

    /// What people call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Incursions => "Incursions",
            Self::Acknowledged => "Acknowledged",
            Self::Unacknowledged => "Not acknowledged",
            Self::AcknowledgementRate => "Acknowledgement rate",
            Self::AverageDuration => "Average length",
            Self::Exposure => "Time in zones",
            Self::AverageAckTime => "Average time to acknowledge",
            Self::MedianDuration => "Median length",
            Self::P95Duration => "Length that 95 % do not exceed",
            Self::Machines => "Machines",
            Self::Pedestrians => "People on foot",
            Self::Operators => "Operators",
            Self::RuntimeHours => "Runtime",
            Self::IncursionsPerRuntimeHour => "Incursions per runtime hour",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|measure| measure.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_measure", format!("must be one of {words}"))
        })
    }

    /// What its value is counted in.
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
            | Self::P95Duration => Unit::Seconds,
            Self::RuntimeHours => Unit::Hours,
            Self::IncursionsPerRuntimeHour => Unit::PerHour,
        }
    }

    /// Whether it needs the runtime of machines.
    pub const fn needs_runtime(self) -> bool {
        matches!(self, Self::RuntimeHours | Self::IncursionsPerRuntimeHour)
    }

    /// The rank, in hundredths, of one that is a percentile of lengths.
    pub const fn percentile(self) -> Option<i64> {
        match self {
            Self::MedianDuration => Some(50),
            Self::P95Duration => Some(95),
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

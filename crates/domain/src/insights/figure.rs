//! One measured number with its numerator and denominator.

use super::{Measure, Unit};

/// The reason why a figure has no value. It distinguishes a day without incursions from a day without acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoValueReason {
    /// There were no incursions.
    NoIncursions,
    /// No machine ran, or runtime cannot be grouped or filtered that way.
    NoRuntime,
    /// There were incursions, but none with the needed data, such as an end or an acknowledgement.
    NoData,
    /// The time has not come, such as a day of next week.
    NotYet,
    /// The period does not contain the time, such as a Tuesday in a period from Saturday to Monday.
    NotInPeriod,
}

impl NoValueReason {
    pub const ALL: [Self; 5] =
        [Self::NoIncursions, Self::NoRuntime, Self::NoData, Self::NotYet, Self::NotInPeriod];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoIncursions => "no_incursions",
            Self::NoRuntime => "no_runtime",
            Self::NoData => "no_data",
            Self::NotYet => "not_yet",
            Self::NotInPeriod => "not_in_period",
        }
    }
}

/// A measured number in whole numbers.
///
/// | measure | numerator | denominator |
/// |---|---|---|
/// | counts | count | none |
/// | `acknowledgement_rate` | acknowledged incursions | incursions |
/// | `average_duration` | milliseconds | incursions that ended |
/// | `exposure` | milliseconds | none |
/// | `average_ack_time` | milliseconds | acknowledged incursions |
/// | `median_duration`, `p95_duration`, `longest_duration` | milliseconds | incursions that ended |
/// | `runtime_hours` | milliseconds | none |
/// | `incursions_per_runtime_hour` | incursions | milliseconds |
///
/// If runtime cannot be grouped by the dimensions, or filtered by the filters, of the question, the numerator of
/// `runtime_hours` and the denominator of the rate are missing. If a percentile has no values to rank, its numerator is
/// missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct Figure {
    pub numerator: Option<i64>,
    pub denominator: Option<i64>,
    /// Number of incursions in the group, which decides the reason if there is no value.
    pub incursions: i64,
}

const HOUR_MS: f64 = 3_600_000.0;

impl Figure {
    /// Returns the value in the measure's unit, or the reason why there is none.
    #[expect(clippy::cast_precision_loss, reason = "counts and milliseconds of years are far below 2^53")]
    pub fn value(self, measure: Measure) -> Result<f64, NoValueReason> {
        let missing = if self.incursions == 0 { NoValueReason::NoIncursions } else { NoValueReason::NoData };
        let over = |reason| match self.denominator {
            None | Some(0) => Err(reason),
            Some(below) => Ok(self.numerator.unwrap_or(0) as f64 / below as f64),
        };
        match measure {
            Measure::Incursions
            | Measure::Acknowledged
            | Measure::Unacknowledged
            | Measure::Machines
            | Measure::Pedestrians
            | Measure::Operators => Ok(self.numerator.unwrap_or(0) as f64),
            Measure::Exposure => Ok(self.numerator.unwrap_or(0) as f64 / 1_000.0),
            Measure::AcknowledgementRate => over(NoValueReason::NoIncursions),
            Measure::AverageDuration | Measure::AverageAckTime => over(missing).map(|ms| ms / 1_000.0),
            Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
                self.numerator.map(|ms| ms as f64 / 1_000.0).ok_or(missing)
            }
            Measure::RuntimeHours => {
                self.numerator.map(|ms| ms as f64 / HOUR_MS).ok_or(NoValueReason::NoRuntime)
            }
            // Multiplied before it is divided, so that three in an hour and a half are exactly two per hour.
            Measure::IncursionsPerRuntimeHour => match self.denominator {
                None | Some(0) => Err(NoValueReason::NoRuntime),
                Some(ms) => Ok(self.numerator.unwrap_or(0) as f64 * HOUR_MS / ms as f64),
            },
        }
    }

    /// Returns the numerator as it is displayed: milliseconds converted to the measure's unit.
    pub fn display_numerator(self, measure: Measure) -> Option<f64> {
        let scale = match measure.unit() {
            Unit::Seconds => 1_000.0,
            Unit::Hours => HOUR_MS,
            Unit::Count | Unit::Ratio | Unit::PerHour => 1.0,
        };
        self.numerator.map(|numerator| as_f64(numerator) / scale)
    }

    /// Returns the denominator as it is displayed: runtime in hours.
    pub fn display_denominator(self, measure: Measure) -> Option<f64> {
        let scale = if measure == Measure::IncursionsPerRuntimeHour { HOUR_MS } else { 1.0 };
        self.denominator.map(|denominator| as_f64(denominator) / scale)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds of years are far below 2^53")]
fn as_f64(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(numerator: Option<i64>, denominator: Option<i64>, incursions: i64) -> Figure {
        Figure { numerator, denominator, incursions }
    }

    #[test]
    fn a_quiet_day_is_not_a_day_without_acknowledgements() {
        let rate = Measure::AcknowledgementRate;
        assert_eq!(figure(Some(0), Some(0), 0).value(rate), Err(NoValueReason::NoIncursions));
        assert_eq!(figure(Some(0), Some(4), 4).value(rate), Ok(0.0));
        assert_eq!(figure(Some(1), Some(4), 4).value(rate), Ok(0.25));
    }

    #[test]
    fn what_has_no_end_yet_is_no_data() {
        assert_eq!(figure(Some(0), Some(0), 3).value(Measure::AverageDuration), Err(NoValueReason::NoData));
        assert_eq!(figure(None, Some(0), 3).value(Measure::MedianDuration), Err(NoValueReason::NoData));
        assert_eq!(figure(None, Some(0), 0).value(Measure::P95Duration), Err(NoValueReason::NoIncursions));
        assert_eq!(figure(Some(3_000), Some(2), 3).value(Measure::AverageDuration), Ok(1.5));
    }

    #[test]
    fn a_rate_needs_runtime() {
        let rate = Measure::IncursionsPerRuntimeHour;
        for denominator in [None, Some(0)] {
            assert_eq!(figure(Some(5), denominator, 5).value(rate), Err(NoValueReason::NoRuntime));
        }
        assert_eq!(figure(Some(5), Some(7_200_000), 5).value(rate), Ok(2.5));
        assert_eq!(figure(Some(0), Some(7_200_000), 0).value(rate), Ok(0.0));
        assert_eq!(figure(None, None, 5).value(Measure::RuntimeHours), Err(NoValueReason::NoRuntime));
        assert_eq!(figure(Some(0), None, 0).value(Measure::RuntimeHours), Ok(0.0));
    }
}

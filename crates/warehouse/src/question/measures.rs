//! Measures of the incursions of a group, as columns of an answer and as figures.

use domain::insights::{Figure, Measure};

/// A number of a group, from which figures are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Incursions,
    Acknowledged,
    Ended,
    DurationMs,
    AckMs,
    Machines,
    Pedestrians,
    Operators,
    /// The number of durations that have more than four bytes.
    LongDurations,
    /// The duration at this rank, in percent.
    Percentile(i64),
}

/// The type that durations have while percentiles are computed. All of them are sent to one node and sorted there, and four bytes, which are
/// 49 days, take a quarter less processor time than eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DurationType {
    FourBytes,
    EightBytes,
}

/// The numbers of a group. Those that no measure needs are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    found: Vec<(Sum, Option<i64>)>,
    /// None if runtime is not requested, or cannot be divided by the grouping or the filter.
    pub runtime_ms: Option<i64>,
}

impl Sum {
    /// Returns the sums that the measures need. The number of incursions is part of every figure.
    pub fn needed(measures: &[Measure]) -> Vec<Self> {
        let mut needed = vec![Self::Incursions];
        for measure in measures {
            for sum in Self::of(*measure) {
                if !needed.contains(&sum) {
                    needed.push(sum);
                }
            }
        }
        needed
    }

    fn of(measure: Measure) -> Vec<Self> {
        match measure {
            Measure::Incursions | Measure::RuntimeHours | Measure::IncursionsPerRuntimeHour => Vec::new(),
            Measure::Acknowledged | Measure::Unacknowledged | Measure::AcknowledgementRate => {
                vec![Self::Acknowledged]
            }
            Measure::AverageDuration => vec![Self::DurationMs, Self::Ended],
            Measure::Exposure => vec![Self::DurationMs],
            Measure::AverageAckTime => vec![Self::AckMs, Self::Acknowledged],
            Measure::MedianDuration | Measure::P95Duration => {
                let percent = measure.percentile().unwrap_or(100);
                vec![Self::Percentile(percent), Self::Ended, Self::LongDurations]
            }
            Measure::LongestDuration => vec![Self::Percentile(100), Self::Ended],
            Measure::Machines => vec![Self::Machines],
            Measure::Pedestrians => vec![Self::Pedestrians],
            Measure::Operators => vec![Self::Operators],
        }
    }

    /// Returns the aggregate. The rank is the smallest that covers at least this percentage of the rows, counted from 1.
    pub fn expression(self, durations: DurationType) -> String {
        let text = match self {
            Self::Incursions => "count()",
            Self::Acknowledged => "countIf(acknowledged)",
            Self::Ended => "countIf(ended)",
            Self::DurationMs => "sumIf(duration_ms, ended)",
            Self::AckMs => "sumIf(ack_ms, acknowledged)",
            Self::Machines => "uniqExactIf(machine, machine != 0)",
            Self::Pedestrians => "uniqExactIf(pedestrian, pedestrian != 0)",
            Self::Operators => "uniqExactIf(operator, operator != 0)",
            Self::LongDurations => "countIf(bitShiftRight(duration_ms, 32) != 0)",
            Self::Percentile(100) => "if(countIf(ended) = 0, null, maxIf(duration_ms, ended))",
            Self::Percentile(percent) => {
                let duration = match durations {
                    DurationType::FourBytes => "toUInt32(duration_ms)",
                    DurationType::EightBytes => "duration_ms",
                };
                return format!(
                    "if(countIf(ended) = 0, null, arraySort(groupArrayIf({duration}, ended))\
                     [intDiv(countIf(ended) * {percent} + 99, 100)])"
                );
            }
        };
        text.to_owned()
    }
}

impl Sums {
    /// Reads the columns of these sums.
    pub fn read(sums: &[Sum], columns: &[Option<i64>]) -> Self {
        Self { found: sums.iter().copied().zip(columns.iter().copied()).collect(), runtime_ms: None }
    }

    fn optional(&self, sum: Sum) -> Option<i64> {
        self.found.iter().find(|(known, _)| *known == sum).and_then(|(_, number)| *number)
    }

    fn number(&self, sum: Sum) -> i64 {
        self.optional(sum).unwrap_or(0)
    }

    pub fn figure(&self, measure: Measure) -> Figure {
        let incursions = self.number(Sum::Incursions);
        let (numerator, denominator) = match measure {
            Measure::Incursions => (Some(incursions), None),
            Measure::Acknowledged => (Some(self.number(Sum::Acknowledged)), None),
            Measure::Unacknowledged => (Some(incursions - self.number(Sum::Acknowledged)), None),
            Measure::AcknowledgementRate => (Some(self.number(Sum::Acknowledged)), Some(incursions)),
            Measure::AverageDuration => (Some(self.number(Sum::DurationMs)), Some(self.number(Sum::Ended))),
            Measure::Exposure => (Some(self.number(Sum::DurationMs)), None),
            Measure::AverageAckTime => (Some(self.number(Sum::AckMs)), Some(self.number(Sum::Acknowledged))),
            Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
                let percent = measure.percentile().unwrap_or(100);
                (self.optional(Sum::Percentile(percent)), Some(self.number(Sum::Ended)))
            }
            Measure::Machines => (Some(self.number(Sum::Machines)), None),
            Measure::Pedestrians => (Some(self.number(Sum::Pedestrians)), None),
            Measure::Operators => (Some(self.number(Sum::Operators)), None),
            Measure::RuntimeHours => (self.runtime_ms, None),
            Measure::IncursionsPerRuntimeHour => (Some(incursions), self.runtime_ms),
        };
        Figure { numerator, denominator, incursions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sum_is_a_column_once() {
        let needed = Sum::needed(&[Measure::AverageDuration, Measure::MedianDuration, Measure::Exposure]);
        let expected =
            [Sum::Incursions, Sum::DurationMs, Sum::Ended, Sum::Percentile(50), Sum::LongDurations];
        assert_eq!(needed, expected);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let text = |durations| Sum::Percentile(95).expression(durations);
        assert_eq!(
            text(DurationType::FourBytes),
            "if(countIf(ended) = 0, null, arraySort(groupArrayIf(toUInt32(duration_ms), ended))[intDiv(countIf(ended) * 95 + 99, 100)])"
        );
        assert_eq!(
            text(DurationType::EightBytes),
            "if(countIf(ended) = 0, null, arraySort(groupArrayIf(duration_ms, ended))[intDiv(countIf(ended) * 95 + 99, 100)])"
        );
        for sum in Sum::needed(&Measure::ALL) {
            assert!(!sum.expression(DurationType::FourBytes).contains("quantile"));
        }
    }

    #[test]
    fn figures_are_read_from_their_sums() {
        let measures = [Measure::AverageDuration, Measure::MedianDuration, Measure::Machines];
        let sums = Sum::needed(&measures);
        let read = Sums::read(&sums, &[Some(4), Some(900), Some(3), None, Some(0), Some(2)]);
        let figures: Vec<Figure> = measures.iter().map(|measure| read.figure(*measure)).collect();
        let expected = |numerator, denominator| Figure { numerator, denominator, incursions: 4 };
        assert_eq!(figures, [expected(Some(900), Some(3)), expected(None, Some(3)), expected(Some(2), None)]);
    }
}

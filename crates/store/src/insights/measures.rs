//! Measures of the incursions of a group, as SQL columns and as figures.

use domain::insights::{Figure, Measure};

use super::percentiles;
use crate::engine::statement::Statement;

/// The sums from which figures are computed. Measures that are not requested are not computed and are none or 0 here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    incursions: i64,
    acknowledged: i64,
    ended: i64,
    duration_ms: i64,
    ack_ms: i64,
    machines: i64,
    pedestrians: i64,
    operators: i64,
    median_ms: Option<i64>,
    p95_ms: Option<i64>,
    longest_ms: Option<i64>,
    /// None if runtime is not requested, or cannot be divided by the grouping or the filter.
    pub runtime_ms: Option<i64>,
}

/// Appends the columns that [`Sums::read`] reads, over the rows of `f`. Distinct counts and ranks are expensive and are left
/// out unless they are requested.
pub(super) fn columns(measures: &[Measure], statement: Statement) -> Statement {
    // PostgreSQL widens the type of a sum, hence the casts.
    let mut statement = statement.push(
        "count(*), count(acknowledged_at), count(duration_ms), cast(sum(duration_ms) as bigint),
             cast(sum(ack_ms) as bigint)",
    );
    for (measure, text) in [
        (Measure::Machines, "count(distinct machine_id)"),
        (Measure::Pedestrians, "count(distinct pedestrian_id)"),
        (Measure::Operators, "count(distinct operator_id)"),
    ] {
        let is_asked = measures.contains(&measure);
        statement = statement.push(", ").push(if is_asked { text } else { "cast(null as bigint)" });
    }
    for measure in [Measure::MedianDuration, Measure::P95Duration, Measure::LongestDuration] {
        statement = statement.push(", ");
        statement = match measures.contains(&measure) {
            true => percentiles::nearest_rank(measure, statement),
            false => statement.push("cast(null as bigint)"),
        };
    }
    statement
}

impl Sums {
    pub fn read(columns: &[Option<i64>]) -> Self {
        let column = |place: usize| columns.get(place).copied().flatten();
        let number = |place| column(place).unwrap_or(0);
        Self {
            incursions: number(0),
            acknowledged: number(1),
            ended: number(2),
            duration_ms: number(3),
            ack_ms: number(4),
            machines: number(5),
            pedestrians: number(6),
            operators: number(7),
            median_ms: column(8),
            p95_ms: column(9),
            longest_ms: column(10),
            runtime_ms: None,
        }
    }

    pub fn figure(&self, measure: Measure) -> Figure {
        let (numerator, denominator) = match measure {
            Measure::Incursions => (Some(self.incursions), None),
            Measure::Acknowledged => (Some(self.acknowledged), None),
            Measure::Unacknowledged => (Some(self.incursions - self.acknowledged), None),
            Measure::AcknowledgementRate => (Some(self.acknowledged), Some(self.incursions)),
            Measure::AverageDuration => (Some(self.duration_ms), Some(self.ended)),
            Measure::Exposure => (Some(self.duration_ms), None),
            Measure::AverageAckTime => (Some(self.ack_ms), Some(self.acknowledged)),
            Measure::MedianDuration => (self.median_ms, Some(self.ended)),
            Measure::P95Duration => (self.p95_ms, Some(self.ended)),
            Measure::LongestDuration => (self.longest_ms, Some(self.ended)),
            Measure::Machines => (Some(self.machines), None),
            Measure::Pedestrians => (Some(self.pedestrians), None),
            Measure::Operators => (Some(self.operators), None),
            Measure::RuntimeHours => (self.runtime_ms, None),
            Measure::IncursionsPerRuntimeHour => (Some(self.incursions), self.runtime_ms),
        };
        Figure { numerator, denominator, incursions: self.incursions }
    }
}

//! Runtime of machines over time, optionally with their operators.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, IncursionFilter, Interval, Measure, Unit};
use domain::{Invalid, PeriodBound, Span, TimeZone};

use super::{Chart, ChartDetails, ChartSeries, SeriesKind, measured_series};
use crate::insights::TrendsRequest;
use crate::insights::trends::{GroupRanking, OtherGroups, RankedTrends};
use crate::{App, Caller, Error};

/// Whether the chart includes operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Operators {
    #[default]
    Hidden,
    /// Each span of runtime names its operator.
    Shown,
}

#[derive(Clone, Copy, Debug)]
pub struct MachineRuntimeRequest {
    pub interval: Interval,
    pub operators: Operators,
    /// Maximum number of machines, those that ran longest.
    pub limit: usize,
}

impl MachineRuntimeRequest {
    pub const DEFAULT_LIMIT: usize = 10;
    pub const MAX_LIMIT: usize = 100;
}

/// Longest period for which operators can be requested.
const MAX_OPERATOR_DAYS: i64 = 31;

#[macros::boxed]
impl App {
    /// Returns the runtime hours of the machines that ran longest, and of all machines together.
    pub async fn machine_runtime_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: MachineRuntimeRequest,
    ) -> Result<Chart, Error> {
        if request.operators == Operators::Shown {
            self.check_operator_period(filter)?;
        }
        let trends_request = TrendsRequest {
            interval: request.interval,
            measures: vec![Measure::RuntimeHours],
            split_by: Some(Dimension::Machine),
        };
        let others = OtherGroups::Described;
        let ranking = GroupRanking { by: Measure::RuntimeHours, limit: request.limit, others };
        let RankedTrends { trends, total, .. } =
            self.trends_ranked_by(caller, filter, &trends_request, ranking).await?;
        let mut chart = Chart::over_time(ChartKind::MachineRuntime, Unit::Hours, trends, filter);
        let points = total.map(measured_series).map(|series| series.points).unwrap_or_default();
        let total = ChartSeries {
            key: "total".to_owned(),
            label: "All machines".to_owned(),
            measure: Measure::RuntimeHours,
            kind: SeriesKind::Measured,
            points,
        };
        let mut operators = None;
        if request.operators == Operators::Shown {
            operators = Some(self.driven_machines(caller, filter, &chart).await?);
            chart.title = "Machines and their operators".to_owned();
        }
        chart.details = ChartDetails::Runtime { total, operators };
        Ok(chart)
    }

    fn check_operator_period(&self, filter: &IncursionFilter) -> Result<(), Error> {
        let now = self.clock.now();
        let period = filter.period.unwrap_or_default();
        let bounds = period.bounds(now, &TimeZone::utc());
        let (from, to) = bounds.map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        let to = to.unwrap_or(PeriodBound::Instant(now));
        let length = to.midnight_or_instant() - from.midnight_or_instant();
        if length > Span::minutes(MAX_OPERATOR_DAYS * 24 * 60) {
            let text =
                format!("must be at most {MAX_OPERATOR_DAYS} days before to if operators are requested");
            return Err(Error::bad_parameter("from", Invalid::new("out_of_range", text)));
        }
        Ok(())
    }
}

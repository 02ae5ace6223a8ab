//! How long machines ran, step by step, and who drove them.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, IncursionFilter, Interval, Measure, Unit};
use domain::{Invalid, PeriodBound, Span};

use super::{Chart, ChartDetails};
use crate::insights::TrendsRequest;
use crate::{App, Caller, Error};

/// Whether it is told who drove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Operators {
    /// It is not.
    #[default]
    Hidden,
    /// Stretch by stretch.
    Shown,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct MachineRuntimeRequest {
    /// In which steps.
    pub interval: Interval,
    /// Whether it is told who drove.
    pub operators: Operators,
}

/// Who drove is told of so many days at most.
const MAX_OPERATOR_DAYS: i64 = 31;

impl App {
    /// The hours that each machine ran, of those that ran the longest.
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
        let trends = self.trends_ranked_by(caller, filter, &trends_request, Measure::RuntimeHours).await?;
        let mut chart = Chart::over_time(ChartKind::MachineRuntime, Unit::Hours, trends, filter);
        if request.operators == Operators::Shown {
            let machines = self.driven_machines(caller, filter, &chart).await?;
            chart.details = ChartDetails::Operators(machines);
            chart.title = "Who drove which machine".to_owned();
        }
        Ok(chart)
    }

    fn check_operator_period(&self, filter: &IncursionFilter) -> Result<(), Error> {
        let now = self.clock.now();
        let period = filter.period.unwrap_or_default();
        let (from, to) = period.bounds(now).map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        let to = to.unwrap_or(PeriodBound::Instant(now));
        let length = to.midnight_or_instant() - from.midnight_or_instant();
        if length > Span::minutes(MAX_OPERATOR_DAYS * 24 * 60) {
            let text =
                format!("must lie at most {MAX_OPERATOR_DAYS} days before to, where operators are asked for");
            return Err(Error::bad_parameter("from", Invalid::new("out_of_range", text)));
        }
        Ok(())
    }
}

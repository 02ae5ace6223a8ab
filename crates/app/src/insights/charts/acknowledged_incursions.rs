//! What cabs acknowledged and what they did not, step by step, with the rate.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, IncursionFilter, Interval, Measure, Unit};

use super::Chart;
use crate::insights::TrendsRequest;
use crate::{App, Caller, Error};

impl App {
    /// Acknowledged incursions and others over time, and the part that was acknowledged.
    pub async fn acknowledged_incursions_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        interval: Interval,
    ) -> Result<Chart, Error> {
        let measures = vec![Measure::Acknowledged, Measure::Unacknowledged, Measure::AcknowledgementRate];
        let request = TrendsRequest { interval, measures, split_by: None };
        let trends = self.insight_trends(caller, filter, &request).await?;
        Ok(Chart::over_time(ChartKind::AcknowledgedIncursions, Unit::Count, trends, filter))
    }
}

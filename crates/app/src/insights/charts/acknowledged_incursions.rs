//! Acknowledged and unacknowledged incursions over time, with the acknowledgement rate.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, IncursionFilter, Interval, Measure, Unit};

use super::Chart;
use crate::insights::TrendsRequest;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Returns acknowledged and unacknowledged incursions over time, and the acknowledgement rate.
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

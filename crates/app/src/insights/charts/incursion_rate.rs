//! Incursions per runtime hour over time.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, IncursionFilter, Interval, Measure, Unit};

use super::{Chart, title_by_part};
use crate::insights::TrendsRequest;
use crate::{App, Caller, Error};

#[macros::boxed]
impl App {
    /// Returns incursions per runtime hour over time; when split, for the groups with the most runtime.
    pub async fn incursion_rate_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        interval: Interval,
        split_by: Option<Dimension>,
    ) -> Result<Chart, Error> {
        let measures = vec![Measure::IncursionsPerRuntimeHour];
        let request = TrendsRequest { interval, measures, split_by };
        let trends = self.trends_ranked_by(caller, filter, &request, Measure::RuntimeHours).await?;
        let chart = Chart::over_time(ChartKind::IncursionRate, Unit::PerHour, trends, filter);
        let Some(part) = split_by else { return Ok(chart) };
        let title = title_by_part(&chart.title, part, &self.preferences_of(caller).await?);
        Ok(Chart { title, ..chart })
    }
}

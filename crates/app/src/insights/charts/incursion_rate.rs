//! Incursions per runtime hour over time.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, IncursionFilter, Interval, Measure, Unit};

use super::{Chart, ChartDetails, title_by_part};
use crate::insights::TrendsRequest;
use crate::insights::trends::{GroupRanking, OtherGroups, RankedTrends};
use crate::{App, Caller, Error};

/// Maximum number of groups with a series of their own; more lines cannot be distinguished.
const MAX_GROUPS: usize = 10;

#[macros::boxed]
impl App {
    /// Returns incursions per runtime hour over time; when split, for the groups with the most runtime, and the range of the others.
    pub async fn incursion_rate_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        interval: Interval,
        split_by: Option<Dimension>,
    ) -> Result<Chart, Error> {
        let measures = vec![Measure::IncursionsPerRuntimeHour];
        let request = TrendsRequest { interval, measures, split_by };
        let others = OtherGroups::Described;
        let ranking = GroupRanking { by: Measure::RuntimeHours, limit: MAX_GROUPS, others };
        let RankedTrends { trends, rest, .. } =
            self.trends_ranked_by(caller, filter, &request, ranking).await?;
        let mut chart = Chart::over_time(ChartKind::IncursionRate, Unit::PerHour, trends, filter);
        if let Some(rest) = rest {
            chart.details = ChartDetails::Rest(rest);
        }
        let Some(part) = split_by else { return Ok(chart) };
        let title = title_by_part(&chart.title, part, &self.preferences_of(caller).await?);
        Ok(Chart { title, ..chart })
    }
}

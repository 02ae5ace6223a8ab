//! Time that people spent in zones, by zone or by another dimension.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Dimension, GroupOrder, IncursionFilter, Measure, Unit};

use super::{
    Chart, ChartDetails, ChartPoint, ChartPosition, ChartSeries, SeriesKind, series_key, title_by_part,
};
use crate::insights::{PivotRequest, Subtotals};
use crate::{App, Caller, Error};

#[derive(Clone, Copy, Debug)]
pub struct ZoneTimeRequest {
    pub by: Dimension,
    /// Maximum number of groups, those with the most time.
    pub limit: usize,
}

impl ZoneTimeRequest {
    /// The supported dimensions.
    pub const BY: [Dimension; 6] = [
        Dimension::Zone,
        Dimension::Project,
        Dimension::Worksite,
        Dimension::Machine,
        Dimension::Pedestrian,
        Dimension::Operator,
    ];
    pub const MAX_LIMIT: usize = 100;
}

#[macros::boxed]
impl App {
    /// Returns the time that people spent in zones: one series by zone, or a series per zone by any other dimension.
    pub async fn zone_time_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: ZoneTimeRequest,
    ) -> Result<Chart, Error> {
        let measure = Measure::Exposure;
        let columns = if request.by == Dimension::Zone { Vec::new() } else { vec![Dimension::Zone] };
        let of = PivotRequest {
            subtotals: Subtotals::Shown,
            rows: vec![request.by],
            columns,
            // The average duration shows how many incursions have ended.
            measures: vec![measure, Measure::AverageDuration],
            order: GroupOrder::Descending(0),
            limit: request.limit,
        };
        let preferences = self.preferences_of(caller).await?;
        let pivot = self.pivot_in(caller.query_scope(), filter, &of, &preferences).await?;
        let series = pivot.columns.iter().enumerate().map(|(column, keys)| {
            let (key, label) = match keys.first() {
                Some(zone) => (series_key(&zone.id), zone.label.clone()),
                None => (measure.as_str().to_owned(), measure.label().to_owned()),
            };
            let points = pivot.rows.iter().filter_map(|row| {
                let figure = row.cells.get(column)?.first().copied()?;
                let part = row.keys.first().cloned()?;
                Some(ChartPoint::new(ChartPosition::Part(part), measure, figure))
            });
            ChartSeries { key, label, measure, kind: SeriesKind::Measured, points: points.collect() }
        });
        let (series, more) = (series.collect(), pivot.totals.more);
        let ended = pivot.totals.total.get(1).copied().unwrap_or_default();
        let without_end = ended.incursions - ended.denominator.unwrap_or(0);
        let plain = Chart::without_details(ChartKind::ZoneTime, Unit::Seconds, series, filter, pivot.result);
        let title = title_by_part(&plain.title, request.by, &preferences);
        Ok(Chart { title, more, without_end, details: ChartDetails::By(request.by), ..plain })
    }
}

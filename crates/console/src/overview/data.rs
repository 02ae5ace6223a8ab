//! What the overview asks for. Independent questions run at the same time.

use app::insights::{
    Breakdown, BreakdownRequest, Chart, Compare, OutlierBy, OutlierSelection, Outliers, OutliersRequest,
    Totals, TotalsRequest, Trends, TrendsRequest,
};
use app::{App, Caller, Error, FiringView, ReportView, StationOverview, TagOverview};
use domain::access::{ReadInsights, ReadRegistry};
use domain::insights::{Dimension, IncursionFilter, Interval, Measure};
use domain::{
    Direction, PageRequest, PeriodBound, ReportFilter, SortKey, Sorting, Span, Timestamp, Window,
    WindowPosition,
};
use futures_util::future;

use super::order::{MEASURES, TableOrder};
use super::tiles;
use crate::alerts::open_alarms_of;
use crate::frame::Frame;

/// Numbers of sites, machines, reports, stations and alarms that are read.
const MAX_SITES: usize = 10;
const MAX_MACHINES: usize = 8;
const MAX_OUTLIERS: usize = 6;
const LAST_REPORTS: u16 = 3;
const MAX_STATIONS: usize = 3;
const MAX_FIRINGS: u16 = 10;

/// The measures of the trend: those of the tiles, and those of the table beneath the chart.
pub const TREND_MEASURES: [Measure; 7] = [
    Measure::IncursionsPerRuntimeHour,
    Measure::AcknowledgementRate,
    Measure::Incursions,
    Measure::Exposure,
    Measure::AverageAckTime,
    Measure::Acknowledged,
    Measure::Unacknowledged,
];

pub struct Overview {
    pub totals: Totals,
    pub trends: Trends,
    pub sites: Breakdown,
    pub machines: Breakdown,
    /// Incursions by hour of the week.
    pub week: Chart,
    pub outliers: Outliers,
    /// The newest open alarms, and the number of all.
    pub firings: (Vec<FiringView>, i64),
    pub stations: StationOverview,
    pub tags: TagOverview,
    /// The newest come first.
    pub reports: Vec<ReportView>,
}

pub async fn load(
    app: &App,
    frame: &Frame,
    caller: &Caller<ReadInsights>,
    (filter, compare): (&IncursionFilter, Compare),
    order: TableOrder,
) -> Result<Overview, Error> {
    let registry = frame.caller::<ReadRegistry>()?;
    let (measures, compared) = (tiles::measures(), tiles::compared_measures());
    let totals = TotalsRequest { measures: &measures, compare, compared: &compared };
    let trend = TrendsRequest {
        interval: interval_of(filter, frame.now),
        measures: TREND_MEASURES.to_vec(),
        split_by: None,
    };
    let (sites, machines) =
        (ranking(Dimension::Worksite, order, MAX_SITES), ranking(Dimension::Machine, order, MAX_MACHINES));
    let outliers = OutliersRequest {
        by: vec![OutlierBy::Machine, OutlierBy::Worksite],
        selection: OutlierSelection::Outliers,
        limit: MAX_OUTLIERS,
    };
    let records = future::try_join4(
        open_alarms(app, caller, filter),
        app.station_overview(&registry, MAX_STATIONS),
        app.tag_overview(&registry),
        last_reports(app, caller),
    );
    // One after another: while columns are not loaded yet, a brand has few places for questions, and a page must not take them all.
    let insights = async {
        Ok((
            app.insight_totals(caller, filter, totals).await?,
            app.insight_trends(caller, filter, &trend).await?,
            app.insight_breakdown(caller, filter, &sites).await?,
            app.insight_breakdown(caller, filter, &machines).await?,
            app.hours_of_week_chart(caller, filter, Measure::Incursions).await?,
            app.insight_outliers(caller, filter, &outliers).await?,
        ))
    };
    let ((totals, trends, sites, machines, week, outliers), (firings, stations, tags, reports)) =
        future::try_join(insights, records).await?;
    Ok(Overview { totals, trends, sites, machines, week, outliers, firings, stations, tags, reports })
}

fn ranking(by: Dimension, order: TableOrder, limit: usize) -> BreakdownRequest {
    BreakdownRequest { by, measures: MEASURES.to_vec(), order: order.groups(), limit }
}

/// Returns the length of the trend's buckets: at most about a hundred of them fit into its panel.
pub fn interval_of(filter: &IncursionFilter, now: Timestamp) -> Interval {
    let period = filter.period.unwrap_or_default();
    let Some(from) = period.from else { return Interval::Day };
    let to = period.to.unwrap_or(PeriodBound::Instant(now));
    let length = to.midnight_or_instant() - from.midnight_or_instant();
    match length.micros() / Span::minutes(24 * 60).micros() {
        ..=1 => Interval::Hour,
        2..=100 => Interval::Day,
        101..=731 => Interval::Week,
        _ => Interval::Month,
    }
}

/// Returns the alarms that are open, as far as they are about what the reader picked.
async fn open_alarms(
    app: &App,
    caller: &Caller<ReadInsights>,
    picked: &IncursionFilter,
) -> Result<(Vec<FiringView>, i64), Error> {
    let filter = open_alarms_of(picked);
    let page = PageRequest { limit: MAX_FIRINGS, after: None };
    let (page, total) = app.list_alert_firings(caller, &filter, &page, true).await?;
    Ok((page.rows, total.unwrap_or(0)))
}

async fn last_reports(app: &App, caller: &Caller<ReadInsights>) -> Result<Vec<ReportView>, Error> {
    let newest = Sorting::by(SortKey::Id, Direction::Descending);
    let window = Window { size: LAST_REPORTS, position: WindowPosition::Start };
    Ok(app.list_reports(caller, &ReportFilter::default(), newest, &window, false).await?.rows)
}

#[cfg(test)]
mod tests {
    use domain::{Day, Period};

    use super::*;

    #[test]
    fn a_long_period_has_long_buckets() {
        let now = Day::from_number(20_000).midnight_utc();
        let of = |days: i64| {
            let from = Some(PeriodBound::Day(Day::from_number(20_000 - days)));
            let period = Some(Period { from, to: None });
            interval_of(&IncursionFilter { period, ..IncursionFilter::default() }, now)
        };
        for (days, interval) in [
            (0, Interval::Hour),
            (1, Interval::Hour),
            (7, Interval::Day),
            (90, Interval::Day),
            (365, Interval::Week),
            (1_800, Interval::Month),
        ] {
            assert_eq!(of(days), interval, "{days}");
        }
        assert_eq!(interval_of(&IncursionFilter::default(), now), Interval::Day);
    }
}

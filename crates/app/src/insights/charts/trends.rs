//! Measures over time, with the previous period and a trend line that is robust against outliers.

use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{ChartKind, IncursionFilter, Interval, Measure, NoValueReason, Unit};
use statistics::{Trend, theil_sen};

use super::hours_of_week::lowercase_first;
use super::{Chart, ChartDetails, ChartPoint, ChartSeries, EarlierPeriod, SeriesKind, measured_series};
use crate::insights::query::filter_for_period;
use crate::insights::{Compare, TrendsRequest};
use crate::{App, Caller, Error};

#[derive(Clone, Debug)]
pub struct TrendsChartRequest {
    pub interval: Interval,
    /// All of the same unit.
    pub measures: Vec<Measure>,
    pub compare: Compare,
}

impl TrendsChartRequest {
    pub const MAX_MEASURES: usize = 5;
}

/// A trend line through the values of a measure.
#[derive(Clone, Copy, Debug)]
pub struct TrendLine {
    pub measure: Measure,
    /// The change per bucket, and its confidence.
    pub trend: Trend,
}

#[macros::boxed]
impl App {
    /// Returns measures over time as a chart.
    pub async fn trends_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &TrendsChartRequest,
    ) -> Result<Chart, Error> {
        let unit = common_unit(&request.measures)?;
        let of =
            TrendsRequest { interval: request.interval, measures: request.measures.clone(), split_by: None };
        let trends = self.insight_trends(caller, filter, &of).await?;
        let mut chart = Chart::over_time(ChartKind::Trends, unit, trends, filter);
        let series = std::mem::take(&mut chart.series);
        // The trend through many thousands of points takes a while.
        let computed = self.compute(move || {
            let drawn: Vec<_> = series.iter().filter_map(trend_line).collect();
            (series, drawn)
        });
        let (series, drawn) = computed.await?;
        chart.series = series;
        let mut previous = None;
        if request.compare == Compare::Previous {
            let before = self.previous_period(caller.scope(), filter, &chart.result).await?;
            let trends = self.insight_trends(caller, &filter_for_period(filter, before.period), &of).await?;
            let (from, to) = (trends.result.from, trends.result.to);
            previous = Some(EarlierPeriod { from, to, weeks: before.weeks });
            chart.series.extend(trends.series.into_iter().map(|series| {
                let series = measured_series(series);
                ChartSeries {
                    key: format!("{}.previous", series.key),
                    label: format!("{}, previous period", series.label),
                    kind: SeriesKind::Previous,
                    ..series
                }
            }));
        }
        let (lines, series): (Vec<TrendLine>, Vec<ChartSeries>) = drawn.into_iter().unzip();
        chart.series.extend(series);
        chart.details = ChartDetails::Trends { previous, lines };
        let names: Vec<String> =
            request.measures.iter().map(|measure| lowercase_first(measure.label())).collect();
        chart.title = format!("Trend: {}", names.join(", "));
        Ok(chart)
    }
}

/// Returns the common unit of measures.
fn common_unit(measures: &[Measure]) -> Result<Unit, Error> {
    let mut units = measures.iter().map(|measure| measure.unit());
    let first = units.next().unwrap_or(Unit::Count);
    match units.all(|unit| unit == first) {
        true => Ok(first),
        false => {
            let text = "must have the same unit as the others, because a chart has one scale";
            Err(Error::bad_parameter("metric", Invalid::new("mixed_units", text)))
        }
    }
}

/// Returns the trend line through the complete buckets of a series, and its values at all of them. A day that has just begun would
/// distort it.
fn trend_line(series: &ChartSeries) -> Option<(TrendLine, ChartSeries)> {
    let values = series.points.iter().enumerate().filter(|(_, point)| !point.partial);
    let trend = theil_sen(values.map(|(place, point)| (place as f64, point.value.ok())))?;
    let points = series.points.iter().enumerate().map(|(place, point)| ChartPoint {
        position: point.position.clone(),
        value: Some(trend.at(place as f64)).filter(|value| value.is_finite()).ok_or(NoValueReason::NoData),
        numerator: None,
        denominator: None,
        range: None,
        partial: point.partial,
    });
    let course = ChartSeries {
        key: format!("{}.trend", series.key),
        label: format!("{}, trend", series.label),
        measure: series.measure,
        kind: SeriesKind::Trend,
        points: points.collect(),
    };
    Some((TrendLine { measure: series.measure, trend }, course))
}

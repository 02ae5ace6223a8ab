//! Measures over time, with the previous period and a trend line that is robust against outliers.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, IncursionFilter, Interval, Measure, Month, NoValueReason, Unit, Week};
use domain::{Invalid, PeriodBound};
use statistics::{Trend, theil_sen};

use super::hours_of_week::lowercase_first;
use super::{Chart, ChartDetails, ChartPoint, ChartSeries, SeriesKind, measured_series};
use crate::insights::query::previous_period_filter;
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
        let whole = complete_buckets(&chart, request.interval);
        let series = std::mem::take(&mut chart.series);
        // The trend through many thousands of points takes a while.
        let computed = self.compute(move || {
            let drawn: Vec<_> = series.iter().filter_map(|series| trend_line(series, &whole)).collect();
            (series, drawn)
        });
        let (series, drawn) = computed.await?;
        chart.series = series;
        let mut previous = None;
        if request.compare == Compare::Previous {
            let before = previous_period_filter(filter, &chart.result, self.clock.now());
            let trends = self.insight_trends(caller, &before, &of).await?;
            previous = Some((trends.result.from, trends.result.to));
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

/// Returns the indexes of the buckets that lie completely in the period; a day that has just begun would distort the trend.
fn complete_buckets(chart: &Chart, interval: Interval) -> std::ops::Range<usize> {
    let begins_step = |cut: PeriodBound| match (cut, interval) {
        (PeriodBound::Instant(_), _) => false,
        (PeriodBound::Day(_), Interval::Hour | Interval::Day) => true,
        (PeriodBound::Day(day), Interval::Week) => Week::of(day).first_day() == day,
        (PeriodBound::Day(day), Interval::Month) => Month::of(day).first_day() == day,
    };
    let count = chart.series.first().map_or(0, |series| series.points.len());
    let first = usize::from(!begins_step(chart.result.from));
    let end = count.saturating_sub(usize::from(!begins_step(chart.result.to)));
    first.min(end)..end
}

/// Returns the trend line through the complete buckets of a series, and its values at all of them.
fn trend_line(series: &ChartSeries, whole: &std::ops::Range<usize>) -> Option<(TrendLine, ChartSeries)> {
    let values = series.points.iter().enumerate().filter(|(place, _)| whole.contains(place));
    let trend = theil_sen(values.map(|(place, point)| (place as f64, point.value.ok())))?;
    let points = series.points.iter().enumerate().map(|(place, point)| ChartPoint {
        position: point.position.clone(),
        value: Some(trend.at(place as f64)).filter(|value| value.is_finite()).ok_or(NoValueReason::NoData),
        numerator: None,
        denominator: None,
        range: None,
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

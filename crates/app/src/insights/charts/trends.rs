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

/// Minimum number of complete hours of a trend line: in less than two days it would only show the course of the day.
const MIN_HOURS: usize = 48;

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
        // Asked before the numbers, which may lack what is complete a moment later.
        let loading = self.loading_history(caller.scope().brand());
        let trends = self.insight_trends(caller, filter, &of).await?;
        let mut chart = Chart::over_time(ChartKind::Trends, unit, trends, filter);
        // A line through days that are not loaded would show the loading.
        let has_lines = loading.is_none_or(|loaded| loaded.reaches(chart.result.from));
        let (series, interval) = (std::mem::take(&mut chart.series), request.interval);
        // The trend through many thousands of points takes a while.
        let computed = self.compute(move || {
            let judged = series.iter().filter(|_| has_lines);
            let drawn: Vec<_> = judged.filter_map(|series| trend_line(series, interval)).collect();
            (series, drawn)
        });
        let (series, drawn) = computed.await?;
        chart.series = series;
        let mut previous = None;
        let before = match request.compare {
            Compare::Previous => self.loaded_period_before(caller, filter, &chart.result).await?,
            Compare::None => None,
        };
        if let Some(before) = before {
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

/// Returns the trend line through the complete buckets of a series, and its values at all buckets that have begun. A day that has just
/// begun would distort it.
fn trend_line(series: &ChartSeries, interval: Interval) -> Option<(TrendLine, ChartSeries)> {
    let complete = || series.points.iter().enumerate().filter(|(_, point)| !point.partial);
    if interval == Interval::Hour && complete().count() < MIN_HOURS {
        return None;
    }
    let trend = theil_sen(complete().map(|(place, point)| (place as f64, point.value.ok())))?;
    let points = series.points.iter().enumerate().map(|(place, point)| {
        let value = match point.value {
            Err(NoValueReason::NotYet) => Err(NoValueReason::NotYet),
            _ => possible_value(trend.at(place as f64), series.measure.unit()).ok_or(NoValueReason::NoData),
        };
        let position = point.position.clone();
        ChartPoint {
            position,
            value,
            numerator: None,
            denominator: None,
            range: None,
            partial: point.partial,
        }
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

/// Returns a value of a trend line, unless it is one that the measure cannot have: below zero, or a share of more than one.
fn possible_value(value: f64, unit: Unit) -> Option<f64> {
    const ROUNDING: f64 = 1e-9;
    let most = if unit == Unit::Ratio { 1.0 } else { f64::MAX };
    (value >= -ROUNDING && value <= most + ROUNDING).then(|| value.clamp(0.0, most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insights::ChartPosition;

    fn series(values: &[Result<f64, NoValueReason>]) -> ChartSeries {
        let points = values.iter().zip(0..).map(|(value, bucket)| ChartPoint {
            position: ChartPosition::Bucket(bucket, String::new()),
            value: *value,
            numerator: None,
            denominator: None,
            range: None,
            partial: *value == Err(NoValueReason::NotYet),
        });
        ChartSeries {
            key: "incursions".to_owned(),
            label: "Incursions".to_owned(),
            measure: Measure::Incursions,
            kind: SeriesKind::Measured,
            points: points.collect(),
        }
    }

    #[test]
    fn a_trend_line_ends_with_the_present_and_above_zero() {
        let not_yet = Err(NoValueReason::NotYet);
        let measured = series(&[Ok(3.0), Ok(2.0), Ok(1.0), Ok(0.0), Ok(0.0), not_yet, not_yet]);
        let (line, course) = trend_line(&measured, Interval::Day).unwrap();
        assert!(line.trend.slope < 0.0);
        let values: Vec<_> = course.points.iter().map(|point| point.value).collect();
        assert!(values[0].is_ok_and(|value| value > 2.0), "{values:?}");
        assert!(values[..5].iter().all(|value| value.is_ok_and(|value| value >= 0.0) || value.is_err()));
        assert_eq!(values[5..], [not_yet, not_yet]);
        assert_eq!(possible_value(-0.5, Unit::Count), None);
        assert_eq!(possible_value(-1e-12, Unit::Count), Some(0.0));
        assert_eq!(possible_value(1.2, Unit::Ratio), None);
        assert_eq!(possible_value(1.2, Unit::Hours), Some(1.2));
        assert_eq!(possible_value(f64::NAN, Unit::Hours), None);
    }

    #[test]
    fn the_hours_of_one_day_have_no_trend() {
        let hours = |count: usize| series(&vec![Ok(1.0); count]);
        assert!(trend_line(&hours(24), Interval::Hour).is_none());
        assert!(trend_line(&hours(24), Interval::Day).is_some());
        assert!(trend_line(&hours(48), Interval::Hour).is_some());
    }
}

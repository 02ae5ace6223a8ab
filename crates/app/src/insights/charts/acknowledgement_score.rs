//! The acknowledgement rate over time, with its confidence interval.

use domain::access::ReadInsights;
use domain::insights::{ChartKind, Figure, IncursionFilter, Interval, Measure, Unit};
use statistics::wilson_interval;

use super::Chart;
use crate::insights::TrendsRequest;
use crate::{App, Caller, Error};

/// Confidence level of the interval.
const CONFIDENCE: f64 = 0.95;

#[macros::boxed]
impl App {
    /// Returns the acknowledgement score: the acknowledgement rate of each bucket of time, with its confidence interval.
    pub async fn acknowledgement_score_chart(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        interval: Interval,
    ) -> Result<Chart, Error> {
        let measures = vec![Measure::AcknowledgementRate];
        let request = TrendsRequest { interval, measures, split_by: None };
        let trends = self.insight_trends(caller, filter, &request).await?;
        let ranges: Vec<_> = trends
            .series
            .iter()
            .map(|series| series.points.iter().map(|point| range(point.figure?)).collect::<Vec<_>>())
            .collect();
        let mut chart = Chart::over_time(ChartKind::AcknowledgementScore, Unit::Ratio, trends, filter);
        for (series, ranges) in chart.series.iter_mut().zip(ranges) {
            for (point, range) in series.points.iter_mut().zip(ranges) {
                point.range = range;
            }
        }
        Ok(chart)
    }
}

fn range(figure: Figure) -> Option<(f64, f64)> {
    let acknowledged = u64::try_from(figure.numerator?).ok()?;
    let incursions = u64::try_from(figure.denominator?).ok()?;
    wilson_interval(acknowledged, incursions, CONFIDENCE).map(|interval| (interval.low, interval.high))
}

//! Measures over time, with every bucket of the period, including empty ones.

use std::collections::HashMap;

use domain::access::ReadInsights;
use domain::insights::{
    Dimension, Figure, GroupOrder, Grouping, Groups, IncursionFilter, Interval, Key, Measure,
};
use domain::{Invalid, Period};

use super::empty_figures::empty_figures;
use super::labels::Labelled;
use super::query::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};

#[derive(Clone, Debug)]
pub struct TrendsRequest {
    pub interval: Interval,
    pub measures: Vec<Measure>,
    /// The dimension by which the series are split.
    pub split_by: Option<Dimension>,
}

/// One bucket of a series.
#[derive(Clone, Debug)]
pub struct Point {
    /// The number of the bucket, counted in intervals.
    pub bucket: i64,
    /// The start of the bucket in local time.
    pub at: String,
    pub figure: Figure,
}

/// A measure over time.
#[derive(Clone, Debug)]
pub struct Series {
    pub measure: Measure,
    /// The group, if the trend is split.
    pub part: Option<Labelled>,
    pub points: Vec<Point>,
}

#[derive(Clone, Debug)]
pub struct Trends {
    pub interval: Interval,
    /// One for each measure of each group.
    pub series: Vec<Series>,
    /// Number of groups beyond the limit.
    pub more: u64,
    pub result: QueryResult,
}

/// Maximum number of groups.
const MAX_PARTS: usize = 20;
const MAX_POINTS: i64 = 50_000;

#[macros::boxed]
impl App {
    /// Returns measures of the matching facts over time.
    pub async fn insight_trends(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &TrendsRequest,
    ) -> Result<Trends, Error> {
        self.trends_ranked_by(caller, filter, request, Measure::Incursions).await
    }

    /// The same, but a split trend returns the groups that rank highest by a measure.
    pub(crate) async fn trends_ranked_by(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &TrendsRequest,
        rank_measure: Measure,
    ) -> Result<Trends, Error> {
        self.check_point_count(filter.period.unwrap_or_default(), request)?;
        let step = request.interval.dimension();
        let mut measures = request.measures.clone();
        let rank_index = measures.len();
        measures.push(rank_measure);
        let mut groupings = Vec::new();
        match request.split_by {
            None => groupings.push(Grouping::by([step])),
            Some(part) => {
                let order = GroupOrder::Descending(rank_index);
                groupings.push(Grouping { dimensions: vec![part], order, limit: Some(MAX_PARTS) });
                groupings.push(Grouping::by([part, step]));
            }
        }
        // The total shows whether runtime is available, which decides the figures of empty buckets.
        groupings.push(Grouping::by([]));
        let mut result = self.run_query(caller, QuerySpec { filter, measures, groupings }).await?;
        let steps = request.interval.bucket_keys(result.from, result.to, &result.time_zones);
        let (parts, more) = match request.split_by {
            None => (vec![None], 0),
            Some(dimension) => {
                let parts = result.take_next_groups();
                let labels = self.load_labels(caller, [(&[dimension][..], &parts)]).await?;
                let named = |key: Key| Some((key, labels.label(dimension, key)));
                (parts.groups.iter().map(|group| named(group.keys[0])).collect(), parts.more)
            }
        };
        let found = figures_by_keys(result.take_next_groups());
        let everything = super::totals::single_group_figures(result.take_next_groups());
        let applies_to_runtime = request.split_by.is_none_or(Dimension::applies_to_runtime);
        let nothing = empty_figures(&request.measures, &everything, applies_to_runtime);
        let mut series = Vec::new();
        for part in parts {
            for (place, measure) in request.measures.iter().enumerate() {
                let points = steps.iter().map(|step| {
                    let keys = match &part {
                        None => vec![Some(*step)],
                        Some((key, _)) => vec![*key, Some(*step)],
                    };
                    let figure = found.get(&keys).map_or(nothing[place], |figures| figures[place]);
                    Point { bucket: *step, at: request.interval.label(*step), figure }
                });
                let part = part.as_ref().map(|(_, label)| label.clone());
                series.push(Series { measure: *measure, part, points: points.collect() });
            }
        }
        Ok(Trends { interval: request.interval, series, more, result })
    }

    /// Rejects a request with too many points before it is run.
    fn check_point_count(&self, period: Period, request: &TrendsRequest) -> Result<(), Error> {
        let now = self.clock.now();
        let (from, to) = period.bounds(now).map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        let steps = request.interval.max_buckets(from, to.unwrap_or(domain::PeriodBound::Instant(now)));
        let parts = if request.split_by.is_some() { MAX_PARTS } else { 1 };
        let series = i64::try_from(request.measures.len() * parts).unwrap_or(i64::MAX);
        if steps.saturating_mul(series) > MAX_POINTS {
            let text = format!(
                "gives more than {MAX_POINTS} points; choose a longer interval, a shorter period or fewer metrics"
            );
            return Err(Error::range_too_wide("interval", Invalid::new("too_many_points", text)));
        }
        Ok(())
    }
}

fn figures_by_keys(groups: Groups) -> HashMap<Vec<Key>, Vec<Figure>> {
    groups.groups.into_iter().map(|group| (group.keys, group.figures)).collect()
}

//! Measures over time, with every bucket of the period, including empty ones.

use std::collections::{HashMap, HashSet};

use domain::access::ReadInsights;
use domain::insights::{
    Dimension, Figure, GroupOrder, Grouping, Groups, IncursionFilter, Interval, Key, Measure, NoValueReason,
};
use domain::{Invalid, Period, PeriodBound, TimeZone};

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
    /// Absent if the bucket has not begun.
    pub figure: Option<Figure>,
    /// Whether the period cuts the bucket, or it has not ended.
    pub partial: bool,
}

impl Point {
    /// Returns the value of the measure of its series, or the reason why there is none.
    pub fn value(&self, measure: Measure) -> Result<f64, NoValueReason> {
        self.figure.ok_or(NoValueReason::NotYet)?.value(measure)
    }
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

/// The groups of a split trend that are returned: those that rank highest by a measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupRanking {
    pub by: Measure,
    pub limit: usize,
    pub others: OtherGroups,
}

/// Whether a split trend also describes what lies outside the returned groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherGroups {
    Ignored,
    /// The total of all groups, and the range of the others.
    Described,
}

/// A trend with what lies outside its groups.
#[derive(Clone, Debug)]
pub(crate) struct RankedTrends {
    pub trends: Trends,
    /// The first measure of all groups together, if requested.
    pub total: Option<Series>,
    /// The first measure of the other groups, if requested and if there are any.
    pub rest: Option<RestBand>,
}

/// The range of the groups that have no series of their own.
#[derive(Clone, Debug)]
pub struct RestBand {
    /// Number of these groups.
    pub members: u64,
    /// One for each bucket.
    pub points: Vec<BandPoint>,
}

#[derive(Clone, Debug)]
pub struct BandPoint {
    /// The number of the bucket, counted in intervals.
    pub bucket: i64,
    /// The start of the bucket in local time.
    pub at: String,
    /// Whether the period cuts the bucket, or it has not ended.
    pub partial: bool,
    /// The lowest and the highest value; absent if no group has one.
    pub range: Option<(f64, f64)>,
}

/// Maximum number of groups, unless a use case has its own.
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
        let others = OtherGroups::Ignored;
        let ranking = GroupRanking { by: Measure::Incursions, limit: MAX_PARTS, others };
        Ok(self.trends_ranked_by(caller, filter, request, ranking).await?.trends)
    }

    /// The same, but a split trend returns the groups that rank highest by a measure.
    pub(crate) async fn trends_ranked_by(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &TrendsRequest,
        ranking: GroupRanking,
    ) -> Result<RankedTrends, Error> {
        self.check_point_count(filter.period.unwrap_or_default(), request, ranking.limit)?;
        let step = request.interval.dimension();
        let mut measures = request.measures.clone();
        let rank_index = measures.len();
        measures.push(ranking.by);
        let describes_others = request.split_by.is_some() && ranking.others == OtherGroups::Described;
        let mut groupings = Vec::new();
        match request.split_by {
            None => groupings.push(Grouping::by([step])),
            Some(part) => {
                let order = GroupOrder::Descending(rank_index);
                groupings.push(Grouping { dimensions: vec![part], order, limit: Some(ranking.limit) });
                groupings.push(Grouping::by([part, step]));
                if describes_others {
                    groupings.push(Grouping::by([step]));
                }
            }
        }
        // The total shows whether runtime is available, which decides the figures of empty buckets.
        groupings.push(Grouping::by([]));
        let mut result = self.run_query(caller, QuerySpec { filter, measures, groupings }).await?;
        let steps = request.interval.bucket_keys(result.from, result.to, &result.time_zones);
        let partial = result.partial_buckets(request.interval);
        let (parts, more): (Vec<Option<(Key, Labelled)>>, u64) = match request.split_by {
            None => (vec![None], 0),
            Some(dimension) => {
                let parts = result.take_next_groups();
                let labels = self.load_labels(caller, [(&[dimension][..], &parts)]).await?;
                let named = |key: Key| Some((key, labels.label(dimension, key)));
                (parts.groups.iter().map(|group| named(group.keys[0])).collect(), parts.more)
            }
        };
        let found = figures_by_keys(result.take_next_groups());
        let by_step = describes_others.then(|| figures_by_keys(result.take_next_groups()));
        let everything = super::totals::single_group_figures(result.take_next_groups());
        // Formatted once, because each series has all buckets.
        let labels: Vec<String> = steps.iter().map(|step| request.interval.label(*step)).collect();
        // Without facts a bucket counts as empty, once it has begun.
        let point = |step: i64, label: &str, found: Option<Figure>, nothing: Figure| Point {
            bucket: step,
            at: label.to_owned(),
            figure: found.or_else(|| partial.has_begun(step).then_some(nothing)),
            partial: partial.contains(step),
        };
        let applies_to_runtime = request.split_by.is_none_or(Dimension::applies_to_runtime);
        let nothing = empty_figures(&request.measures, &everything, applies_to_runtime);
        let mut series = Vec::new();
        for part in &parts {
            for (place, measure) in request.measures.iter().enumerate() {
                let points = steps.iter().zip(&labels).map(|(step, label)| {
                    let figures = match part {
                        None => found.get(&[Some(*step)][..]),
                        Some((key, _)) => found.get(&[*key, Some(*step)][..]),
                    };
                    point(*step, label, figures.map(|figures| figures[place]), nothing[place])
                });
                let part = part.as_ref().map(|(_, label)| label.clone());
                series.push(Series { measure: *measure, part, points: points.collect() });
            }
        }
        let (mut total, mut rest) = (None, None);
        if let (Some(by_step), Some(measure)) = (by_step, request.measures.first().copied()) {
            let nothing = empty_figures(&[measure], &everything, true).first().copied().unwrap_or_default();
            let points = steps.iter().zip(&labels).map(|(step, label)| {
                let found = by_step.get(&[Some(*step)][..]).and_then(|figures| figures.first());
                point(*step, label, found.copied(), nothing)
            });
            total = Some(Series { measure, part: None, points: points.collect() });
            let shown: HashSet<Key> = parts.iter().flatten().map(|(key, _)| *key).collect();
            let ranges = ranges_of_others(&found, &shown, measure);
            let points = steps.iter().zip(&labels).map(|(step, label)| BandPoint {
                bucket: *step,
                at: label.clone(),
                partial: partial.contains(*step),
                range: ranges.get(step).copied(),
            });
            rest = (more > 0).then(|| RestBand { members: more, points: points.collect() });
        }
        let trends = Trends { interval: request.interval, series, more, result };
        Ok(RankedTrends { trends, total, rest })
    }

    /// Rejects a request with too many points before it is run.
    fn check_point_count(
        &self,
        period: Period,
        request: &TrendsRequest,
        max_parts: usize,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        // The number of buckets is an upper bound, whatever the zone.
        let bounds = period.bounds(now, &TimeZone::utc());
        let (from, to) = bounds.map_err(|(name, invalid)| Error::bad_parameter(name, invalid))?;
        let steps = request.interval.max_buckets(from, to.unwrap_or(PeriodBound::Instant(now)));
        let parts = if request.split_by.is_some() { max_parts } else { 1 };
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

/// Returns the lowest and the highest value of the groups that are not shown, for each bucket in which one has a value.
fn ranges_of_others(
    found: &HashMap<Vec<Key>, Vec<Figure>>,
    shown: &HashSet<Key>,
    measure: Measure,
) -> HashMap<i64, (f64, f64)> {
    let mut ranges: HashMap<i64, (f64, f64)> = HashMap::new();
    for (keys, figures) in found {
        let [part, Some(step)] = keys[..] else { continue };
        let value = figures.first().and_then(|figure| figure.value(measure).ok());
        if let Some(value) = value.filter(|_| !shown.contains(&part)) {
            let range = ranges.entry(step).or_insert((value, value));
            *range = (range.0.min(value), range.1.max(value));
        }
    }
    ranges
}

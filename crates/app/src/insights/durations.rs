//! Durations of incursions, as a histogram.

use domain::access::ReadInsights;
use domain::insights::{Dimension, DurationBucket, Figure, Grouping, IncursionFilter, Measure};

use super::query::{QueryResult, QuerySpec};
use super::totals::single_group_figures;
use crate::{App, Caller, Error};

#[derive(Clone, Copy, Debug)]
pub struct HistogramBucket {
    /// Lower bound in seconds, inclusive.
    pub from_s: i64,
    /// Upper bound in seconds, exclusive; none for the last bucket.
    pub to_s: Option<i64>,
    pub incursions: i64,
}

/// Durations of incursions.
#[derive(Clone, Debug)]
pub struct Durations {
    /// All buckets, the shortest durations first.
    pub buckets: Vec<HistogramBucket>,
    /// Number of incursions without an end.
    pub without_end: i64,
    /// One figure for each of [`Durations::MEASURES`].
    pub total: Vec<Figure>,
    pub result: QueryResult,
}

impl Durations {
    /// The measures of all incursions together.
    pub const MEASURES: [Measure; 5] = [
        Measure::Incursions,
        Measure::AverageDuration,
        Measure::MedianDuration,
        Measure::P95Duration,
        Measure::Exposure,
    ];
}

#[macros::boxed]
impl App {
    /// Returns the durations of the matching incursions.
    pub async fn insight_durations(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Durations, Error> {
        let groupings = vec![Grouping::by([Dimension::Duration]), Grouping::by([])];
        let of = QuerySpec { filter, measures: Durations::MEASURES.to_vec(), groupings };
        let mut result = self.run_query(caller, of).await?;
        let found = result.take_next_groups();
        let count = |key: Option<i64>| {
            let group = found.groups.iter().find(|group| group.keys == [key]);
            group.map_or(0, |group| group.figures[0].incursions)
        };
        let steps = DurationBucket::all().map(|bucket| {
            let (from_s, to_s) = bucket.bounds_s();
            HistogramBucket { from_s, to_s, incursions: count(Some(bucket.number())) }
        });
        let (steps, without_end) = (steps.collect(), count(None));
        let total = single_group_figures(result.take_next_groups());
        Ok(Durations { buckets: steps, without_end, total, result })
    }
}

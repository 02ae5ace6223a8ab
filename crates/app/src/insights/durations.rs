//! How long incursions lasted, as a histogram.

use domain::access::ReadInsights;
use domain::insights::{Dimension, DurationBucket, Figure, Grouping, IncursionFilter, Measure};

use super::asking::{Asked, AskedOf};
use super::totals::figures_of;
use crate::{App, Caller, Error};

/// One step of the histogram.
#[derive(Clone, Copy, Debug)]
pub struct DurationsStep {
    /// From how many seconds.
    pub from_s: i64,
    /// To how many, exclusive; none for the last.
    pub to_s: Option<i64>,
    /// How many there were.
    pub incursions: i64,
}

/// How long incursions lasted.
#[derive(Clone, Debug)]
pub struct Durations {
    /// All steps, the shortest first.
    pub steps: Vec<DurationsStep>,
    /// How many have no end.
    pub without_end: i64,
    /// What is measured of all: [`Durations::MEASURES`].
    pub total: Vec<Figure>,
    /// What was asked.
    pub asked: Asked,
}

impl Durations {
    /// What is measured of all of them together.
    pub const MEASURES: [Measure; 5] = [
        Measure::Incursions,
        Measure::AverageDuration,
        Measure::MedianDuration,
        Measure::P95Duration,
        Measure::Exposure,
    ];
}

impl App {
    /// How long the incursions lasted that the filter finds.
    pub async fn insight_durations(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Durations, Error> {
        let groupings = vec![Grouping::by([Dimension::Duration]), Grouping::by([])];
        let of = AskedOf { filter, measures: Durations::MEASURES.to_vec(), groupings };
        let mut asked = self.ask(caller, of).await?;
        let found = asked.next();
        let count = |key: Option<i64>| {
            let group = found.groups.iter().find(|group| group.keys == [key]);
            group.map_or(0, |group| group.figures[0].incursions)
        };
        let steps = DurationBucket::all().map(|bucket| {
            let (from_s, to_s) = bucket.bounds_s();
            DurationsStep { from_s, to_s, incursions: count(Some(bucket.number())) }
        });
        let (steps, without_end) = (steps.collect(), count(None));
        let total = figures_of(asked.next());
        Ok(Durations { steps, without_end, total, asked })
    }
}

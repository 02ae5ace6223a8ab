//! A summary: totals with their change, a daily trend, and the entries with the most incursions.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, Grouping, Groups, IncursionFilter, Interval, Measure};

use super::labels::{Labelled, Labels};
use super::query::{QuerySpec, filter_for_period};
use super::totals::{TotalFigures, Totals};
use super::trends::{Trends, TrendsRequest};
use crate::{App, Caller, Error};

/// One of the entries with the most incursions.
#[derive(Clone, Debug)]
pub struct TopEntry {
    pub part: Labelled,
    /// One figure for each of [`Summary::TOP_MEASURES`].
    pub figures: Vec<Figure>,
}

#[derive(Clone, Debug)]
pub struct Summary {
    /// The totals of the period and of the previous one.
    pub totals: Totals,
    /// By day.
    pub trend: Trends,
    /// The worksites with the most incursions.
    pub worksites: Vec<TopEntry>,
    /// The machines with the most incursions.
    pub machines: Vec<TopEntry>,
    /// The people on foot with the most incursions.
    pub pedestrians: Vec<TopEntry>,
}

/// Number of entries per kind.
const TOP_ENTRIES: usize = 5;

impl Summary {
    /// The measures of the daily trend.
    pub const TREND_MEASURES: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];
    /// The measures of the entries with the most incursions.
    pub const TOP_MEASURES: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];
}

#[macros::boxed]
impl App {
    /// Summarises the matching facts.
    pub async fn insight_summary(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<Summary, Error> {
        let top = |dimension| Grouping {
            dimensions: vec![dimension],
            order: GroupOrder::Descending(0),
            // One more for the group without a value.
            limit: Some(TOP_ENTRIES + 1),
        };
        let dimensions = [Dimension::Worksite, Dimension::Machine, Dimension::Pedestrian];
        let mut groupings = vec![Grouping::by([])];
        groupings.extend(dimensions.map(top));
        let of = QuerySpec { filter, measures: Measure::ALL.to_vec(), groupings };
        let mut result = self.run_query(caller, of).await?;
        let figures = TotalFigures::new(&Measure::ALL, result.take_next_groups());
        let found: Vec<Groups> = dimensions.iter().map(|_| result.take_next_groups()).collect();
        let by: Vec<[Dimension; 1]> = dimensions.iter().map(|dimension| [*dimension]).collect();
        let labels = self.load_labels(caller, by.iter().map(|by| &by[..]).zip(&found)).await?;
        let mut tops =
            dimensions.iter().zip(found).map(|(dimension, groups)| top_entries(&labels, *dimension, groups));
        let mut next = || tops.next().unwrap_or_default();
        let (worksites, machines, pedestrians) = (next(), next(), next());
        let previous = match self.loaded_period_before(caller, filter, &result).await? {
            Some(before) => {
                let before = filter_for_period(filter, before.period);
                Some(self.total_figures(caller, &before, &Measure::ALL).await?)
            }
            None => None,
        };
        let request = TrendsRequest {
            interval: Interval::Day,
            measures: Summary::TREND_MEASURES.to_vec(),
            split_by: None,
        };
        let trend = self.insight_trends(caller, filter, &request).await?;
        let totals = Totals { figures, awaits_history: previous.is_none(), previous, result };
        Ok(Summary { totals, trend, worksites, machines, pedestrians })
    }
}

fn top_entries(labels: &Labels, dimension: Dimension, groups: Groups) -> Vec<TopEntry> {
    let places: Vec<usize> = Summary::TOP_MEASURES
        .iter()
        .filter_map(|measure| Measure::ALL.iter().position(|one| one == measure))
        .collect();
    let known = groups.groups.into_iter().filter(|group| {
        let has_any = group.figures.first().is_some_and(|figure| figure.incursions > 0);
        has_any && group.keys.iter().all(Option::is_some)
    });
    known
        .take(TOP_ENTRIES)
        .map(|group| TopEntry {
            part: labels.label(dimension, group.keys.first().copied().flatten()),
            figures: places.iter().map(|place| group.figures[*place]).collect(),
        })
        .collect()
}

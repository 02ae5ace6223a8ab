//! All measures of the matching facts.

use domain::access::ReadInsights;
use domain::insights::{Figure, Grouping, Groups, IncursionFilter, Measure};

use super::query::{QueryResult, QuerySpec, previous_period_filter};
use crate::{App, Caller, Error};

/// The period to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compare {
    #[default]
    None,
    /// The preceding period of equal length.
    Previous,
}

#[derive(Clone, Debug)]
pub struct Totals {
    /// One figure for each of [`Measure::ALL`].
    pub figures: Vec<Figure>,
    /// The same for the previous period, if requested.
    pub previous: Option<(QueryResult, Vec<Figure>)>,
    pub result: QueryResult,
}

#[macros::boxed]
impl App {
    /// Returns all measures of the matching facts.
    pub async fn insight_totals(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        compare: Compare,
    ) -> Result<Totals, Error> {
        let (asked, figures) = self.total_figures(caller, filter).await?;
        let previous = match compare {
            Compare::None => None,
            Compare::Previous => {
                let before = previous_period_filter(filter, &asked, self.clock.now());
                Some(self.total_figures(caller, &before).await?)
            }
        };
        Ok(Totals { figures, previous, result: asked })
    }

    async fn total_figures(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<(QueryResult, Vec<Figure>), Error> {
        let of = QuerySpec { filter, measures: Measure::ALL.to_vec(), groupings: vec![Grouping::by([])] };
        let mut asked = self.run_query(caller, of).await?;
        let figures = single_group_figures(asked.take_next_groups());
        Ok((asked, figures))
    }
}

/// Returns the figures of the only group of a grouping without dimensions.
pub(crate) fn single_group_figures(groups: Groups) -> Vec<Figure> {
    groups.groups.into_iter().next().map(|group| group.figures).unwrap_or_default()
}

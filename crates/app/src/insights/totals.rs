//! Everything that can be measured of what a filter finds.

use domain::access::ReadInsights;
use domain::insights::{Figure, Grouping, Groups, IncursionFilter, Measure};

use super::query::{QueryResult, QuerySpec, previous_period_filter};
use crate::{App, Caller, Error};

/// Whether it is compared with something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compare {
    /// With nothing.
    #[default]
    None,
    /// With the time of equal length right before.
    Previous,
}

/// The measures of what a filter finds.
#[derive(Clone, Debug)]
pub struct Totals {
    /// One for each of [`Measure::ALL`].
    pub figures: Vec<Figure>,
    /// The same of the time before, if that was asked for.
    pub previous: Option<(QueryResult, Vec<Figure>)>,
    /// What was asked.
    pub result: QueryResult,
}

impl App {
    /// All measures of what the filter finds.
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

/// The figures of the one group that everything together is.
pub(crate) fn single_group_figures(groups: Groups) -> Vec<Figure> {
    groups.groups.into_iter().next().map(|group| group.figures).unwrap_or_default()
}

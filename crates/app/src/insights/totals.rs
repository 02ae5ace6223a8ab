//! All measures of the matching facts.

use domain::Invalid;
use domain::access::ReadInsights;
use domain::insights::{Figure, Grouping, Groups, IncursionFilter, Measure};

use super::query::{QueryResult, QuerySpec, filter_for_period};
use crate::{App, Caller, Error};

/// The period to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compare {
    #[default]
    None,
    /// The same days of earlier weeks.
    Previous,
}

impl Compare {
    /// The names in the API. [`Compare::None`] has none.
    pub const NAMES: [&'static str; 1] = ["previous"];

    /// Parses the name in the API.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "previous" => Ok(Self::Previous),
            _ => Err(Invalid::new("invalid_comparison", "must be previous")),
        }
    }
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
                let before = self.previous_period(caller.scope(), filter, &asked).await?;
                Some(self.total_figures(caller, &filter_for_period(filter, before.period)).await?)
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

//! Everything that can be measured of what a filter finds.

use domain::access::ReadInsights;
use domain::insights::{Figure, Grouping, Groups, IncursionFilter, Measure};

use super::asking::{Asked, AskedOf, previous_of};
use crate::{App, Caller, Error};

/// Whether it is compared with something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compare {
    /// With nothing.
    #[default]
    Nothing,
    /// With the time of equal length right before.
    Previous,
}

/// The measures of what a filter finds.
#[derive(Clone, Debug)]
pub struct Totals {
    /// One for each of [`Measure::ALL`].
    pub figures: Vec<Figure>,
    /// The same of the time before, if that was asked for.
    pub previous: Option<(Asked, Vec<Figure>)>,
    /// What was asked.
    pub asked: Asked,
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
            Compare::Nothing => None,
            Compare::Previous => {
                let before = previous_of(filter, &asked, self.clock.now());
                Some(self.total_figures(caller, &before).await?)
            }
        };
        Ok(Totals { figures, previous, asked })
    }

    async fn total_figures(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
    ) -> Result<(Asked, Vec<Figure>), Error> {
        let of = AskedOf { filter, measures: Measure::ALL.to_vec(), groupings: vec![Grouping::by([])] };
        let mut asked = self.ask(caller, of).await?;
        let figures = figures_of(asked.next());
        Ok((asked, figures))
    }
}

/// The figures of the one group that everything together is.
pub(crate) fn figures_of(groups: Groups) -> Vec<Figure> {
    groups.groups.into_iter().next().map(|group| group.figures).unwrap_or_default()
}

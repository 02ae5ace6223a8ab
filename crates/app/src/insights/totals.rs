//! Measures of all matching facts together.

use domain::access::ReadInsights;
use domain::insights::{Figure, Grouping, Groups, IncursionFilter, Measure};
use domain::{Invalid, PreviousPeriod};

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

#[derive(Clone, Copy, Debug)]
pub struct TotalsRequest<'a> {
    pub measures: &'a [Measure],
    pub compare: Compare,
    /// The measures of the previous period. Some are dear, such as percentiles, and not each of them is compared.
    pub compared: &'a [Measure],
}

impl TotalsRequest<'_> {
    /// Requests all measures, of the previous period as well if it is compared.
    pub const fn all(compare: Compare) -> Self {
        Self { measures: &Measure::ALL, compare, compared: &Measure::ALL }
    }
}

#[derive(Clone, Debug)]
pub struct Totals {
    pub figures: TotalFigures,
    /// Those of the compared measures in the previous period, if requested and loaded.
    pub previous: Option<(QueryResult, TotalFigures)>,
    /// Whether the previous period was requested and is still being loaded.
    pub awaits_history: bool,
    pub result: QueryResult,
}

/// The figures of the measures that were requested.
#[derive(Clone, Debug)]
pub struct TotalFigures {
    measures: Vec<Measure>,
    figures: Vec<Figure>,
}

impl TotalFigures {
    /// Takes the figures of the only group of a grouping without dimensions.
    pub(crate) fn new(measures: &[Measure], groups: Groups) -> Self {
        Self { measures: measures.to_vec(), figures: single_group_figures(groups) }
    }

    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// Returns the figures in the order of their measures.
    pub fn as_slice(&self) -> &[Figure] {
        &self.figures
    }

    /// Returns the figure of a measure, which must have been requested: without facts, counts are 0.
    pub fn of(&self, measure: Measure) -> Figure {
        let place = self.measures.iter().position(|one| *one == measure);
        debug_assert!(place.is_some(), "{measure:?} was not requested");
        place.and_then(|place| self.figures.get(place)).copied().unwrap_or_default()
    }
}

#[macros::boxed]
impl App {
    /// Returns measures of all matching facts together.
    pub async fn insight_totals(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: TotalsRequest<'_>,
    ) -> Result<Totals, Error> {
        let (asked, figures) = self.total_figures(caller, filter, request.measures).await?;
        let previous = match request.compare {
            Compare::None => None,
            Compare::Previous => self.loaded_period_before(caller, filter, &asked).await?,
        };
        let awaits_history = request.compare == Compare::Previous && previous.is_none();
        let previous = match previous {
            Some(before) => {
                let filter = filter_for_period(filter, before.period);
                Some(self.total_figures(caller, &filter, request.compared).await?)
            }
            None => None,
        };
        Ok(Totals { figures, previous, awaits_history, result: asked })
    }

    /// Returns the period to compare a result with; none as long as its history is being loaded.
    pub(crate) async fn loaded_period_before(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        result: &QueryResult,
    ) -> Result<Option<PreviousPeriod>, Error> {
        let before = self.previous_period(caller.scope(), filter, result).await?;
        let from = before.period.from;
        let is_missing = from.is_some_and(|from| self.awaits_history(caller.scope().brand(), from));
        Ok((!is_missing).then_some(before))
    }

    pub(crate) async fn total_figures(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        measures: &[Measure],
    ) -> Result<(QueryResult, TotalFigures), Error> {
        let of = QuerySpec { filter, measures: measures.to_vec(), groupings: vec![Grouping::by([])] };
        let mut asked = self.run_query(caller, of).await?;
        let figures = TotalFigures::new(measures, asked.take_next_groups());
        Ok((asked, figures))
    }
}

/// Returns the figures of the only group of a grouping without dimensions.
pub(crate) fn single_group_figures(groups: Groups) -> Vec<Figure> {
    groups.groups.into_iter().next().map(|group| group.figures).unwrap_or_default()
}

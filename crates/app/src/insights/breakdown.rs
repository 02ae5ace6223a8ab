//! Measures of the parts that something is made of, the greatest first.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, Grouping, IncursionFilter, Measure};

use super::labels::Labelled;
use super::query::{QueryResult, QuerySpec};
use super::totals::single_group_figures;
use crate::{App, Caller, Error};

/// What is asked.
#[derive(Clone, Debug)]
pub struct BreakdownRequest {
    /// Into what.
    pub by: Dimension,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// In which order; places are those of the measures.
    pub order: GroupOrder,
    /// How many parts at most.
    pub limit: usize,
}

/// A part.
#[derive(Clone, Debug)]
pub struct BreakdownRow {
    /// Which.
    pub part: Labelled,
    /// One for each measure.
    pub figures: Vec<Figure>,
}

/// The parts of something.
#[derive(Clone, Debug)]
pub struct Breakdown {
    /// What was measured.
    pub measures: Vec<Measure>,
    /// The parts, in order.
    pub rows: Vec<BreakdownRow>,
    /// How many were left off.
    pub more: u64,
    /// Everything together.
    pub total: Vec<Figure>,
    /// What was asked.
    pub result: QueryResult,
}

impl App {
    /// Measures of the parts of what the filter finds.
    pub async fn insight_breakdown(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &BreakdownRequest,
    ) -> Result<Breakdown, Error> {
        let by = vec![request.by];
        let parts = Grouping { dimensions: by.clone(), order: request.order, limit: Some(request.limit) };
        let groupings = vec![parts, Grouping::by([])];
        let of = QuerySpec { filter, measures: request.measures.clone(), groupings };
        let mut result = self.run_query(caller, of).await?;
        let parts = result.take_next_groups();
        let labels = self.load_labels(caller, [(&by[..], &parts)]).await?;
        let more = parts.more;
        let rows = parts.groups.into_iter().map(|group| BreakdownRow {
            part: labels.label(request.by, group.keys.first().copied().flatten()),
            figures: group.figures,
        });
        let rows = rows.collect();
        let total = single_group_figures(result.take_next_groups());
        Ok(Breakdown { measures: request.measures.clone(), rows, more, total, result })
    }
}

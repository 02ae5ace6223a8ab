//! Measures by one dimension, the largest group first.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, Grouping, IncursionFilter, Measure};

use super::labels::Labelled;
use super::query::{QueryResult, QuerySpec};
use super::totals::single_group_figures;
use crate::{App, Caller, Error};

#[derive(Clone, Debug)]
pub struct BreakdownRequest {
    pub by: Dimension,
    pub measures: Vec<Measure>,
    /// The order refers to measures by their index.
    pub order: GroupOrder,
    /// Maximum number of rows.
    pub limit: usize,
}

/// A group of the breakdown.
#[derive(Clone, Debug)]
pub struct BreakdownRow {
    pub part: Labelled,
    /// One figure for each measure.
    pub figures: Vec<Figure>,
}

/// Measures by one dimension, with their total.
#[derive(Clone, Debug)]
pub struct Breakdown {
    pub measures: Vec<Measure>,
    pub rows: Vec<BreakdownRow>,
    /// Number of groups beyond the limit.
    pub more: u64,
    /// The figures of all groups together.
    pub total: Vec<Figure>,
    pub result: QueryResult,
}

#[macros::boxed]
impl App {
    /// Returns measures of the matching facts by one dimension.
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

//! Measures of the parts that something is made of, the greatest first.

use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, Grouping, IncursionFilter, Measure, Order};

use super::asking::{Asked, AskedOf};
use super::labels::Labelled;
use super::totals::figures_of;
use crate::{App, Caller, Error};

/// What is asked.
#[derive(Clone, Debug)]
pub struct BreakdownRequest {
    /// Into what.
    pub by: Dimension,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// In which order; places are those of the measures.
    pub order: Order,
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
    pub asked: Asked,
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
        let parts = Grouping { by: by.clone(), order: request.order, limit: Some(request.limit) };
        let groupings = vec![parts, Grouping::by([])];
        let of = AskedOf { filter, measures: request.measures.clone(), groupings };
        let mut asked = self.ask(caller, of).await?;
        let parts = asked.next();
        let labels = self.labels_of(caller, [(&by[..], &parts)]).await?;
        let more = parts.more;
        let rows = parts.groups.into_iter().map(|group| BreakdownRow {
            part: labels.of(request.by, group.keys.first().copied().flatten()),
            figures: group.figures,
        });
        let rows = rows.collect();
        let total = figures_of(asked.next());
        Ok(Breakdown { measures: request.measures.clone(), rows, more, total, asked })
    }
}

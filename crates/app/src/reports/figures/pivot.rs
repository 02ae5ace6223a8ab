//! The figures of a pivot.

use domain::insights::{Dimension, Figure, Measure};

use super::asking::{Asked, all};
use super::{Draft, PivotFigure, PivotFigureRow, StoredFigure, store_figure};
use crate::accounts::authors::Author;
use crate::insights::pivot::PivotKeyRow;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_pivot(
        &self,
        author: &Author,
        request: &ReportRequest,
    ) -> Result<Draft, Error> {
        let asked = request.pivot.as_ref().ok_or_else(|| Error::internal("a pivot report has no pivot"))?;
        let (scope, first_day) = (author.query_scope(), request.preferences.first_day_of_week);
        let found = self.pivot_keys_in(scope, &request.filter, asked, first_day).await?;
        let main = Asked {
            name: "main",
            filter: &request.filter,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: vec![("total", all([])), ("by_project", all([Dimension::Project]))],
        };
        let mut draft = Draft { seqs: vec![found.result.seq], ..Draft::default() };
        draft.figures.answers = self.ask_questions(scope, &[main]).await?;
        draft.figures.time_zones = found.result.time_zones.iter().map(ToString::to_string).collect();
        draft.figures.pivot = Some(PivotFigure {
            columns: found.columns,
            rows: found.rows.into_iter().map(store_row).collect(),
            totals: store_row(found.totals),
        });
        Ok(draft)
    }
}

fn store_row(row: PivotKeyRow) -> PivotFigureRow {
    let figures =
        |figures: Vec<Figure>| -> Vec<StoredFigure> { figures.into_iter().map(store_figure).collect() };
    PivotFigureRow {
        level: row.keys.len(),
        keys: row.keys,
        cells: row.cells.into_iter().map(figures).collect(),
        total: figures(row.total),
        more: row.more,
    }
}

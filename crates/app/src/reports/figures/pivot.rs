//! The figures of a pivot.

use domain::insights::{Dimension, Figure};

use super::asking::{all, first_page_questions, most, stored_period};
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
        let before = self.filter_before(author, &request.filter).await?;
        let found = self.pivot_keys_in(scope, &request.filter, asked, first_day).await?;
        let mut draft = Draft { seqs: vec![found.result.seq], ..Draft::default() };
        // The first page names nobody, whatever the pivot shows.
        let groupings = vec![
            ("total", all([])),
            ("by_worksite", most([Dimension::Worksite], 26)),
            ("by_machine", most([Dimension::Machine], 26)),
            ("by_project", all([Dimension::Project])),
        ];
        let groupings_before = vec![("total", all([])), ("by_project", all([Dimension::Project]))];
        let findings = first_page_questions((&request.filter, groupings), (&before, groupings_before));
        draft.figures.answers = self.ask_questions(scope, &findings).await?;
        draft.figures.previous = stored_period(&before);
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

//! The figures of a pivot.

use domain::insights::{Dimension, Figure, IncursionFilter, Measure};

use super::asking::{COUNTS, NamedQuestion, all, most, stored_period};
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
        let findings = questions_of_findings(&request.filter, &before);
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

/// Returns the questions about the findings of the first page, which names nobody, whatever the pivot shows.
fn questions_of_findings<'a>(
    filter: &'a IncursionFilter,
    before: &'a IncursionFilter,
) -> [NamedQuestion<'a>; 3] {
    [
        NamedQuestion {
            name: "main",
            filter,
            measures: Measure::ALL.to_vec(),
            groupings: vec![
                ("total", all([])),
                ("by_worksite", most([Dimension::Worksite], 26)),
                ("by_machine", most([Dimension::Machine], 26)),
                ("by_project", all([Dimension::Project])),
            ],
        },
        // Without places, because there is no map.
        NamedQuestion {
            name: "pattern",
            filter,
            measures: COUNTS.to_vec(),
            groupings: vec![("by_hour", all([Dimension::DayOfWeek, Dimension::HourOfDay]))],
        },
        NamedQuestion {
            name: "previous",
            filter: before,
            measures: Measure::ALL.to_vec(),
            groupings: vec![("total", all([])), ("by_project", all([Dimension::Project]))],
        },
    ]
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

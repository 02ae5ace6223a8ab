//! The figures of a pivot.

use domain::insights::{Dimension, Figure, IncursionFilter};

use super::asking::{
    NamedGroupings, all, first_page_questions, most, question_before, ranked, stored_period,
};
use super::time_zones::has_days_of_facts;
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
        let filter = &request.filter;
        let found = self.pivot_keys_in(scope, filter, asked, first_day).await?;
        let mut draft = Draft { seqs: vec![found.result.seq, found.result.latest_seq], ..Draft::default() };
        let (groupings, groupings_before) = groupings(filter);
        let findings = first_page_questions(filter, groupings);
        draft.figures.answers = self.ask_questions(scope, &findings).await?;
        let before = self.filter_before_main(author, filter, &mut draft).await?;
        let previous = question_before(&before, groupings_before);
        draft.figures.answers.extend(self.ask_questions(scope, &[previous]).await?);
        self.keep_time_zones_of_main(author, filter, &mut draft).await?;
        draft.figures.previous = stored_period(&before);
        // The findings about people and tags have those of the same facts.
        if !has_days_of_facts(filter) {
            draft.figures.time_zones = found.result.time_zones.iter().map(ToString::to_string).collect();
        }
        draft.figures.pivot = Some(PivotFigure {
            columns: found.columns,
            rows: found.rows.into_iter().map(store_row).collect(),
            totals: store_row(found.totals),
        });
        Ok(draft)
    }
}

/// Returns the groupings of the findings about the period, and of those about the period before. The first page names nobody, whatever the
/// pivot shows.
fn groupings(filter: &IncursionFilter) -> (NamedGroupings, NamedGroupings) {
    let (by_machine, by_project) = (most([Dimension::Machine], 26), all([Dimension::Project]));
    let mut before = vec![("total", all([])), ("by_project", by_project.clone())];
    let mut by_worksite = most([Dimension::Worksite], 26);
    if has_days_of_facts(filter) {
        // Their time zones are those of the report.
        by_worksite = ranked([Dimension::Worksite]);
        before.push(("by_worksite", by_worksite.clone()));
    }
    let now = vec![
        ("total", all([])),
        ("by_worksite", by_worksite),
        ("by_machine", by_machine),
        ("by_project", by_project),
    ];
    (now, before)
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

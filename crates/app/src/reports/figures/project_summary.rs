//! The figures of a report about a project.

use domain::insights::Dimension;

use super::Draft;
use super::asking::{
    all, first_page_questions, keep_groups_of, most, question_before, ranked, stored_period,
};
use crate::accounts::authors::Author;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_project_summary(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let before = self.filter_before(author, filter).await?;
        progress(30);
        let groupings = vec![
            ("total", all([])),
            ("by_week", all([Dimension::Week])),
            // Tables have all of them.
            ("by_worksite", ranked([Dimension::Worksite])),
            ("by_machine", most([Dimension::Machine], 26)),
            ("by_machine_kind", ranked([Dimension::MachineKind])),
            ("by_zone", all([Dimension::Zone])),
            ("by_project", all([Dimension::Project])),
        ];
        let groupings_before = vec![
            ("total", all([])),
            ("by_worksite", ranked([Dimension::Worksite])),
            ("by_machine", all([Dimension::Machine])),
            ("by_machine_kind", all([Dimension::MachineKind])),
            ("by_project", all([Dimension::Project])),
        ];
        let [main, pattern] = first_page_questions(filter, groupings);
        let asked = [main, pattern, question_before(&before, groupings_before)];
        let mut draft = Draft::default();
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        keep_groups_of(&mut draft.figures.answers, ("main", "previous"), "by_machine");
        draft.figures.previous = stored_period(&before);
        Ok(draft)
    }
}

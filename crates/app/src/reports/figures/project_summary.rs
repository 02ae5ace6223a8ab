//! The figures of a report about a project.

use domain::insights::{Dimension, Measure};

use super::Draft;
use super::asking::{COUNTS, NamedQuestion, all, keep_groups_of, most, ranked, stored_period};
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
        let asked = [
            NamedQuestion {
                name: "main",
                filter,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_week", all([Dimension::Week])),
                    // Tables have all of them.
                    ("by_worksite", ranked([Dimension::Worksite])),
                    ("by_machine", most([Dimension::Machine], 26)),
                    ("by_machine_kind", ranked([Dimension::MachineKind])),
                    ("by_zone", all([Dimension::Zone])),
                    ("by_project", all([Dimension::Project])),
                ],
            },
            // Without places, because there is no map of several worksites, and without people, who are not named.
            NamedQuestion {
                name: "pattern",
                filter,
                measures: COUNTS.to_vec(),
                groupings: vec![("by_hour", all([Dimension::DayOfWeek, Dimension::HourOfDay]))],
            },
            NamedQuestion {
                name: "previous",
                filter: &before,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_worksite", ranked([Dimension::Worksite])),
                    ("by_machine", all([Dimension::Machine])),
                    ("by_machine_kind", all([Dimension::MachineKind])),
                    ("by_project", all([Dimension::Project])),
                ],
            },
        ];
        let mut draft = Draft::default();
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        keep_groups_of(&mut draft.figures.answers, ("main", "previous"), "by_machine");
        draft.figures.previous = stored_period(&before);
        Ok(draft)
    }
}

//! The figures of a report about a project.

use domain::insights::{Dimension, Measure};

use super::Draft;
use super::asking::{Asked, all, most, stored_period};
use crate::accounts::authors::Author;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

/// Maximum number of worksites of a project in a report.
const MAX_WORKSITES: usize = 100;

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
        let question = |name, filter| Asked {
            name,
            filter,
            measures: Measure::ALL.to_vec(),
            groupings: vec![
                ("total", all([])),
                ("by_week", all([Dimension::Week])),
                ("by_worksite", most([Dimension::Worksite], MAX_WORKSITES)),
                ("by_machine_kind", most([Dimension::MachineKind], 26)),
                ("by_zone", all([Dimension::Zone])),
                ("by_project", all([Dimension::Project])),
            ],
        };
        let asked = [question("main", filter), question("previous", &before)];
        let mut draft = Draft::default();
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        draft.figures.previous = stored_period(&before);
        Ok(draft)
    }
}

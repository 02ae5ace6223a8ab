//! The figures of a report about a worksite.

use domain::WorksiteId;
use domain::insights::{Dimension, Measure};
use geography::Boundary;

use super::Draft;
use super::asking::{NamedQuestion, all, keep_groups_of, most, pattern_question, stored_period};
use crate::accounts::authors::Author;
use crate::insights::OutlierBy;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_site_safety(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let before = self.filter_before(author, filter).await?;
        let asked = [
            NamedQuestion {
                name: "main",
                filter,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_day", all([Dimension::Day])),
                    ("by_machine", most([Dimension::Machine], 26)),
                    ("by_pedestrian", most([Dimension::Pedestrian], 26)),
                    ("by_operator", most([Dimension::Operator], 26)),
                    ("by_zone", all([Dimension::Zone])),
                    ("by_project", all([Dimension::Project])),
                    ("by_pair", most([Dimension::Machine, Dimension::Pedestrian], 11)),
                ],
            },
            pattern_question("pattern", filter),
            NamedQuestion {
                name: "previous",
                filter: &before,
                measures: Measure::ALL.to_vec(),
                groupings: vec![
                    ("total", all([])),
                    ("by_machine", all([Dimension::Machine])),
                    ("by_project", all([Dimension::Project])),
                ],
            },
        ];
        let mut draft = Draft::default();
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        keep_groups_of(&mut draft.figures.answers, ("main", "previous"), "by_machine");
        draft.figures.previous = stored_period(&before);
        progress(40);
        let by = [OutlierBy::Machine, OutlierBy::Pedestrian, OutlierBy::Operator];
        self.add_outliers(author, filter, &by, &mut draft).await?;
        progress(80);
        if let Some(site) = request.subject.worksite {
            draft.figures.outline = self.outline_of(author, site).await?;
            draft.figures.silent = self.silent_stations_at(author, site).await?;
        }
        Ok(draft)
    }

    /// Returns the boundary of a worksite, if it has one.
    pub(super) async fn outline_of(
        &self,
        author: &Author,
        site: WorksiteId,
    ) -> Result<Option<Vec<Vec<[f64; 2]>>>, Error> {
        let found = self.store.read().await?.worksites(&author.scope).find(site).await?;
        let kept = found.and_then(|site| site.boundary);
        let boundary = kept.and_then(|kept| Boundary::from_stored(&kept.text, kept.area_m2));
        let rings = |boundary: Boundary| {
            let mut polygon = boundary.outline();
            serde_json::from_value(polygon["coordinates"].take()).ok()
        };
        Ok(boundary.and_then(rings))
    }
}

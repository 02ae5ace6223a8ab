//! The figures of a list of incursions.

use domain::IncursionDetails;
use domain::insights::{Dimension, Measure};

use super::asking::{NamedQuestion, all, keep_groups_of, most, stored_period};
use super::{Draft, IncursionFigure};
use crate::accounts::authors::Author;
use crate::insights::incursion_pages::site_offset_s;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_incursions(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let filter = &request.filter;
        let before = self.filter_before(author, filter).await?;
        let question = |name, filter, machines| NamedQuestion {
            name,
            filter,
            measures: Measure::ALL.to_vec(),
            groupings: vec![
                ("total", all([])),
                ("by_project", all([Dimension::Project])),
                ("by_zone", all([Dimension::Zone])),
                ("by_machine", machines),
                ("by_day", all([Dimension::Day])),
            ],
        };
        let asked = [
            question("main", filter, most([Dimension::Machine], 26)),
            question("previous", &before, all([Dimension::Machine])),
        ];
        let mut answers = self.ask_questions(author.query_scope(), &asked).await?;
        keep_groups_of(&mut answers, ("main", "previous"), "by_machine");
        progress(20);
        let seq = answers.first().map_or(0, |answer| answer.seq);
        let mut draft = Draft::default();
        let rows = &mut draft.figures.incursions;
        self.each_incursion(&author.scope, filter, seq, &mut |details| rows.push(incursion_figure(details)))
            .await?;
        draft.figures.answers = answers;
        draft.figures.previous = stored_period(&before);
        Ok(draft)
    }
}

fn incursion_figure(details: &IncursionDetails) -> IncursionFigure {
    let row = &details.stored.row;
    let links = &row.attribution;
    IncursionFigure {
        id: details.stored.id.0,
        seq: row.seq,
        started_at: row.started_at,
        ended_at: row.ended_at,
        closed: row.closed_at.is_some() && row.ended_at.is_none(),
        local_day: links.local_day,
        acknowledged_at: row.acknowledged_at,
        zone: row.zone.as_str().to_owned(),
        closest_cm: row.closest_cm,
        lat_e7: row.position.map(|place| place.lat_e7),
        lon_e7: row.position.map(|place| place.lon_e7),
        machine: links.machine.map(|id| id.0),
        base_station: row.base_station.0,
        tag: row.tag.0,
        pedestrian: links.pedestrian.map(|id| id.0),
        operator: links.operator.map(|id| id.0),
        worksite: links.worksite.map(|id| id.0),
        project: links.project.map(|id| id.0),
        review: row.review.as_str().to_owned(),
        offset_s: site_offset_s(row),
    }
}

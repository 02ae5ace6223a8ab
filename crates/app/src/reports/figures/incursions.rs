//! The figures of a list of incursions.

use domain::IncursionDetails;
use domain::insights::{Dimension, Grouping, IncursionFilter, Measure};

use super::asking::{NamedQuestion, all, keep_groups_of, most, ranked, stored_period};
use super::time_zones::has_days_of_facts;
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
        let (filter, scope) = (&request.filter, author.query_scope());
        let mut draft = Draft::default();
        let main = question("main", filter, most([Dimension::Machine], 26));
        draft.figures.answers = self.ask_questions(scope, &[main]).await?;
        let before = self.filter_before_main(author, filter, &mut draft).await?;
        let previous = question("previous", &before, all([Dimension::Machine]));
        draft.figures.answers.extend(self.ask_questions(scope, &[previous]).await?);
        self.keep_time_zones_of_main(author, filter, &mut draft).await?;
        keep_groups_of(&mut draft.figures.answers, ("main", "previous"), "by_machine");
        draft.figures.previous = stored_period(&before);
        progress(20);
        let seq = draft.figures.answers.first().map_or(0, |answer| answer.seq);
        let rows = &mut draft.figures.incursions;
        self.each_incursion(&author.scope, filter, seq, &mut |details| rows.push(incursion_figure(details)))
            .await?;
        Ok(draft)
    }
}

fn question<'a>(name: &'static str, filter: &'a IncursionFilter, machines: Grouping) -> NamedQuestion<'a> {
    let mut groupings = vec![
        ("total", all([])),
        ("by_project", all([Dimension::Project])),
        ("by_zone", all([Dimension::Zone])),
        ("by_machine", machines),
        ("by_day", all([Dimension::Day])),
    ];
    if has_days_of_facts(filter) {
        groupings.push(("by_worksite", ranked([Dimension::Worksite])));
    }
    NamedQuestion { name, filter, measures: Measure::ALL.to_vec(), groupings }
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

//! The figures of a report about a person: on foot and driving, side by side.

use domain::PersonId;
use domain::insights::{Dimension, IncursionFilter, Measure};

use super::Draft;
use super::asking::{Asked, COUNTS, all, most, stored_period};
use super::tag_tests::SelectedTags;
use crate::accounts::authors::Author;
use crate::insights::OutlierBy;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

impl App {
    pub(super) async fn collect_person(
        &self,
        author: &Author,
        request: &ReportRequest,
        progress: &(dyn Fn(i64) + Send + Sync),
    ) -> Result<Draft, Error> {
        let person =
            request.subject.person.ok_or_else(|| Error::internal("a report about a person has no person"))?;
        let (on_foot, driving) = (on_foot(&request.filter, person), driving(&request.filter, person));
        let everyone = anyone(&request.filter);
        let before = self.filter_before(author, &everyone).await?;
        let (foot_before, drive_before) = (
            IncursionFilter { period: before.period, ..on_foot.clone() },
            IncursionFilter { period: before.period, ..driving.clone() },
        );
        let machines = ("by_machine", Dimension::Machine);
        let people = ("by_pedestrian", Dimension::Pedestrian);
        let asked = [
            role_question("foot", &on_foot, machines),
            pattern("foot_pattern", &on_foot),
            totals("foot_previous", &foot_before),
            role_question("drive", &driving, people),
            pattern("drive_pattern", &driving),
            totals("drive_previous", &drive_before),
        ];
        // Others in the same role went into the comparison.
        let mut draft = Draft { uses_whole_scope: true, ..Draft::default() };
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        draft.figures.previous = stored_period(&before);
        progress(40);
        self.add_comparison(author, &everyone, (OutlierBy::Pedestrian, person.0), &mut draft).await?;
        self.add_comparison(author, &everyone, (OutlierBy::Operator, person.0), &mut draft).await?;
        progress(70);
        let rules = self.test_rules(&author.scope, &on_foot).await?;
        let tags = self.tags_of_wearers(&author.scope, &rules, &[person]).await?;
        let selected = SelectedTags { tags, wearers: vec![person] };
        self.add_tested_tags(&author.scope, &on_foot, &rules, &selected, &mut draft).await?;
        Ok(draft)
    }
}

/// Returns the filter without its person, to find those that they are compared with.
fn anyone(filter: &IncursionFilter) -> IncursionFilter {
    IncursionFilter {
        people: Vec::new(),
        pedestrians: Vec::new(),
        operators: Vec::new(),
        tags: Vec::new(),
        ..filter.clone()
    }
}

fn on_foot(filter: &IncursionFilter, person: PersonId) -> IncursionFilter {
    IncursionFilter { people: Vec::new(), pedestrians: vec![person], ..filter.clone() }
}

fn driving(filter: &IncursionFilter, person: PersonId) -> IncursionFilter {
    IncursionFilter { people: Vec::new(), operators: vec![person], ..filter.clone() }
}

/// Returns the question about a role, with those who were met in it.
fn role_question<'a>(
    name: &'static str,
    filter: &'a IncursionFilter,
    (met, dimension): (&'static str, Dimension),
) -> Asked<'a> {
    Asked {
        name,
        filter,
        measures: Measure::ALL.to_vec(),
        groupings: vec![
            ("total", all([])),
            ("by_day", all([Dimension::Day])),
            (met, most([dimension], 26)),
            ("by_worksite", most([Dimension::Worksite], 26)),
            ("by_zone", all([Dimension::Zone])),
            ("by_project", all([Dimension::Project])),
        ],
    }
}

fn pattern<'a>(name: &'static str, filter: &'a IncursionFilter) -> Asked<'a> {
    let hours = all([Dimension::DayOfWeek, Dimension::HourOfDay]);
    let groupings = vec![("by_hour", hours), ("by_duration", all([Dimension::Duration]))];
    Asked { name, filter, measures: COUNTS.to_vec(), groupings }
}

fn totals<'a>(name: &'static str, filter: &'a IncursionFilter) -> Asked<'a> {
    let groupings = vec![("total", all([])), ("by_project", all([Dimension::Project]))];
    Asked { name, filter, measures: Measure::ALL.to_vec(), groupings }
}

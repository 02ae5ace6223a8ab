//! The figures of a report about a person: on foot and driving, side by side.

use domain::PersonId;
use domain::insights::{Dimension, IncursionFilter, Measure};

use super::Draft;
use super::asking::{COUNTS, NamedQuestion, all, most, stored_period};
use super::tag_tests::SelectedTags;
use super::time_zones::AnswersByWorksite;
use crate::accounts::authors::Author;
use crate::insights::OutlierBy;
use crate::reports::request::ReportRequest;
use crate::{App, Error};

/// The answers about both roles.
const ROLES: AnswersByWorksite =
    AnswersByWorksite { now: &["foot", "drive"], before: &["foot_previous", "drive_previous"] };

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
        let machines = ("by_machine", Dimension::Machine);
        let people = ("by_pedestrian", Dimension::Pedestrian);
        let asked = [
            role_question("foot", &on_foot, machines),
            pattern("foot_pattern", &on_foot),
            role_question("drive", &driving, people),
            pattern("drive_pattern", &driving),
        ];
        // Others in the same role went into the comparison.
        let mut draft = Draft { uses_whole_scope: true, ..Draft::default() };
        draft.figures.answers = self.ask_questions(author.query_scope(), &asked).await?;
        self.keep_time_zones_of_facts(author, ROLES, &mut draft).await?;
        progress(25);
        let everyone = anyone(&request.filter);
        let before = match draft.figures.answer("drive") {
            Some(answer) => self.filter_before_result(author, &everyone, answer.result()).await?,
            None => self.filter_before(author, &everyone).await?,
        };
        let (foot_before, drive_before) = (
            IncursionFilter { period: before.period, ..on_foot.clone() },
            IncursionFilter { period: before.period, ..driving.clone() },
        );
        let asked = [totals("foot_previous", &foot_before), totals("drive_previous", &drive_before)];
        draft.figures.answers.extend(self.ask_questions(author.query_scope(), &asked).await?);
        self.keep_time_zones_of_facts(author, ROLES, &mut draft).await?;
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
pub(super) fn anyone(filter: &IncursionFilter) -> IncursionFilter {
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
) -> NamedQuestion<'a> {
    NamedQuestion {
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

fn pattern<'a>(name: &'static str, filter: &'a IncursionFilter) -> NamedQuestion<'a> {
    let hours = all([Dimension::DayOfWeek, Dimension::HourOfDay]);
    let groupings = vec![("by_hour", hours), ("by_duration", all([Dimension::Duration]))];
    NamedQuestion { name, filter, measures: COUNTS.to_vec(), groupings }
}

fn totals<'a>(name: &'static str, filter: &'a IncursionFilter) -> NamedQuestion<'a> {
    let groupings = vec![
        ("total", all([])),
        ("by_worksite", most([Dimension::Worksite], 26)),
        ("by_project", all([Dimension::Project])),
    ];
    NamedQuestion { name, filter, measures: Measure::ALL.to_vec(), groupings }
}

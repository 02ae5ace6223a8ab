//! Questions of a report, and their answers as they are stored.

use domain::insights::{Dimension, GroupOrder, Grouping, IncursionFilter, Measure, Resolution};
use domain::{Period, PeriodBound, SortedSet, Span, Timestamp, WorksiteId};

use super::answers::store_group;
use super::{StoredAnswer, StoredGrouping};
use crate::accounts::authors::Author;
use crate::insights::query::filter_for_period;
use crate::insights::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Error};

/// A question with several groupings, which have names.
pub(super) struct NamedQuestion<'a> {
    pub name: &'static str,
    pub filter: &'a IncursionFilter,
    pub measures: Vec<Measure>,
    pub groupings: NamedGroupings,
}

pub(super) type NamedGroupings = Vec<(&'static str, Grouping)>;

/// The measures of patterns: how many, and how many of them were acknowledged.
pub(super) const COUNTS: [Measure; 2] = [Measure::Incursions, Measure::AcknowledgementRate];

/// The size of the hexagons of a map: about 20 m across.
const MAP_RESOLUTION: i64 = 12;
/// Maximum number of hexagons of a map.
const MAX_HEXAGONS: usize = 2_000;

/// Returns the groups with most incursions, which must be the first measure.
pub(super) fn most(by: impl Into<Vec<Dimension>>, limit: usize) -> Grouping {
    Grouping { dimensions: by.into(), order: GroupOrder::Descending(0), limit: Some(limit) }
}

/// Returns all groups, those with most incursions first.
pub(super) fn ranked(by: impl Into<Vec<Dimension>>) -> Grouping {
    Grouping { dimensions: by.into(), order: GroupOrder::Descending(0), limit: None }
}

pub(super) fn all(by: impl Into<Vec<Dimension>>) -> Grouping {
    Grouping::by(by)
}

fn map_resolution() -> Resolution {
    Resolution::new(MAP_RESOLUTION).unwrap_or(Resolution::FINEST)
}

/// Returns the question about hours, places and durations.
pub(super) fn pattern_question<'a>(name: &'static str, filter: &'a IncursionFilter) -> NamedQuestion<'a> {
    let cell = Dimension::Cell(map_resolution());
    NamedQuestion {
        name,
        filter,
        measures: COUNTS.to_vec(),
        groupings: vec![
            ("by_hour", all([Dimension::DayOfWeek, Dimension::HourOfDay])),
            ("by_cell", most([cell], MAX_HEXAGONS)),
            ("by_duration", all([Dimension::Duration])),
        ],
    }
}

/// Returns the questions about the findings of a first page: about the period, with these groupings, and about its hours. Its hours are
/// without places, because there is no map, and without people, who are not named.
pub(super) fn first_page_questions(
    filter: &IncursionFilter,
    groupings: NamedGroupings,
) -> [NamedQuestion<'_>; 2] {
    let by_hour = all([Dimension::DayOfWeek, Dimension::HourOfDay]);
    [
        NamedQuestion { name: "main", filter, measures: Measure::ALL.to_vec(), groupings },
        NamedQuestion {
            name: "pattern",
            filter,
            measures: COUNTS.to_vec(),
            groupings: vec![("by_hour", by_hour)],
        },
    ]
}

/// Returns the question about the period before, with which findings are compared.
pub(super) fn question_before(before: &IncursionFilter, groupings: NamedGroupings) -> NamedQuestion<'_> {
    NamedQuestion { name: "previous", filter: before, measures: Measure::ALL.to_vec(), groupings }
}

impl App {
    /// Asks questions one after the other. They may know of different changes, see [`super::Draft`].
    pub(super) async fn ask_questions(
        &self,
        scope: QueryScope<'_>,
        asked: &[NamedQuestion<'_>],
    ) -> Result<Vec<StoredAnswer>, Error> {
        let mut answers = Vec::with_capacity(asked.len());
        for one in asked {
            let spec = QuerySpec {
                filter: one.filter,
                measures: one.measures.clone(),
                groupings: one.groupings.iter().map(|(_, grouping)| grouping.clone()).collect(),
            };
            let result = self.run_query_in(scope, spec).await?;
            answers.push(store_answer(one, result));
        }
        Ok(answers)
    }

    /// Returns the filter of the period before. The previous period ends at the local time of now if the period is not over, which
    /// is decided where days end last.
    pub(super) async fn filter_before(
        &self,
        author: &Author,
        filter: &IncursionFilter,
    ) -> Result<IncursionFilter, Error> {
        let spec =
            QuerySpec { filter, measures: vec![Measure::Incursions], groupings: vec![Grouping::by([])] };
        let result = self.run_query_in(author.query_scope(), spec).await?;
        self.filter_before_result(author, filter, result).await
    }

    /// The same for a result about the period, by its time zones.
    pub(super) async fn filter_before_result(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        mut result: QueryResult,
    ) -> Result<IncursionFilter, Error> {
        let furthest_behind = result.time_zones.iter().min_by_key(|zone| zone.offset_s(result.now)).cloned();
        result.time_zones = furthest_behind.into_iter().collect();
        let previous = self.previous_period(&author.scope, filter, &result).await?;
        Ok(filter_for_period(filter, previous.period))
    }

    /// Returns a filter of the worksites by whose days the usual period of a report is counted: of a machine, a person or a project, those
    /// that had facts of it. Otherwise a worksite that has nothing to do with it would shorten the period, if it is tomorrow there.
    pub(in crate::reports) async fn filter_of_days(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        now: Timestamp,
    ) -> Result<IncursionFilter, Error> {
        let Some(end) = end_of_usual_period(filter, now) else { return Ok(filter.clone()) };
        if !filter.worksites.is_empty() || !is_about_something(filter) {
            return Ok(filter.clone());
        }
        // A day more than the usual ones, which begin earlier in some time zones than in others.
        let from = end - Span::minutes((Period::DEFAULT_DAYS + 1) * 24 * 60);
        let (from, to) = (Some(PeriodBound::Instant(from)), Some(PeriodBound::Instant(end)));
        let recent = IncursionFilter { period: Some(Period { from, to }), ..filter.clone() };
        let spec = QuerySpec {
            filter: &recent,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: vec![all([Dimension::Worksite])],
        };
        let found = self.run_query_in(author.query_scope(), spec).await?.take_next_groups();
        let sites = found.groups.iter().filter_map(|group| group.keys.first().copied().flatten());
        let worksites: Vec<WorksiteId> = sites.map(WorksiteId).collect();
        Ok(IncursionFilter { worksites, ..filter.clone() })
    }
}

/// Returns whether a filter narrows facts to machines, people, devices or projects.
fn is_about_something(filter: &IncursionFilter) -> bool {
    let people = [&filter.people, &filter.pedestrians, &filter.operators];
    !filter.projects.is_empty()
        || !filter.machines.is_empty()
        || !filter.base_stations.is_empty()
        || !filter.tags.is_empty()
        || people.into_iter().any(|people| !people.is_empty())
}

/// Returns the end of a period of the usual length; none if its bounds do not depend on time zones.
fn end_of_usual_period(filter: &IncursionFilter, now: Timestamp) -> Option<Timestamp> {
    match filter.period.unwrap_or_default() {
        Period { from: None, to: None } => Some(now),
        Period { from: None, to: Some(PeriodBound::Instant(to)) } => Some(to),
        Period { from: Some(_), .. } | Period { to: Some(PeriodBound::Day(_)), .. } => None,
    }
}

/// Leaves only those groups of an earlier answer that the later one has, too: others are neither shown nor named. The earlier one must have
/// all groups, so that one that is missing had no facts.
pub(super) fn keep_groups_of(answers: &mut [StoredAnswer], (later, earlier): (&str, &str), grouping: &str) {
    let groupings = answers.iter().filter(|answer| answer.name == later).flat_map(|answer| &answer.groupings);
    let groups = groupings.filter(|found| found.name == grouping).flat_map(|found| &found.groups);
    let kept: SortedSet<Vec<Option<i64>>> = groups.map(|group| group.k.clone()).collect();
    for answer in answers.iter_mut().filter(|answer| answer.name == earlier) {
        for found in answer.groupings.iter_mut().filter(|found| found.name == grouping) {
            found.groups.retain(|group| kept.contains(&group.k));
        }
    }
}

/// Returns the bounds of the period of a filter, as they are stored.
pub(super) fn stored_period(filter: &IncursionFilter) -> Option<(String, String)> {
    let Period { from, to } = filter.period?;
    Some((from?.to_string(), to?.to_string()))
}

fn store_answer(asked: &NamedQuestion<'_>, result: QueryResult) -> StoredAnswer {
    let groupings = asked.groupings.iter().zip(result.groupings).map(|((name, grouping), found)| {
        let by = grouping.dimensions.iter().map(|dimension| dimension.as_str().to_owned());
        StoredGrouping {
            name: (*name).to_owned(),
            by: by.collect(),
            groups: found.groups.into_iter().map(store_group).collect(),
            more: found.more,
        }
    });
    StoredAnswer {
        name: asked.name.to_owned(),
        from: result.from.to_string(),
        to: result.to.to_string(),
        now: result.now,
        time_zones: result.time_zones.iter().map(ToString::to_string).collect(),
        seq: result.seq,
        latest_seq: Some(result.latest_seq).filter(|latest| *latest != result.seq),
        measures: asked.measures.iter().map(|measure| measure.as_str().to_owned()).collect(),
        groupings: groupings.collect(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{Day, MachineId, ProjectId};

    use super::super::answers::StoredGroup;
    use super::*;

    /// Returns an answer with machines that have so many incursions.
    fn by_machine(name: &str, machines: &[(Option<i64>, i64)]) -> StoredAnswer {
        let group = |(machine, count): &(Option<i64>, i64)| StoredGroup {
            k: vec![*machine],
            f: vec![(Some(*count), None, *count)],
        };
        let groups = machines.iter().map(group).collect();
        let by_machine = StoredGrouping { name: "by_machine".to_owned(), by: Vec::new(), groups, more: 0 };
        StoredAnswer {
            name: name.to_owned(),
            from: String::new(),
            to: String::new(),
            now: Timestamp::from_micros(0),
            time_zones: Vec::new(),
            seq: 1,
            latest_seq: None,
            measures: vec!["incursions".to_owned()],
            groupings: vec![by_machine],
        }
    }

    #[test]
    fn what_is_compared_has_the_same_groups() {
        let now = by_machine("main", &[(Some(7), 9), (None, 3), (Some(2), 1)]);
        let before = by_machine("previous", &[(Some(1), 50), (Some(2), 4), (Some(3), 40), (None, 2)]);
        let mut answers = [now.clone(), before];
        keep_groups_of(&mut answers, ("main", "previous"), "by_machine");
        let [main, previous] = answers;
        assert_eq!(main, now);
        // Of machine 7 there was nothing, and the others are not shown.
        assert_eq!(previous, by_machine("previous", &[(Some(2), 4), (None, 2)]));
    }

    #[test]
    fn the_days_of_a_period_without_a_start_depend_on_its_end() {
        let now = Timestamp::from_micros(7_000_000);
        let end = |from, to| {
            let filter = IncursionFilter { period: Some(Period { from, to }), ..IncursionFilter::default() };
            end_of_usual_period(&filter, now)
        };
        let (day, noon) = (PeriodBound::Day(Day::from_number(3)), Timestamp::from_micros(5));
        assert_eq!(end(None, None), Some(now));
        assert_eq!(end(None, Some(PeriodBound::Instant(noon))), Some(noon));
        assert_eq!((end(None, Some(day)), end(Some(day), None)), (None, None));
        assert_eq!(end_of_usual_period(&IncursionFilter::default(), now), Some(now));
    }

    #[test]
    fn machines_people_and_projects_are_something() {
        let everything = IncursionFilter::default();
        assert!(!is_about_something(&everything));
        assert!(is_about_something(&IncursionFilter { machines: vec![MachineId(1)], ..everything.clone() }));
        assert!(is_about_something(&IncursionFilter { projects: vec![ProjectId(1)], ..everything }));
    }
}

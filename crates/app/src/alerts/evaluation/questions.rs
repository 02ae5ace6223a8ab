//! Asks the planned questions, and finds what rules read in the answers.

use domain::insights::{Grouping, Groups, IncursionFilter, Measure, Question};
use domain::{
    BaseStationId, MachineId, PeriodBound, PersonId, ProjectId, Review, Span, TagId, TimeWindow, Timestamp,
    WorksiteId,
};
use store::{Projects, Scope};

use super::plan::{GroupingPlace, Narrowing, PlannedQuestion, window_end};
use crate::insights::answered::Answered;
use crate::insights::columns::Asker;
use crate::{App, Error};

/// The places of the measures in a question.
pub(super) const INCURSIONS: usize = 0;
pub(super) const ACKNOWLEDGED: usize = 1;
pub(super) const PER_RUNTIME: usize = 2;
/// Questions about durations do not ask for runtime.
pub(super) const LONGEST: usize = 2;

/// The answers to the questions of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// By question and grouping; none if there are too many groups.
    groupings: Vec<Vec<Option<Groups>>>,
    /// The last change of a fact that all of them include; none if nothing was asked.
    pub seq: Option<i64>,
    pub asked: u64,
}

impl Answers {
    /// Returns the groups of a grouping, or none if there are too many.
    pub fn groups(&self, place: GroupingPlace) -> Option<&Groups> {
        self.groupings.get(place.question)?.get(place.grouping)?.as_ref()
    }
}

/// Returns the end of a period that includes an instant: a fact that begins now is judged now.
pub(super) fn up_to(at: Timestamp) -> PeriodBound {
    PeriodBound::Instant(at + Span::from_micros(1))
}

/// Returns the end of the period in which facts count now. It includes those of devices whose clocks are ahead: what has been received has
/// happened, and nobody would look again when its own time comes. What waits before it is judged waits from its own time on.
pub(super) fn counts_until(now: Timestamp, lag_s: i64) -> PeriodBound {
    up_to(match lag_s {
        0 => TimeWindow::for_devices(now).to,
        _ => now - Span::seconds(lag_s),
    })
}

impl App {
    /// Asks questions about all facts of a brand. A grouping that has too many groups has no answer, and the others do.
    pub(super) async fn ask_planned_questions(
        &self,
        scope: &Scope,
        questions: &[PlannedQuestion],
        now: Timestamp,
    ) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        for planned in questions {
            let question = build_question(planned, now);
            let (groups, seq) = self.ask_question(scope, &question, &mut answers.asked).await?;
            answers.groupings.push(groups);
            answers.seq = Some(answers.seq.map_or(seq, |known| known.min(seq)));
        }
        Ok(answers)
    }

    /// Asks one question, and if it has too many groups, each of its groupings alone.
    pub(super) async fn ask_question(
        &self,
        scope: &Scope,
        question: &Question,
        asked: &mut u64,
    ) -> Result<(Vec<Option<Groups>>, i64), Error> {
        *asked += 1;
        match self.answer_question(scope, question, Asker::Alerts).await {
            Ok(Answered { answer, seq, .. }) => {
                return Ok((answer.groupings.into_iter().map(Some).collect(), seq));
            }
            Err(error) if error.code != TOO_MANY_GROUPS => return Err(error),
            Err(_) => {}
        }
        let mut last_seq = self.store.read().await?.counters(scope).await?.last_seq;
        let mut groups = Vec::new();
        for grouping in &question.groupings {
            *asked += 1;
            let alone = Question { groupings: vec![grouping.clone()], ..question.clone() };
            groups.push(match self.answer_question(scope, &alone, Asker::Alerts).await {
                Ok(Answered { answer, seq, .. }) => {
                    last_seq = last_seq.min(seq);
                    answer.groupings.into_iter().next()
                }
                Err(error) if error.code == TOO_MANY_GROUPS => None,
                Err(error) => return Err(error),
            });
        }
        Ok((groups, last_seq))
    }
}

const TOO_MANY_GROUPS: &str = "too_many_groups";

fn build_question(planned: &PlannedQuestion, now: Timestamp) -> Question {
    let to = window_end(now, planned.key.lag_s);
    let from = PeriodBound::Instant(planned.key.start.before(to));
    let mut measures = vec![Measure::Incursions, Measure::Acknowledged];
    if planned.key.asks_duration {
        measures.push(Measure::LongestDuration);
    } else if planned.needs_runtime {
        measures.push(Measure::IncursionsPerRuntimeHour);
    }
    let narrowing = planned.narrowing.as_ref();
    Question {
        from: Some(from),
        to: Some(counts_until(now, planned.key.lag_s)),
        filter: narrowing.map_or_else(counted, filter_of),
        // Each rule has projects of its own, which are applied to the groups.
        visible_projects: match narrowing.map(|narrowing| &narrowing.projects) {
            Some(Projects::Only(projects)) => Some(projects.clone()),
            Some(Projects::All) | None => None,
        },
        measures,
        groupings: planned.groupings.iter().map(|by| Grouping::by(by.clone())).collect(),
    }
}

/// Returns the filter of the incursions that count.
fn counted() -> IncursionFilter {
    IncursionFilter { reviews: Review::COUNTED.to_vec(), ..IncursionFilter::default() }
}

/// Returns the filter of the incursions that count for a scope.
fn filter_of(narrowing: &Narrowing) -> IncursionFilter {
    let scope = &narrowing.scope;
    IncursionFilter {
        projects: scope.project_ids.iter().copied().map(ProjectId).collect(),
        worksites: scope.worksite_ids.iter().copied().map(WorksiteId).collect(),
        machines: scope.machine_ids.iter().copied().map(MachineId).collect(),
        base_stations: scope.base_station_ids.iter().copied().map(BaseStationId).collect(),
        people: scope.person_ids.iter().copied().map(PersonId).collect(),
        tags: scope.tag_ids.iter().copied().map(TagId).collect(),
        zones: scope.zones(),
        ..counted()
    }
}

#[cfg(test)]
mod tests {
    use domain::AlertScope;
    use domain::insights::Dimension;

    use super::super::plan::{QuestionKey, WindowStart};
    use super::*;

    fn planned(start: WindowStart, lag_s: i64) -> PlannedQuestion {
        PlannedQuestion {
            key: QuestionKey { start, asks_duration: false, lag_s },
            narrowing: None,
            needs_runtime: false,
            groupings: vec![vec![Dimension::Project]],
        }
    }

    #[test]
    fn a_fact_that_begins_now_is_in_the_window() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        let question = build_question(&planned(WindowStart::Rolling { minutes: 60 }, 0), now);
        let hour_ago = Timestamp::parse("2026-03-01T11:00:00Z").unwrap();
        assert_eq!(question.from, Some(PeriodBound::Instant(hour_ago)));
        // So is one of a device whose clock is ahead.
        let end = |minutes| Some(PeriodBound::Instant(now + Span::minutes(minutes) + Span::from_micros(1)));
        assert_eq!(question.to, end(5));
        let question = build_question(&planned(WindowStart::Rolling { minutes: 60 }, 120), now);
        assert_eq!(question.from, Some(PeriodBound::Instant(hour_ago - Span::minutes(2))));
        assert_eq!(question.to, end(-2));
        // A day begins when it began, whatever is judged later.
        let question = build_question(&planned(WindowStart::At(hour_ago), 120), now);
        assert_eq!((question.from, question.to), (Some(PeriodBound::Instant(hour_ago)), end(-2)));
    }

    #[test]
    fn a_narrowed_question_is_about_the_scope() {
        let now = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        let scope =
            AlertScope { machine_ids: vec![7], zones: vec!["danger".to_owned()], ..AlertScope::default() };
        let narrowing = Some(Narrowing { scope, projects: Projects::Only(vec![ProjectId(2)]) });
        let planned = PlannedQuestion { narrowing, ..planned(WindowStart::Rolling { minutes: 60 }, 0) };
        let question = build_question(&planned, now);
        assert_eq!((question.filter.machines, question.filter.zones.len()), (vec![MachineId(7)], 1));
        assert_eq!(question.visible_projects, Some(vec![ProjectId(2)]));
        assert_eq!(question.filter.reviews, Review::COUNTED);
    }
}

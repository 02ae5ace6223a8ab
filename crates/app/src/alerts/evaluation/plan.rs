//! Sorts rules into few questions: one for each window, with one grouping for each set of dimensions that its rules need.

use std::collections::BTreeSet;

use domain::insights::Dimension;
use domain::{AlertMetric, AlertScope, AlertTerms, AlertWindow};
use store::Projects;

/// What makes rules share a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuestionKey {
    pub window: AlertWindow,
    /// Whether the longest duration is asked for, which costs more than counting.
    pub asks_duration: bool,
    /// Seconds by which the window ends before now.
    pub lag_s: i64,
}

/// What a question leaves out, if it is only for rules with this scope and these projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Narrowing {
    pub scope: AlertScope,
    pub projects: Projects,
}

/// A question for all rules that share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlannedQuestion {
    pub key: QuestionKey,
    /// None for a question about all facts of the brand.
    pub narrowing: Option<Narrowing>,
    pub needs_runtime: bool,
    /// The dimensions of each grouping.
    pub groupings: Vec<Vec<Dimension>>,
}

/// The grouping of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupingPlace {
    pub question: usize,
    pub grouping: usize,
}

/// Where the numbers of a rule stand in the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RulePlaces {
    pub counts: GroupingPlace,
    /// Runtime, if it cannot be grouped like the counts.
    pub runtime: Option<GroupingPlace>,
}

/// The questions of an evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct QuestionPlan {
    pub questions: Vec<PlannedQuestion>,
}

impl QuestionPlan {
    /// Adds what a rule asks the columns, of all facts or of those that are left by a narrowing.
    pub fn add(&mut self, terms: &AlertTerms, narrowing: Option<&Narrowing>) -> RulePlaces {
        let key = QuestionKey {
            window: window_of(terms),
            asks_duration: terms.metric == AlertMetric::LongIncursion,
            lag_s: terms.metric.lag_s(),
        };
        let needs_runtime = terms.metric.needs_runtime();
        let counts = self.place((key, narrowing), needs_runtime, dimensions(terms));
        let has_zones = !terms.scope.zones.is_empty();
        let runtime = (needs_runtime && has_zones).then(|| {
            let scope = AlertScope { zones: Vec::new(), ..terms.scope.clone() };
            self.place((key, narrowing), true, dimensions(&AlertTerms { scope, ..terms.clone() }))
        });
        RulePlaces { counts, runtime }
    }

    fn place(
        &mut self,
        (key, narrowing): (QuestionKey, Option<&Narrowing>),
        needs_runtime: bool,
        dimensions: Vec<Dimension>,
    ) -> GroupingPlace {
        let is_same =
            |question: &PlannedQuestion| question.key == key && question.narrowing.as_ref() == narrowing;
        let question = self.questions.iter().position(is_same).unwrap_or_else(|| {
            let narrowing = narrowing.cloned();
            self.questions.push(PlannedQuestion {
                key,
                narrowing,
                needs_runtime: false,
                groupings: Vec::new(),
            });
            self.questions.len() - 1
        });
        let asked = &mut self.questions[question];
        asked.needs_runtime |= needs_runtime;
        let grouping =
            asked.groupings.iter().position(|grouping| *grouping == dimensions).unwrap_or_else(|| {
                asked.groupings.push(dimensions);
                asked.groupings.len() - 1
            });
        GroupingPlace { question, grouping }
    }
}

/// Returns the window of a rule. Rules that are measured from columns have one.
pub(super) fn window_of(terms: &AlertTerms) -> AlertWindow {
    let usual = AlertWindow::Rolling { minutes: 60 };
    terms.window.or(terms.metric.default_window()).unwrap_or(usual)
}

/// Returns the least duration in whole milliseconds that is at least a threshold in seconds.
pub(super) fn least_ms(terms: &AlertTerms) -> i64 {
    /// Millionths of a second in a millisecond.
    const MILLIONTHS: i64 = 1_000;
    terms.threshold.millionths().saturating_add(MILLIONTHS - 1) / MILLIONTHS
}

/// Returns the dimensions by which the facts of a rule are grouped: those of its split, those that decide whether a fact is in its scope, and
/// those that decide whether a fact is in its window.
fn dimensions(terms: &AlertTerms) -> Vec<Dimension> {
    let scope = &terms.scope;
    let mut dimensions = BTreeSet::from([Dimension::Project]);
    dimensions.extend(terms.split_by.dimensions());
    for (is_needed, by) in [
        (!scope.worksite_ids.is_empty(), &[Dimension::Worksite][..]),
        (!scope.machine_ids.is_empty(), &[Dimension::Machine][..]),
        (!scope.base_station_ids.is_empty(), &[Dimension::BaseStation][..]),
        (!scope.person_ids.is_empty(), &[Dimension::Pedestrian, Dimension::Operator][..]),
        (!scope.tag_ids.is_empty(), &[Dimension::Tag][..]),
        (!scope.zones.is_empty(), &[Dimension::Zone][..]),
        (matches!(window_of(terms), AlertWindow::Calendar(_)), &[Dimension::Worksite, Dimension::Day][..]),
    ] {
        if is_needed {
            dimensions.extend(by);
        }
    }
    dimensions.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use domain::{AlertComparison, AlertLevel, AlertSplit, CalendarUnit};

    use super::*;

    fn terms(metric: AlertMetric, minutes: i64, split_by: AlertSplit) -> AlertTerms {
        AlertTerms {
            metric,
            comparison: AlertComparison::Above,
            threshold: AlertLevel::whole(3),
            window: Some(AlertWindow::Rolling { minutes }),
            minimum_count: None,
            scope: AlertScope::default(),
            split_by,
        }
    }

    #[test]
    fn a_thousand_rules_with_five_windows_are_five_questions() {
        let mut plan = QuestionPlan::default();
        let splits = [AlertSplit::None, AlertSplit::Machine, AlertSplit::Worksite, AlertSplit::Person];
        for number in 0..1_000_usize {
            let minutes = [15, 60, 240, 1_440, 10_080][number % 5];
            let mut terms = terms(AlertMetric::Incursions, minutes, splits[number % 4]);
            if number % 3 == 0 {
                terms.scope.machine_ids = vec![number as i64];
            }
            plan.add(&terms, None);
        }
        assert_eq!(plan.questions.len(), 5);
        for question in &plan.questions {
            assert!(question.groupings.len() <= 7, "{:?}", question.groupings);
            assert!(question.groupings.iter().all(|by| by.contains(&Dimension::Project)));
        }
    }

    #[test]
    fn what_is_known_later_is_asked_separately() {
        let mut plan = QuestionPlan::default();
        plan.add(&terms(AlertMetric::Incursions, 60, AlertSplit::None), None);
        plan.add(&terms(AlertMetric::UnacknowledgedIncursions, 60, AlertSplit::None), None);
        let lags: Vec<i64> = plan.questions.iter().map(|question| question.key.lag_s).collect();
        assert_eq!(lags, [0, 120]);
    }

    #[test]
    fn zones_narrow_incursions_but_not_runtime() {
        let mut plan = QuestionPlan::default();
        let mut rate = terms(AlertMetric::IncursionsPerRuntimeHour, 60, AlertSplit::Machine);
        rate.scope.zones = vec!["danger".to_owned()];
        let places = plan.add(&rate, None);
        assert_eq!(plan.questions.len(), 1);
        assert!(plan.questions[0].needs_runtime);
        let by = |place: GroupingPlace| &plan.questions[place.question].groupings[place.grouping];
        assert_eq!(by(places.counts), &[Dimension::Project, Dimension::Machine, Dimension::Zone]);
        assert_eq!(by(places.runtime.unwrap()), &[Dimension::Project, Dimension::Machine]);
    }

    #[test]
    fn calendar_windows_are_cut_by_the_day_of_each_site() {
        let mut plan = QuestionPlan::default();
        let mut daily = terms(AlertMetric::Incursions, 60, AlertSplit::None);
        daily.window = Some(AlertWindow::Calendar(CalendarUnit::Day));
        plan.add(&daily, None);
        assert_eq!(plan.questions[0].groupings, [[Dimension::Project, Dimension::Worksite, Dimension::Day]]);
    }

    #[test]
    fn long_incursions_share_a_question_whatever_their_thresholds() {
        let mut plan = QuestionPlan::default();
        plan.add(&terms(AlertMetric::Incursions, 60, AlertSplit::None), None);
        for seconds in 1..=200 {
            let mut long = terms(AlertMetric::LongIncursion, 60, AlertSplit::Machine);
            long.threshold = AlertLevel::whole(seconds);
            plan.add(&long, None);
        }
        let asked: Vec<bool> = plan.questions.iter().map(|question| question.key.asks_duration).collect();
        assert_eq!(asked, [false, true]);
        assert_eq!(plan.questions[1].groupings.len(), 1);
    }

    #[test]
    fn narrowed_questions_are_shared_by_rules_with_the_same_scope() {
        let mut plan = QuestionPlan::default();
        let mut of_machine = terms(AlertMetric::Incursions, 60, AlertSplit::Tag);
        of_machine.scope.machine_ids = vec![7];
        let narrowed = |projects| Narrowing { scope: of_machine.scope.clone(), projects };
        let (all, none) = (narrowed(Projects::All), narrowed(Projects::Only(Vec::new())));
        for narrowing in [None, Some(&all), Some(&all), Some(&none)] {
            plan.add(&of_machine, narrowing);
        }
        assert_eq!(plan.questions.len(), 3);
    }

    #[test]
    fn durations_are_rounded_up_to_what_is_at_least_the_threshold() {
        let of = |millionths| {
            let mut long = terms(AlertMetric::LongIncursion, 60, AlertSplit::None);
            long.threshold = AlertLevel::from_millionths(millionths);
            least_ms(&long)
        };
        assert_eq!((of(1_000_000), of(1_000_001), of(1_500)), (1_000, 1_001, 2));
        assert_eq!(of(86_400_000_000), 86_400_000);
    }
}

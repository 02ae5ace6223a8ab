//! Sorts rules into few questions: one for each window, with one grouping for each set of dimensions that its rules need.

use domain::insights::Dimension;
use domain::{AlertMetric, AlertScope, AlertTerms, AlertWindow, SortedSet, Span, TimeZone, Timestamp};
use store::Projects;

/// Where a window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowStart {
    /// As many minutes before its end.
    Rolling { minutes: i64 },
    /// With a day or week by some clock.
    At(Timestamp),
}

impl WindowStart {
    /// Returns where the window of a rule begins now, by a clock.
    pub fn of(terms: &AlertTerms, zone: &TimeZone, now: Timestamp) -> Self {
        match window_of(terms) {
            AlertWindow::Rolling { minutes } => Self::Rolling { minutes },
            window @ AlertWindow::Calendar(_) => {
                Self::At(window.start(window_end(now, terms.metric.lag_s()), zone))
            }
        }
    }

    /// Returns the beginning of a window that ends at `to`.
    pub fn before(self, to: Timestamp) -> Timestamp {
        match self {
            Self::Rolling { minutes } => to - Span::minutes(minutes),
            Self::At(from) => from,
        }
    }
}

/// Returns the end of the windows of a metric that is judged with a lag.
pub(super) fn window_end(now: Timestamp, lag_s: i64) -> Timestamp {
    now - Span::seconds(lag_s)
}

/// What makes rules share a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuestionKey {
    pub start: WindowStart,
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
    /// Adds what a rule asks the columns about a window that begins there, of all facts or of those that are left by a narrowing.
    pub fn add(
        &mut self,
        terms: &AlertTerms,
        start: WindowStart,
        narrowing: Option<&Narrowing>,
    ) -> RulePlaces {
        let key = QuestionKey {
            start,
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

    /// Returns how many groupings the answers have.
    pub fn groupings(&self) -> usize {
        self.questions.iter().map(|question| question.groupings.len()).sum()
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

/// Returns the dimensions by which the facts of a rule are grouped: those of its split, and those that decide whether a fact is in its scope.
pub(super) fn dimensions(terms: &AlertTerms) -> Vec<Dimension> {
    let scope = &terms.scope;
    let mut dimensions = vec![Dimension::Project];
    dimensions.extend(terms.split_by.dimensions());
    for (is_needed, by) in [
        (!scope.worksite_ids.is_empty(), &[Dimension::Worksite][..]),
        (!scope.machine_ids.is_empty(), &[Dimension::Machine][..]),
        (!scope.base_station_ids.is_empty(), &[Dimension::BaseStation][..]),
        (!scope.person_ids.is_empty(), &[Dimension::Pedestrian, Dimension::Operator][..]),
        (!scope.tag_ids.is_empty(), &[Dimension::Tag][..]),
        (!scope.zones.is_empty(), &[Dimension::Zone][..]),
    ] {
        if is_needed {
            dimensions.extend(by);
        }
    }
    dimensions.into_iter().collect::<SortedSet<_>>().into()
}

#[cfg(test)]
mod tests {
    use domain::{AlertComparison, AlertLevel, AlertSplit, CalendarUnit};

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_770_000_000);

    /// Adds what a rule asks by the clock of UTC.
    fn add(plan: &mut QuestionPlan, terms: &AlertTerms, narrowing: Option<&Narrowing>) -> RulePlaces {
        plan.add(terms, WindowStart::of(terms, &TimeZone::utc(), NOW), narrowing)
    }

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
            add(&mut plan, &terms, None);
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
        add(&mut plan, &terms(AlertMetric::Incursions, 60, AlertSplit::None), None);
        add(&mut plan, &terms(AlertMetric::UnacknowledgedIncursions, 60, AlertSplit::None), None);
        let lags: Vec<i64> = plan.questions.iter().map(|question| question.key.lag_s).collect();
        assert_eq!(lags, [0, 120]);
    }

    #[test]
    fn zones_narrow_incursions_but_not_runtime() {
        let mut plan = QuestionPlan::default();
        let mut rate = terms(AlertMetric::IncursionsPerRuntimeHour, 60, AlertSplit::Machine);
        rate.scope.zones = vec!["danger".to_owned()];
        let places = add(&mut plan, &rate, None);
        assert_eq!(plan.questions.len(), 1);
        assert!(plan.questions[0].needs_runtime);
        let by = |place: GroupingPlace| &plan.questions[place.question].groupings[place.grouping];
        assert_eq!(by(places.counts), &[Dimension::Project, Dimension::Machine, Dimension::Zone]);
        assert_eq!(by(places.runtime.unwrap()), &[Dimension::Project, Dimension::Machine]);
    }

    #[test]
    fn days_by_different_clocks_are_asked_separately() {
        let mut plan = QuestionPlan::default();
        let mut daily = terms(AlertMetric::Incursions, 60, AlertSplit::None);
        daily.window = Some(AlertWindow::Calendar(CalendarUnit::Day));
        for name in ["Europe/Berlin", "America/New_York", "Europe/Paris"] {
            let start = WindowStart::of(&daily, &TimeZone::parse(name).unwrap(), NOW);
            plan.add(&daily, start, None);
        }
        assert_eq!(plan.questions.len(), 2);
        assert_eq!(plan.questions[0].groupings, [[Dimension::Project]]);
    }

    #[test]
    fn long_incursions_share_a_question_whatever_their_thresholds() {
        let mut plan = QuestionPlan::default();
        add(&mut plan, &terms(AlertMetric::Incursions, 60, AlertSplit::None), None);
        for seconds in 1..=200 {
            let mut long = terms(AlertMetric::LongIncursion, 60, AlertSplit::Machine);
            long.threshold = AlertLevel::whole(seconds);
            add(&mut plan, &long, None);
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
            add(&mut plan, &of_machine, narrowing);
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

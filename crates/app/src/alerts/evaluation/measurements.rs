//! Measures rules, whatever their values come from.

use domain::{
    AlertMetric, AlertTerms, AlertWindow, BrandId, MetricSource, ScopeList, TimeZone, Timestamp, sorted,
};
use store::{Projects, Scope};
use tokio::task::yield_now;

use super::device_metrics::measure_rows;
use super::judging::Judge;
use super::measure::{TOO_MANY, measure, not_measured};
use super::plan::{Narrowing, QuestionPlan, RulePlaces, WindowStart, dimensions, window_of};
use super::split_clocks::SplitClocks;
use super::transitions::window_and_clock;
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::{App, Error};

/// Questions for certain rules only that an evaluation asks, so that a brand with too many groups does not wait for others.
const MAX_NARROWED: u64 = 100;
/// With so many groupings, of which each has up to as many groups as a question may have, answers are not held for another question.
const ENOUGH_GROUPINGS: usize = 8;
/// With so many, not even for another grouping of the same question.
const MAX_GROUPINGS: usize = 24;

/// A split as it is measured now.
#[derive(Clone, Debug)]
pub(crate) struct SampledSplit {
    pub measured: Measured,
    /// Without a beginning for metrics without a window.
    pub window: (Option<Timestamp>, Timestamp),
    /// The clock of its firing, as `SiteClocks::of` returns it.
    pub zone: TimeZone,
}

/// Where the numbers of a rule stand, for each window that its splits have.
type PlacesOfWindows = Vec<(WindowStart, RulePlaces)>;

/// Keeps the values of a single rule.
impl Judge for Vec<Measured> {
    fn judge(&mut self, _rule: usize, measured: Vec<Measured>) {
        *self = measured;
    }
}

/// What rules were measured from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeasuredFrom {
    /// The last change of a fact that all of it includes; none if no facts were asked for.
    pub seq: Option<i64>,
    pub asked: u64,
}

impl MeasuredFrom {
    fn add(&mut self, seq: Option<i64>, asked: u64) {
        self.seq = self.seq.into_iter().chain(seq).min();
        self.asked += asked;
    }
}

/// Rules that are measured from the same answers.
#[derive(Debug, Default)]
struct Batch {
    plan: QuestionPlan,
    rules: Vec<(usize, PlacesOfWindows)>,
}

/// Divides rules, given by their places, so that the answers for each batch have few groupings. Rules that share one are together; those
/// that are narrowed share it with those of the same scope and projects.
fn batches_of(
    (rules, asked): (&[LoadedRule], &[usize]),
    is_narrowed: bool,
    (clocks, now): (&SiteClocks, Timestamp),
) -> Vec<Batch> {
    let question_of = |terms: &AlertTerms| {
        (window_of(terms), terms.metric.lag_s(), terms.metric == AlertMetric::LongIncursion)
    };
    // By the first rule that asks about the same.
    let narrowing_of = |index: usize| {
        let (scope, projects) = (&rules[index].rule.terms.scope, &rules[index].projects);
        let is_same = |other: &&usize| {
            rules[**other].rule.terms.scope == *scope && rules[**other].projects == *projects
        };
        if is_narrowed { asked.iter().find(is_same) } else { None }
    };
    let grouping_of = |index: usize| {
        let terms = &rules[index].rule.terms;
        ((question_of(terms), narrowing_of(index)), dimensions(terms))
    };
    let mut with_groupings: Vec<_> = asked.iter().map(|index| (grouping_of(*index), *index)).collect();
    sorted::sort_by(&mut with_groupings, |(one, _), (other, _)| one.cmp(other));
    let mut batches: Vec<Batch> = Vec::new();
    let mut last = None;
    for (wanted, index) in with_groupings {
        let rule = &rules[index];
        let scope = || rule.rule.terms.scope.clone();
        let narrowing = is_narrowed.then(|| Narrowing { scope: scope(), projects: rule.projects.clone() });
        let most = match last.replace(wanted.clone()) {
            Some(last) if last == wanted => usize::MAX,
            Some((question, _)) if question == wanted.0 => MAX_GROUPINGS,
            _ => ENOUGH_GROUPINGS,
        };
        let mut batch = match batches.pop() {
            Some(full) if full.plan.groupings() >= most => {
                batches.push(full);
                Batch::default()
            }
            known => known.unwrap_or_default(),
        };
        let mut place = |start| (start, batch.plan.add(&rule.rule.terms, start, narrowing.as_ref()));
        let places = starts_of(rule, clocks, now).into_iter().map(&mut place).collect();
        batch.rules.push((index, places));
        batches.push(batch);
    }
    batches
}

impl App {
    /// Measures rules, given by their places, with as few questions as possible, and has each judged.
    pub(super) async fn measure_rules(
        &self,
        scope: &Scope,
        (rules, asked): (&[LoadedRule], &[usize]),
        (clocks, now): (&SiteClocks, Timestamp),
        judge: &mut dyn Judge,
    ) -> Result<MeasuredFrom, Error> {
        let of_source = |source: MetricSource| -> Vec<usize> {
            let is_of = |index: &usize| rules[*index].rule.terms.metric.source() == source;
            asked.iter().copied().filter(is_of).collect()
        };
        let of_columns = of_source(MetricSource::Columns);
        let mut found = self.measure_columns(scope, (rules, &of_columns[..]), (clocks, now), judge).await?;

        let of_rows = of_source(MetricSource::Rows);
        if !of_rows.is_empty() {
            let needing: Vec<&LoadedRule> = of_rows.iter().map(|index| &rules[*index]).collect();
            let rows = self.load_device_rows(scope, &needing, now).await?;
            for index in of_rows {
                if let Some(measured) = measure_rows(&rules[index], &rows, now) {
                    judge.judge(index, measured);
                    yield_now().await;
                }
            }
        }

        let of_weeks = of_source(MetricSource::Weeks);
        let (seq, questions) =
            self.measure_weeks(scope, (rules, &of_weeks[..]), (clocks, now), judge).await?;
        found.add(seq, questions);
        Ok(found)
    }

    /// Measures rules from the columns. Those that share a question which has too many groups ask about their own scope alone, of which
    /// there may be fewer.
    async fn measure_columns(
        &self,
        scope: &Scope,
        (rules, asked): (&[LoadedRule], &[usize]),
        (clocks, now): (&SiteClocks, Timestamp),
        judge: &mut dyn Judge,
    ) -> Result<MeasuredFrom, Error> {
        let mut found = MeasuredFrom::default();
        let mut left: Vec<usize> = Vec::new();
        for batch in batches_of((rules, asked), false, (clocks, now)) {
            let answers = self.ask_planned_questions(scope, &batch.plan.questions, now).await?;
            found.add(answers.seq, answers.asked);
            for (index, places) in &batch.rules {
                let rule = &rules[*index];
                match measure(rule, places, (&batch.plan, &answers), (clocks, now)) {
                    Some(measured) => judge.judge(*index, measured),
                    None if is_narrow(rule) => left.push(*index),
                    None => judge.judge(*index, vec![not_measured(rule, clocks, TOO_MANY)]),
                }
                // Whoever else waits for this thread, among them what renews the lease, need not wait for all rules.
                yield_now().await;
            }
        }
        let mut narrowed = 0;
        for batch in batches_of((rules, &left), true, (clocks, now)) {
            let is_asked = narrowed < MAX_NARROWED;
            let questions = if is_asked { &batch.plan.questions[..] } else { &[] };
            let answers = self.ask_planned_questions(scope, questions, now).await?;
            found.add(answers.seq, answers.asked);
            narrowed += answers.asked;
            for (index, places) in &batch.rules {
                let rule = &rules[*index];
                let measured = measure(rule, places, (&batch.plan, &answers), (clocks, now));
                judge.judge(*index, measured.unwrap_or_else(|| vec![not_measured(rule, clocks, TOO_MANY)]));
                yield_now().await;
            }
        }
        Ok(found)
    }

    /// Measures a rule as it is now, each split with its window and clock as if it fired, for tests of it.
    pub(crate) async fn sample_rule(
        &self,
        brand: BrandId,
        rule: &LoadedRule,
        now: Timestamp,
    ) -> Result<Vec<SampledSplit>, Error> {
        let clocks = self.load_rule_clocks(brand, rule).await?;
        let rules = (std::slice::from_ref(rule), &[0][..]);
        let mut found: Vec<Measured> = Vec::new();
        self.measure_rules(&self.scope_of(brand), rules, (&clocks, now), &mut found).await?;
        let sampled = found.into_iter().map(|measured| {
            let (window, zone) = window_and_clock(rule, &measured, &clocks, now);
            SampledSplit { measured, window, zone }
        });
        Ok(sampled.collect())
    }

    /// Measures a rule as it was at a time, for pictures and replays of it.
    pub(crate) async fn measure_rule_now(
        &self,
        brand: BrandId,
        rule: &LoadedRule,
        now: Timestamp,
    ) -> Result<Vec<Measured>, Error> {
        let clocks = self.load_rule_clocks(brand, rule).await?;
        let rules = (std::slice::from_ref(rule), &[0][..]);
        let mut found: Vec<Measured> = Vec::new();
        self.measure_rules(&self.scope_of(brand), rules, (&clocks, now), &mut found).await?;
        Ok(found)
    }
}

/// Whether a rule counts less than all facts of the brand.
fn is_narrow(rule: &LoadedRule) -> bool {
    let scope = &rule.rule.terms.scope;
    rule.projects != Projects::All || ScopeList::ALL.into_iter().any(|list| scope.len_of(list) > 0)
}

/// Returns where the windows of the splits of a rule begin: one for all, or days and weeks by the clocks that splits have.
fn starts_of(rule: &LoadedRule, clocks: &SiteClocks, now: Timestamp) -> Vec<WindowStart> {
    let terms = &rule.rule.terms;
    match window_of(terms) {
        AlertWindow::Rolling { minutes } => vec![WindowStart::Rolling { minutes }],
        AlertWindow::Calendar(_) => {
            SplitClocks::of_rule(clocks, rule).starts(|zone| WindowStart::of(terms, zone, now))
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertScope, AlertSplit};

    use super::*;
    use crate::alerts::messages::test_rule;

    const NOW: Timestamp = Timestamp::from_seconds(1_770_000_000);

    fn rule(minutes: i64, split_by: AlertSplit, scope: AlertScope) -> LoadedRule {
        let mut rule = test_rule(AlertMetric::Incursions, split_by);
        rule.terms.window = Some(AlertWindow::Rolling { minutes });
        rule.terms.scope = scope;
        LoadedRule { rule, projects: Projects::All, stopped: None }
    }

    /// Returns how many questions and groupings each batch has.
    fn batches(rules: &[LoadedRule], is_narrowed: bool) -> Vec<(usize, usize)> {
        let clocks = SiteClocks::new(TimeZone::utc(), Vec::new(), Vec::new());
        let asked: Vec<usize> = (0..rules.len()).collect();
        let batches = batches_of((rules, &asked), is_narrowed, (&clocks, NOW));
        let mut measured: Vec<usize> =
            batches.iter().flat_map(|batch| &batch.rules).map(|(index, _)| *index).collect();
        measured.sort_unstable();
        assert_eq!(measured, asked);
        batches.iter().map(|batch| (batch.plan.questions.len(), batch.plan.groupings())).collect()
    }

    #[test]
    fn answers_of_many_windows_are_not_held_at_once() {
        let rules: Vec<LoadedRule> =
            (0..2_000).map(|number| rule(15 + number, AlertSplit::Tag, AlertScope::default())).collect();
        assert_eq!(batches(&rules, false), [(8, 8); 250]);
    }

    #[test]
    fn rules_that_share_a_grouping_share_its_answer() {
        let splits = [AlertSplit::Tag, AlertSplit::Machine, AlertSplit::None];
        let rules: Vec<LoadedRule> = (0..2_000)
            .map(|number| rule([60, 15, 240][number % 3], splits[number / 3 % 3], AlertScope::default()))
            .collect();
        assert_eq!(batches(&rules, false), [(3, 9)]);
    }

    #[test]
    fn many_groupings_of_one_window_are_asked_one_after_the_other() {
        let mut rules = Vec::new();
        for number in 0..64_i64 {
            let ids = |bit: i64| if number & bit == 0 { Vec::new() } else { vec![1] };
            let scope = AlertScope {
                worksite_ids: ids(1),
                machine_ids: ids(2),
                base_station_ids: ids(4),
                person_ids: ids(8),
                tag_ids: ids(16),
                zones: if number & 32 == 0 { Vec::new() } else { vec!["danger".to_owned()] },
                ..AlertScope::default()
            };
            rules.push(rule(60, AlertSplit::Pair, scope));
        }
        let found = batches(&rules, false);
        assert!(
            found.iter().all(|(questions, groupings)| (*questions, *groupings <= 24) == (1, true)),
            "{found:?}"
        );
    }

    #[test]
    fn narrowed_questions_are_asked_some_at_a_time() {
        let of_machine = |id| AlertScope { machine_ids: vec![id], ..AlertScope::default() };
        let rules: Vec<LoadedRule> = (0..20).map(|id| rule(60, AlertSplit::Tag, of_machine(id))).collect();
        assert_eq!(batches(&rules, true), [(8, 8), (8, 8), (4, 4)]);
        // Those with the same scope share one, in whatever order they are.
        let rules: Vec<LoadedRule> =
            (0..150).map(|id| rule(60, AlertSplit::Tag, of_machine(id % 20))).collect();
        assert_eq!(batches(&rules, true), [(8, 8), (8, 8), (4, 4)]);
    }
}

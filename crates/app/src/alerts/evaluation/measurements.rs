//! Measures rules, whatever their values come from.

use domain::{AlertWindow, BrandId, MetricSource, ScopeList, TimeZone, Timestamp};
use store::{Projects, Scope};

use super::device_metrics::measure_rows;
use super::measure::{measure, too_many};
use super::plan::{Narrowing, QuestionPlan, RulePlaces, WindowStart, window_of};
use super::split_clocks::SplitClocks;
use super::transitions::window_and_clock;
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::{App, Error};

/// Questions for certain rules only that an evaluation asks, so that a brand with too many groups does not wait for others.
const MAX_NARROWED: usize = 100;

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

/// What the rules of an evaluation were measured as.
#[derive(Debug, Default)]
pub(super) struct MeasuredRules {
    /// By place among the loaded rules. A rule that cannot be judged this time is missing.
    pub by_rule: Vec<(usize, Vec<Measured>)>,
    /// The last change of a fact that all of it includes; none if no facts were asked for.
    pub seq: Option<i64>,
    pub asked: u64,
}

impl App {
    /// Measures rules, given by their places, with as few questions as possible.
    pub(super) async fn measure_rules(
        &self,
        scope: &Scope,
        (rules, asked): (&[LoadedRule], &[usize]),
        (clocks, now): (&SiteClocks, Timestamp),
    ) -> Result<MeasuredRules, Error> {
        let of_source = |source: MetricSource| -> Vec<usize> {
            let is_of = |index: &usize| rules[*index].rule.terms.metric.source() == source;
            asked.iter().copied().filter(is_of).collect()
        };
        let of_columns = of_source(MetricSource::Columns);
        let mut found = self.measure_columns(scope, (rules, &of_columns[..]), (clocks, now)).await?;

        let of_rows = of_source(MetricSource::Rows);
        if !of_rows.is_empty() {
            let needing: Vec<&LoadedRule> = of_rows.iter().map(|index| &rules[*index]).collect();
            let rows = self.load_device_rows(scope, &needing, now).await?;
            let measured =
                of_rows.iter().filter_map(|index| Some((*index, measure_rows(&rules[*index], &rows, now)?)));
            found.by_rule.extend(measured);
        }

        let of_weeks = of_source(MetricSource::Weeks);
        let needing: Vec<&LoadedRule> = of_weeks.iter().map(|index| &rules[*index]).collect();
        let weeks = self.measure_weeks(scope, &needing, (clocks, now)).await?;
        found.by_rule.extend(of_weeks.into_iter().zip(weeks.measured));
        found.seq = found.seq.into_iter().chain(weeks.seq).min();
        found.asked += weeks.asked;
        Ok(found)
    }

    /// Measures rules from the columns. Those that share a question which has too many groups ask about their own scope alone, of which
    /// there may be fewer.
    async fn measure_columns(
        &self,
        scope: &Scope,
        (rules, asked): (&[LoadedRule], &[usize]),
        (clocks, now): (&SiteClocks, Timestamp),
    ) -> Result<MeasuredRules, Error> {
        let mut found = MeasuredRules::default();
        let mut plan = QuestionPlan::default();
        let mut narrowed = QuestionPlan::default();
        let mut left: Vec<(usize, PlacesOfWindows)> = Vec::new();
        let place = |plan: &mut QuestionPlan, rule: &LoadedRule, narrowing: Option<&Narrowing>| {
            let starts = starts_of(rule, clocks, now).into_iter();
            starts.map(|start| (start, plan.add(&rule.rule.terms, start, narrowing))).collect::<Vec<_>>()
        };
        let places: Vec<(usize, PlacesOfWindows)> =
            asked.iter().map(|index| (*index, place(&mut plan, &rules[*index], None))).collect();
        let answers = self.ask_planned_questions(scope, &plan.questions, now).await?;
        (found.seq, found.asked) = (answers.seq, answers.asked);
        for (index, places) in places {
            let rule = &rules[index];
            match measure(rule, &places, (&plan, &answers), (clocks, now)) {
                Some(measured) => found.by_rule.push((index, measured)),
                None if is_narrow(rule) && narrowed.questions.len() < MAX_NARROWED => {
                    let scope = rule.rule.terms.scope.clone();
                    let narrowing = Narrowing { scope, projects: rule.projects.clone() };
                    left.push((index, place(&mut narrowed, rule, Some(&narrowing))));
                }
                None => found.by_rule.push((index, vec![too_many(rule, clocks)])),
            }
        }
        let answers = self.ask_planned_questions(scope, &narrowed.questions, now).await?;
        found.seq = found.seq.into_iter().chain(answers.seq).min();
        found.asked += answers.asked;
        for (index, places) in left {
            let rule = &rules[index];
            let measured = measure(rule, &places, (&narrowed, &answers), (clocks, now));
            found.by_rule.push((index, measured.unwrap_or_else(|| vec![too_many(rule, clocks)])));
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
        let found = self.measure_rules(&self.scope_of(brand), rules, (&clocks, now)).await?;
        let sampled = found.by_rule.into_iter().flat_map(|(_, measured)| measured).map(|measured| {
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
        let found = self.measure_rules(&self.scope_of(brand), rules, (&clocks, now)).await?;
        Ok(found.by_rule.into_iter().flat_map(|(_, measured)| measured).collect())
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

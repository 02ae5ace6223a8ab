//! Measures rules, whatever their values come from.

use domain::{BrandId, MetricSource, ScopeList, Timestamp};
use store::{Projects, Scope};

use super::device_metrics::measure_rows;
use super::measure::{measure, too_many};
use super::plan::{Narrowing, QuestionPlan, RulePlaces};
use super::zones::SiteClocks;
use super::{LoadedRule, Measured};
use crate::{App, Error};

/// Questions for certain rules only that an evaluation asks, so that a brand with too many groups does not wait for others.
const MAX_NARROWED: usize = 100;

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
        let mut left: Vec<(usize, RulePlaces)> = Vec::new();
        let places: Vec<(usize, RulePlaces)> =
            asked.iter().map(|index| (*index, plan.add(&rules[*index].rule.terms, None))).collect();
        let answers = self.ask_planned_questions(scope, &plan.questions, (clocks, now)).await?;
        (found.seq, found.asked) = (answers.seq, answers.asked);
        for (index, places) in places {
            let rule = &rules[index];
            match measure(rule, places, (&plan, &answers), clocks) {
                Some(measured) => found.by_rule.push((index, measured)),
                None if is_narrow(rule) && narrowed.questions.len() < MAX_NARROWED => {
                    let terms = &rule.rule.terms;
                    let narrowing = Narrowing { scope: terms.scope.clone(), projects: rule.projects.clone() };
                    left.push((index, narrowed.add(terms, Some(&narrowing))));
                }
                None => found.by_rule.push((index, vec![too_many(rule, clocks)])),
            }
        }
        let answers = self.ask_planned_questions(scope, &narrowed.questions, (clocks, now)).await?;
        found.seq = found.seq.into_iter().chain(answers.seq).min();
        found.asked += answers.asked;
        for (index, places) in left {
            let rule = &rules[index];
            let measured = measure(rule, places, (&narrowed, &answers), clocks);
            found.by_rule.push((index, measured.unwrap_or_else(|| vec![too_many(rule, clocks)])));
        }
        Ok(found)
    }

    /// Measures a rule as it is now, for tests and pictures of it.
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

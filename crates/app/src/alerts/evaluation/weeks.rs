//! Measures drift: asks for all weeks since the installation, and compares them.

use std::collections::{BTreeMap, BTreeSet};

use domain::insights::{Dimension, Grouping, Groups, IncursionFilter, Measure, Question, Week};
use domain::{
    AlertSplit, AlertTerms, Day, Judgement, PeriodBound, ProjectId, Review, SortedMap, SortedSet, Span,
    SplitKey, TimeZone, Timestamp,
};
use serde_json::json;
use store::Scope;

use super::drift::{SPAN, drift_value};
use super::judging::Judge;
use super::measure::{TOO_MANY, is_in_scope, projects_of_nothing, subject_of};
use super::questions::up_to;
use super::zones::{SiteClocks, sees};
use super::{LoadedRule, Measured};
use crate::insights::installation::{LOOK_BACK_WEEKS, WeekTotals, first_known_week};
use crate::{App, Error};

/// A rule of drift is judged this often: its weeks change slowly, and the question is large.
pub(super) const INTERVAL: Span = Span::minutes(6 * 60);

impl App {
    /// Measures rules of drift, given by their places, with one question, and has each judged. Returns the last change of a fact that the
    /// answer includes, and how many questions it took.
    pub(super) async fn measure_weeks(
        &self,
        scope: &Scope,
        (rules, asked): (&[LoadedRule], &[usize]),
        (clocks, now): (&SiteClocks, Timestamp),
        judge: &mut dyn Judge,
    ) -> Result<(Option<i64>, u64), Error> {
        if asked.is_empty() {
            return Ok((None, 0));
        }
        let mut groupings: Vec<Vec<Dimension>> = Vec::new();
        let mut places = Vec::new();
        for index in asked {
            let wanted = dimensions(&rules[*index].rule.terms);
            places.push(groupings.iter().position(|known| *known == wanted).unwrap_or_else(|| {
                groupings.push(wanted);
                groupings.len() - 1
            }));
        }
        let first_day = Week::from_number(week_of(&TimeZone::utc(), now) - LOOK_BACK_WEEKS).first_day();
        let retention = self.store.read().await?.brand_settings(scope).await?.values.retention;
        let first_known = first_known_week(first_day, &retention, self.clock.now());
        let question = build_question(&groupings, first_day, now);
        let mut questions = 0;
        let (answers, seq) = self.ask_question(scope, &question, &mut questions).await?;
        for (index, place) in asked.iter().zip(&places) {
            let groups = answers.get(*place).and_then(Option::as_ref);
            let by = (&groupings[*place][..], groups);
            judge.judge(*index, measure_drift(&rules[*index], by, first_known, (clocks, now)));
        }
        Ok((Some(seq), questions))
    }
}

/// Returns the bounds of the last four complete weeks by a clock.
pub(super) fn last_weeks(zone: &TimeZone, now: Timestamp) -> (Timestamp, Timestamp) {
    let week = week_of(zone, now);
    let start = |week: i64| Week::from_number(week).first_day().start_in(zone);
    (start(week - SPAN), start(week))
}

fn week_of(zone: &TimeZone, at: Timestamp) -> i64 {
    Week::of(Day::from_number(zone.local(at).day)).number()
}

fn dimensions(terms: &AlertTerms) -> Vec<Dimension> {
    let mut dimensions = vec![Dimension::Project, Dimension::Week];
    dimensions.extend(terms.split_by.dimensions());
    if !terms.scope.worksite_ids.is_empty() {
        dimensions.push(Dimension::Worksite);
    }
    if !terms.scope.machine_ids.is_empty() {
        dimensions.push(Dimension::Machine);
    }
    dimensions.into_iter().collect::<SortedSet<_>>().into()
}

fn build_question(groupings: &[Vec<Dimension>], first_day: Day, now: Timestamp) -> Question {
    Question {
        from: Some(PeriodBound::Day(first_day)),
        to: Some(up_to(now)),
        filter: IncursionFilter { reviews: Review::COUNTED.to_vec(), ..IncursionFilter::default() },
        visible_projects: None,
        measures: vec![Measure::IncursionsPerRuntimeHour],
        groupings: groupings.iter().map(|by| Grouping::by(by.clone())).collect(),
    }
}

/// The weeks of a split, and the projects whose facts they hold.
type SplitWeeks = (Vec<(i64, WeekTotals)>, BTreeSet<Option<ProjectId>>);

fn measure_drift(
    rule: &LoadedRule,
    (dimensions, groups): (&[Dimension], Option<&Groups>),
    first_known: i64,
    (clocks, now): (&SiteClocks, Timestamp),
) -> Vec<Measured> {
    let terms = &rule.rule.terms;
    let mut splits: BTreeMap<SplitKey, SplitWeeks> = BTreeMap::new();
    if terms.split_by == AlertSplit::None || groups.is_none() {
        splits.insert(SplitKey::new(Vec::new()), SplitWeeks::default());
    }
    for group in groups.into_iter().flat_map(|groups| &groups.groups) {
        let key = |dimension: Dimension| {
            dimensions.iter().position(|by| *by == dimension).and_then(|place| group.keys[place])
        };
        let project = key(Dimension::Project).map(ProjectId);
        let (Some(week), Some(figure)) = (key(Dimension::Week), group.figures.first()) else { continue };
        if !sees(&rule.projects, project) || !is_in_scope(&terms.scope, &[], key) {
            continue;
        }
        let ids: Option<Vec<i64>> = terms.split_by.dimensions().iter().map(|by| key(*by)).collect();
        let Some(ids) = ids else { continue };
        let (weeks, projects) = splits.entry(SplitKey::new(ids)).or_default();
        let incursions = figure.numerator.unwrap_or(0);
        weeks.push((week, WeekTotals { incursions, runtime_ms: figure.denominator.unwrap_or(0) }));
        projects.insert(project);
    }
    let measured = splits.into_iter().map(|(split, (weeks, projects))| {
        let subject = subject_of(rule, &split, &projects, clocks);
        let zone = clocks.of(&rule.rule, &subject);
        let value = match groups {
            Some(_) => {
                let weeks = SortedMap::merged(weeks, WeekTotals::add);
                drift_value(&weeks, first_known, week_of(zone, now))
            }
            None => Err(TOO_MANY),
        };
        let (judgement, details) = match value {
            Ok((value, details)) => (Judgement::Value(value), details),
            Err(reason) => (Judgement::NoData(reason), json!({})),
        };
        let projects = if projects.is_empty() { projects_of_nothing(rule, &subject) } else { projects };
        Measured { split, subject, judgement, projects, details }
    });
    measured.collect()
}

//! The values of a rule, from the answers that it shares with others.

use std::collections::{BTreeMap, BTreeSet};

use domain::insights::{Dimension, Group, Groups};
use domain::{
    AlertComparison, AlertMetric, AlertScope, AlertSplit, AlertTerms, BaseStationId, FiringSubject,
    Judgement, MachineId, Measurement, PersonId, ProjectId, SplitKey, TagId, Timestamp, WorksiteId, Zone,
};
use serde_json::json;
use store::Projects;

use super::plan::{GroupingPlace, QuestionPlan, RulePlaces, WindowStart};
use super::questions::{ACKNOWLEDGED, Answers, INCURSIONS, LONGEST, PER_RUNTIME};
use super::split_clocks::SplitClocks;
use super::zones::{SiteClocks, sees};
use super::{LoadedRule, Measured};

/// With less runtime in the window, a rate says nothing.
pub(crate) const LEAST_RUNTIME_MS: i64 = 30 * 60 * 1_000;

/// What the facts of one split add up to.
#[derive(Clone, Debug, Default)]
struct SplitTotals {
    incursions: i64,
    acknowledged: i64,
    runtime_ms: i64,
    /// The longest incursion that has ended, if the question is about durations.
    longest_ms: i64,
    projects: BTreeSet<Option<ProjectId>>,
}

/// Reads the values of a rule from the answers, or why there is none. `places` are those of each window that its splits have. None if
/// there are too many groups to be counted.
pub(super) fn measure(
    rule: &LoadedRule,
    places: &[(WindowStart, RulePlaces)],
    (plan, answers): (&QuestionPlan, &Answers),
    (clocks, now): (&SiteClocks, Timestamp),
) -> Option<Vec<Measured>> {
    let is_about_duration = rule.rule.terms.metric == AlertMetric::LongIncursion;
    let mut totals: BTreeMap<SplitKey, SplitTotals> = BTreeMap::new();
    for (start, places) in places {
        let of_clock = matches!(start, WindowStart::At(_)).then(|| SplitClocks::of_rule(clocks, rule));
        let reader = Reader { rule, plan, answers, clocks, start: *start, of_clock, now };
        let is_read = reader.add(&mut totals, places.counts, true, |totals, group| {
            totals.incursions += numerator(group, INCURSIONS);
            totals.acknowledged += numerator(group, ACKNOWLEDGED);
            if is_about_duration {
                totals.longest_ms = totals.longest_ms.max(numerator(group, LONGEST));
            } else if places.runtime.is_none() {
                totals.runtime_ms += runtime(group);
            }
        }) && places.runtime.is_none_or(|place| {
            reader.add(&mut totals, place, false, |totals, group| totals.runtime_ms += runtime(group))
        });
        if !is_read {
            return None;
        }
    }
    for expected in expected_splits(rule, clocks) {
        totals.entry(expected).or_default();
    }
    let measured = totals.into_iter().map(|(split, totals)| {
        let subject = subject_of(rule, &split, &totals.projects, clocks);
        let judgement = judge_totals(rule, &totals);
        let projects = match totals.projects.is_empty() {
            false => totals.projects,
            true => projects_of_nothing(rule, &subject),
        };
        Measured { split, subject, judgement, projects, details: json!({}) }
    });
    Some(measured.collect())
}

/// Returns what is judged of an open firing whose split has nothing in the window any more.
pub(super) fn judge_nothing(metric: AlertMetric) -> Judgement {
    match metric {
        AlertMetric::AcknowledgementRate => Judgement::NoData("no_incursions"),
        AlertMetric::IncursionsPerRuntimeHour | AlertMetric::Drift => Judgement::NoData("no_runtime"),
        _ => Judgement::Value(Measurement::count(0)),
    }
}

/// Whether a rule fires for what had nothing, or little.
pub(super) fn is_below_count(terms: &AlertTerms) -> bool {
    let is_count = matches!(terms.metric, AlertMetric::Incursions | AlertMetric::UnacknowledgedIncursions);
    is_count && terms.comparison == AlertComparison::Below
}

/// Returns the splits that have a value although nothing happened: all together, and for rules that fire below a count, those that the
/// rule names, unless they were archived or its owner does not see them, or where machines are now.
pub(crate) fn expected_splits(rule: &LoadedRule, clocks: &SiteClocks) -> Vec<SplitKey> {
    let terms = &rule.rule.terms;
    let scope = &terms.scope;
    if terms.split_by == AlertSplit::None {
        return vec![SplitKey::new(Vec::new())];
    }
    if !is_below_count(terms) {
        return Vec::new();
    }
    let named = match terms.split_by {
        AlertSplit::Project => &scope.project_ids,
        AlertSplit::Worksite => &scope.worksite_ids,
        AlertSplit::Machine => &scope.machine_ids,
        AlertSplit::BaseStation => &scope.base_station_ids,
        AlertSplit::Person => &scope.person_ids,
        AlertSplit::Tag => &scope.tag_ids,
        AlertSplit::None | AlertSplit::Pair => return Vec::new(),
    };
    let is_of_scope = |worksite: WorksiteId| {
        let project = clocks.project_of(worksite);
        let has = |ids: &[i64], id: Option<i64>| ids.is_empty() || id.is_some_and(|id| ids.contains(&id));
        sees(&rule.projects, project)
            && has(&scope.worksite_ids, Some(worksite.0))
            && has(&scope.project_ids, project.map(|id| id.0))
    };
    let is_expected = |id: i64| clocks.is_expected(terms.split_by, id, &rule.projects);
    let machines = clocks.machines_at_sites().filter(|(_, worksite)| is_of_scope(*worksite));
    let known: BTreeSet<i64> = match terms.split_by {
        _ if !named.is_empty() => named.iter().copied().filter(|id| is_expected(*id)).collect(),
        AlertSplit::Machine => machines.map(|(machine, _)| machine.0).collect(),
        AlertSplit::Worksite => machines.map(|(_, worksite)| worksite.0).collect(),
        AlertSplit::Project => {
            machines.filter_map(|(_, worksite)| clocks.project_of(worksite)).map(|id| id.0).collect()
        }
        // Nobody knows who could have been there.
        _ => BTreeSet::new(),
    };
    known.into_iter().map(|id| SplitKey::new(vec![id])).collect()
}

/// Why a rule is not measured: it has more groups than can be counted.
pub(super) const TOO_MANY: &str = "too_many";
/// Why a rule is not measured: those before it have as many splits as those of a brand may have.
pub(super) const TOO_MANY_OF_BRAND: &str = "too_many_of_brand";

/// Returns what is known of a rule of which not even the splits are known.
pub(super) fn not_measured(rule: &LoadedRule, clocks: &SiteClocks, reason: &'static str) -> Measured {
    let split = SplitKey::new(Vec::new());
    let subject = subject_of(rule, &split, &BTreeSet::new(), clocks);
    let projects = projects_of_nothing(rule, &subject);
    Measured { split, subject, judgement: Judgement::NoData(reason), projects, details: json!({}) }
}

/// Returns why a rule was not measured, if so.
pub(super) fn unmeasured_reason(measured: &[Measured]) -> Option<&'static str> {
    measured.iter().find_map(|measured| match measured.judgement {
        Judgement::NoData(reason @ (TOO_MANY | TOO_MANY_OF_BRAND)) => Some(reason),
        _ => None,
    })
}

fn judge_totals(rule: &LoadedRule, totals: &SplitTotals) -> Judgement {
    let terms = &rule.rule.terms;
    let minimum = terms.minimum_count.unwrap_or(0);
    let scale = terms.metric.scale();
    match terms.metric {
        AlertMetric::AcknowledgementRate if totals.incursions == 0 => Judgement::NoData("no_incursions"),
        AlertMetric::AcknowledgementRate if totals.incursions < minimum => Judgement::NoData("too_few"),
        AlertMetric::AcknowledgementRate => Judgement::Value(Measurement {
            numerator: totals.acknowledged,
            denominator: totals.incursions,
            scale,
        }),
        AlertMetric::IncursionsPerRuntimeHour if totals.runtime_ms < LEAST_RUNTIME_MS => {
            Judgement::NoData("no_runtime")
        }
        AlertMetric::IncursionsPerRuntimeHour if totals.incursions < minimum => Judgement::NoData("too_few"),
        AlertMetric::IncursionsPerRuntimeHour => Judgement::Value(Measurement {
            numerator: totals.incursions,
            denominator: totals.runtime_ms,
            scale,
        }),
        AlertMetric::LongIncursion => {
            Judgement::Value(Measurement { numerator: totals.longest_ms, denominator: 1_000, scale })
        }
        AlertMetric::UnacknowledgedIncursions => {
            Judgement::Value(Measurement::count(totals.incursions - totals.acknowledged))
        }
        _ => Judgement::Value(Measurement::count(totals.incursions)),
    }
}

/// Returns the projects that a value of nothing is about.
pub(super) fn projects_of_nothing(rule: &LoadedRule, subject: &FiringSubject) -> BTreeSet<Option<ProjectId>> {
    let named = &rule.rule.terms.scope.project_ids;
    match (subject.project, &rule.projects) {
        (Some(project), _) => BTreeSet::from([Some(project)]),
        (None, _) if !named.is_empty() => named.iter().map(|id| Some(ProjectId(*id))).collect(),
        (None, Projects::All) => BTreeSet::from([None]),
        (None, Projects::Only(projects)) => projects.iter().copied().map(Some).collect(),
    }
}

/// Returns what the ids of a split are, and where that is now, unless that is in a project that no fact of the split is of: whoever sees the
/// firing may not see that one.
pub(crate) fn subject_of(
    rule: &LoadedRule,
    split: &SplitKey,
    projects: &BTreeSet<Option<ProjectId>>,
    clocks: &SiteClocks,
) -> FiringSubject {
    let mut subject = FiringSubject::default();
    match (rule.rule.terms.split_by, split.ids()) {
        (AlertSplit::Project, [id]) => subject.project = Some(ProjectId(*id)),
        (AlertSplit::Worksite, [id]) => subject.worksite = Some(WorksiteId(*id)),
        (AlertSplit::Machine, [id]) => subject.machine = Some(MachineId(*id)),
        (AlertSplit::BaseStation, [id]) => subject.base_station = Some(BaseStationId(*id)),
        (AlertSplit::Person, [id]) => subject.person = Some(PersonId(*id)),
        (AlertSplit::Tag, [id]) => subject.tag = Some(TagId(*id)),
        (AlertSplit::Pair, [machine, person]) => {
            subject.machine = Some(MachineId(*machine));
            subject.person = Some(PersonId(*person));
        }
        _ => {}
    }
    let Some(site) = subject.worksite.or_else(|| clocks.site_of(subject.machine?)) else { return subject };
    let project = clocks.project_of(site);
    let is_visible = match projects.is_empty() {
        true => sees(&rule.projects, project),
        false => projects.contains(&project),
    };
    if is_visible {
        (subject.worksite, subject.project) = (Some(site), project);
    }
    subject
}

fn numerator(group: &Group, measure: usize) -> i64 {
    group.figures.get(measure).and_then(|figure| figure.numerator).unwrap_or(0)
}

fn runtime(group: &Group) -> i64 {
    group.figures.get(PER_RUNTIME).and_then(|figure| figure.denominator).unwrap_or(0)
}

/// Reads the groups of a rule.
struct Reader<'a> {
    rule: &'a LoadedRule,
    plan: &'a QuestionPlan,
    answers: &'a Answers,
    clocks: &'a SiteClocks,
    /// Where the window of the answers begins.
    start: WindowStart,
    /// The clocks of the splits, if only those of some clocks have this window.
    of_clock: Option<SplitClocks<'a>>,
    now: Timestamp,
}

impl Reader<'_> {
    /// Adds the groups of a grouping that the rule is about to its splits; returns false if there are too many groups.
    fn add(
        &self,
        totals: &mut BTreeMap<SplitKey, SplitTotals>,
        place: GroupingPlace,
        applies_zones: bool,
        add: impl Fn(&mut SplitTotals, &Group),
    ) -> bool {
        let dimensions = &self.plan.questions[place.question].groupings[place.grouping];
        let Some(Groups { groups, .. }) = self.answers.groups(place) else { return false };
        let terms = &self.rule.rule.terms;
        let zones: Vec<i64> = match applies_zones {
            true => terms.scope.zones().into_iter().map(Zone::code).collect(),
            false => Vec::new(),
        };
        for group in groups {
            // Groups of runtime exist only if another rule asks for it.
            if numerator(group, INCURSIONS) == 0 && !terms.metric.needs_runtime() {
                continue;
            }
            let key = |dimension: Dimension| {
                dimensions.iter().position(|by| *by == dimension).and_then(|place| group.keys[place])
            };
            let project = key(Dimension::Project).map(ProjectId);
            if !sees(&self.rule.projects, project) || !is_in_scope(&terms.scope, &zones, key) {
                continue;
            }
            let ids: Option<Vec<i64>> = terms.split_by.dimensions().iter().map(|by| key(*by)).collect();
            // What has no machine or person is of no split, and neither is what an erased person did.
            let Some(ids) = ids else { continue };
            if self.clocks.is_split_erased(terms.split_by, &ids) || !self.is_in_window(&ids) {
                continue;
            }
            let totals = totals.entry(SplitKey::new(ids)).or_default();
            totals.projects.insert(project);
            add(totals, group);
        }
        true
    }

    /// Whether the answers are about the window of a split.
    fn is_in_window(&self, ids: &[i64]) -> bool {
        let terms = &self.rule.rule.terms;
        self.of_clock.is_none_or(|clocks| WindowStart::of(terms, clocks.of(ids), self.now) == self.start)
    }
}

/// Whether a group is about what a scope lists.
pub(super) fn is_in_scope(scope: &AlertScope, zones: &[i64], key: impl Fn(Dimension) -> Option<i64>) -> bool {
    let has = |ids: &[i64], by: &[Dimension]| {
        ids.is_empty() || by.iter().any(|by| key(*by).is_some_and(|id| ids.contains(&id)))
    };
    has(&scope.project_ids, &[Dimension::Project])
        && has(&scope.worksite_ids, &[Dimension::Worksite])
        && has(&scope.machine_ids, &[Dimension::Machine])
        && has(&scope.base_station_ids, &[Dimension::BaseStation])
        && has(&scope.person_ids, &[Dimension::Pedestrian, Dimension::Operator])
        && has(&scope.tag_ids, &[Dimension::Tag])
        && has(zones, &[Dimension::Zone])
}

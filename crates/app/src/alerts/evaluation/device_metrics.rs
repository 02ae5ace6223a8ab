//! The metrics that are measured from rows as they are now: tests and batteries of tags, silent stations, visits.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    AlertMetric, AlertSplit, FiringSubject, Judgement, Measurement, PersonId, ProjectId, Span, SplitKey,
    TagId, Timestamp,
};
use serde_json::json;
use store::{Projects, Scope, StationContact, TagBattery, TagTestAge, VisitOverdue};

use super::zones::sees;
use super::{LoadedRule, Measured};
use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::{App, Error};

/// The rows of a brand that the rules of an evaluation are measured from.
#[derive(Debug, Default)]
pub(super) struct DeviceRows {
    tests: Vec<TagTestAge>,
    batteries: Vec<TagBattery>,
    stations: Vec<StationContact>,
    visits: Vec<VisitOverdue>,
    /// The wearers whom owners with these projects do not see.
    hidden: Vec<(Projects, OutOfScopePeople)>,
}

/// One tag, station or visit as a rule sees it.
struct Candidate {
    subject: FiringSubject,
    value: i64,
    /// What it was computed from, by the names of the details.
    times: Vec<(&'static str, Option<Timestamp>)>,
}

impl App {
    /// Reads the rows that rules are measured from, each kind once.
    pub(super) async fn load_device_rows(
        &self,
        scope: &Scope,
        rules: &[&LoadedRule],
        now: Timestamp,
    ) -> Result<DeviceRows, Error> {
        let mut rows = DeviceRows::default();
        let needs = |metric: AlertMetric| rules.iter().any(|rule| rule.rule.terms.metric == metric);
        let mut tx = self.store.read().await?;
        if needs(AlertMetric::TagTestOverdue) {
            rows.tests = tx.device_values(scope).tag_tests().await?;
        }
        if needs(AlertMetric::TagBatteryLow) {
            rows.batteries = tx.device_values(scope).tag_batteries().await?;
        }
        if needs(AlertMetric::BaseStationSilent) {
            rows.stations = tx.device_values(scope).stations().await?;
        }
        if needs(AlertMetric::VisitorOverstay) {
            rows.visits = tx.device_values(scope).overdue_visits(now).await?;
        }
        drop(tx);
        for rule in rules.iter().filter(|rule| is_about_tags(rule.rule.terms.metric)) {
            let is_known = rows.hidden.iter().any(|(projects, _)| *projects == rule.projects);
            if rule.projects != Projects::All && !is_known {
                let owner = self.platform.scope(scope.brand(), rule.projects.clone());
                rows.hidden.push((rule.projects.clone(), self.find_out_of_scope_people(&owner).await?));
            }
        }
        Ok(rows)
    }
}

/// Returns the values of a rule, or none if it cannot be judged this time.
pub(super) fn measure_rows(rule: &LoadedRule, rows: &DeviceRows, now: Timestamp) -> Option<Vec<Measured>> {
    let hidden = rows.hidden.iter().find(|(projects, _)| *projects == rule.projects);
    let hidden = hidden.map(|(_, people)| people);
    if matches!(hidden, Some(OutOfScopePeople::Unknown)) {
        return None;
    }
    let is_seen = |person: PersonId| !hidden.is_some_and(|people| people.contains(person));
    let sees_project = |project: Option<ProjectId>| sees(&rule.projects, project);
    let candidates: Vec<Candidate> = match rule.rule.terms.metric {
        AlertMetric::TagTestOverdue => {
            let seen = rows.tests.iter().filter(|test| is_seen(test.person));
            seen.map(|test| Candidate {
                subject: of_tag(test.tag, test.person),
                value: whole(now - test.since(), DAY),
                times: vec![
                    ("since", Some(test.since())),
                    ("last_test_at", test.tested_at),
                    ("worn_since", Some(test.worn_since)),
                ],
            })
            .collect()
        }
        AlertMetric::TagBatteryLow => {
            let seen = rows.batteries.iter().filter(|battery| is_seen(battery.person));
            seen.map(|battery| Candidate {
                subject: of_tag(battery.tag, battery.person),
                value: battery.percent,
                times: vec![("reported_at", battery.reported_at)],
            })
            .collect()
        }
        AlertMetric::BaseStationSilent => {
            let seen = rows.stations.iter().filter(|station| sees_project(station.project));
            seen.map(|station| Candidate {
                subject: of_station(station),
                value: whole(now - station.since, MINUTE),
                times: vec![("since", Some(station.since)), ("last_contact_at", station.last_seen_at)],
            })
            .collect()
        }
        AlertMetric::VisitorOverstay => {
            let seen = rows.visits.iter().filter(|visit| sees_project(visit.project));
            seen.map(|visit| Candidate {
                subject: of_visit(visit),
                value: whole(now - visit.expected_until, MINUTE),
                times: vec![
                    ("since", Some(visit.expected_until)),
                    ("checked_in_at", Some(visit.checked_in_at)),
                ],
            })
            .collect()
        }
        _ => Vec::new(),
    };
    Some(worst_of_splits(rule, candidates))
}

/// Returns the worst candidate of each split, which stands for it.
fn worst_of_splits(rule: &LoadedRule, candidates: Vec<Candidate>) -> Vec<Measured> {
    let terms = &rule.rule.terms;
    let is_lower_worse = terms.metric == AlertMetric::TagBatteryLow;
    let mut worst: BTreeMap<SplitKey, (Candidate, BTreeSet<Option<ProjectId>>)> = BTreeMap::new();
    for found in candidates.into_iter().filter(|candidate| is_in_scope(rule, &candidate.subject)) {
        let Some(split) = split_of(terms.split_by, &found.subject) else { continue };
        let project = found.subject.project;
        match worst.get_mut(&split) {
            None => {
                worst.insert(split, (found, BTreeSet::from([project])));
            }
            Some((known, projects)) => {
                projects.insert(project);
                let is_worse = match is_lower_worse {
                    true => found.value < known.value,
                    false => found.value > known.value,
                };
                if is_worse {
                    *known = found;
                }
            }
        }
    }
    let measured = worst.into_iter().map(|(split, (worst, projects))| {
        let projects = match is_about_tags(terms.metric) {
            true => rule_projects(rule),
            false => projects,
        };
        Measured {
            split,
            subject: worst.subject,
            judgement: Judgement::Value(Measurement::count(worst.value)),
            projects,
            details: worst.times.into_iter().map(|(name, at)| (name, json!(at))).collect(),
        }
    });
    measured.collect()
}

const DAY: Span = Span::minutes(24 * 60);
const MINUTE: Span = Span::minutes(1);

/// Tags and people have no project, so that a firing about them covers those of the rule.
fn rule_projects(rule: &LoadedRule) -> BTreeSet<Option<ProjectId>> {
    match &rule.projects {
        Projects::All => BTreeSet::from([None]),
        Projects::Only(projects) => projects.iter().copied().map(Some).collect(),
    }
}

fn is_about_tags(metric: AlertMetric) -> bool {
    matches!(metric, AlertMetric::TagTestOverdue | AlertMetric::TagBatteryLow)
}

/// Returns how many whole units have passed; 0 if the time lies ahead, because clocks differ.
fn whole(passed: Span, unit: Span) -> i64 {
    (passed.micros() / unit.micros()).max(0)
}

pub(crate) fn of_tag(tag: TagId, person: PersonId) -> FiringSubject {
    FiringSubject { tag: Some(tag), person: Some(person), ..FiringSubject::default() }
}

pub(crate) fn of_station(station: &StationContact) -> FiringSubject {
    FiringSubject {
        project: station.project,
        worksite: station.worksite,
        machine: Some(station.machine),
        base_station: Some(station.station),
        ..FiringSubject::default()
    }
}

pub(crate) fn of_visit(visit: &VisitOverdue) -> FiringSubject {
    FiringSubject {
        project: visit.project,
        worksite: visit.worksite,
        person: Some(visit.person),
        visit: Some(visit.visit),
        ..FiringSubject::default()
    }
}

/// Whether a record is one that the rule lists.
pub(crate) fn is_in_scope(rule: &LoadedRule, subject: &FiringSubject) -> bool {
    let scope = &rule.rule.terms.scope;
    let has = |ids: &[i64], id: Option<i64>| ids.is_empty() || id.is_some_and(|id| ids.contains(&id));
    has(&scope.project_ids, subject.project.map(|id| id.0))
        && has(&scope.worksite_ids, subject.worksite.map(|id| id.0))
        && has(&scope.machine_ids, subject.machine.map(|id| id.0))
        && has(&scope.base_station_ids, subject.base_station.map(|id| id.0))
        && has(&scope.person_ids, subject.person.map(|id| id.0))
        && has(&scope.tag_ids, subject.tag.map(|id| id.0))
}

/// Returns the split of a record; none if it has no value for it.
pub(crate) fn split_of(split_by: AlertSplit, subject: &FiringSubject) -> Option<SplitKey> {
    let id = match split_by {
        AlertSplit::None => return Some(SplitKey::new(Vec::new())),
        AlertSplit::Project => subject.project?.0,
        AlertSplit::Worksite => subject.worksite?.0,
        AlertSplit::Machine => subject.machine?.0,
        AlertSplit::BaseStation => subject.base_station?.0,
        AlertSplit::Person => subject.person?.0,
        AlertSplit::Tag => subject.tag?.0,
        AlertSplit::Pair => return None,
    };
    Some(SplitKey::new(vec![id]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_units_count() {
        assert_eq!(whole(Span::seconds(24 * 3_600 + 1), DAY), 1);
        assert_eq!(whole(Span::seconds(24 * 3_600 - 1), DAY), 0);
        assert_eq!((whole(Span::seconds(119), MINUTE), whole(Span::seconds(-200), MINUTE)), (1, 0));
    }
}

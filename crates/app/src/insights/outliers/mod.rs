//! Who stands out among their peers: counts against exposure, judged by the `statistics` crate.
//!
//! Here counts and exposures are put together; [`exposure`] says what someone is exposed by, [`sentence`] what came of it.

mod exposure;
mod sentence;

use std::collections::{HashMap, HashSet};

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Grouping, Groups, IncursionFilter, Key, Measure};
use domain::{Invalid, PersonKind};
use statistics::{MIN_PEERS, Member, MemberAssessment, OutlierTest};
use store::PersonName;

use super::labels::{Labelled, Labels};
use super::query::{QueryResult, QuerySpec};
use crate::{App, Caller, Error};
pub use exposure::ExposureUnit;
use exposure::{DaysSeen, ExposureDays, load_exposure_days};

/// Who is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutlierBy {
    /// Machines, with those of the same kind.
    Machine,
    /// Worksites, with those of the same kind.
    Worksite,
    /// People on foot, with those of the same kind at the same site; those of sites with few people with one another.
    Pedestrian,
    /// People driving, with those who drive the same kind of machine.
    Operator,
}

impl OutlierBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Machine, Self::Worksite, Self::Pedestrian, Self::Operator];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        self.dimension().as_str()
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|by| by.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_dimension", format!("must be one of {words}"))
        })
    }

    /// What members are told apart by.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Machine => Dimension::Machine,
            Self::Worksite => Dimension::Worksite,
            Self::Pedestrian => Dimension::Pedestrian,
            Self::Operator => Dimension::Operator,
        }
    }

    /// What peers have in common. People who drive have the machines in common: an hour in a truck is not one in a crane.
    pub const fn peer_dimension(self) -> Dimension {
        match self {
            Self::Machine | Self::Operator => Dimension::MachineKind,
            Self::Worksite => Dimension::WorksiteKind,
            Self::Pedestrian => Dimension::PersonKind,
        }
    }
}

/// Someone who was looked at.
#[derive(Clone, Debug)]
pub struct Outlier {
    /// As what.
    pub by: OutlierBy,
    /// Who.
    pub part: Labelled,
    /// Whom they were compared with.
    pub peer_group: Labelled,
    /// Where those are, if only those of one site were taken.
    pub peer_worksite: Option<Labelled>,
    /// In what their exposure is counted.
    pub unit: ExposureUnit,
    /// How it came out.
    pub outcome: MemberAssessment<i64, PeerGroup>,
    /// The same in a sentence.
    pub sentence: String,
}

impl Outlier {
    /// Whether chance is no good explanation.
    pub fn stands_out(&self) -> bool {
        self.outcome.outlier_test().is_some_and(stands_out)
    }
}

fn stands_out(judgement: &OutlierTest) -> bool {
    judgement.adjusted_p <= Outliers::THRESHOLD
}

/// Whom members are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerGroup {
    /// As what.
    pub by: OutlierBy,
    /// What they have in common.
    pub kind: Key,
    /// Where people on foot are, if there are enough to compare with.
    pub site: Key,
    /// In what their exposure is counted.
    pub unit: ExposureUnit,
}

/// Who stands out, and who was looked at.
#[derive(Clone, Debug)]
pub struct Outliers {
    /// The most remarkable first.
    pub members: Vec<Outlier>,
    /// How many more of those that were asked for there are.
    pub more: u64,
    /// How many were judged.
    pub judged: u64,
    /// How many were not, for lack of exposure or peers.
    pub not_judged: u64,
    /// What was asked.
    pub result: QueryResult,
}

impl Outliers {
    /// From which adjusted probability on chance is a good explanation.
    pub const THRESHOLD: f64 = 0.05;
}

/// Who is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlierSelection {
    /// Those who stand out.
    Outliers,
    /// All who were looked at.
    Everyone,
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct OutliersRequest {
    /// Who is compared; each with their own.
    pub by: Vec<OutlierBy>,
    /// Who is told of.
    pub selection: OutlierSelection,
    /// How many at most.
    pub limit: usize,
}

/// More members than this are not judged in one answer.
const MAX_MEMBERS: usize = 20_000;

impl App {
    /// Who stands out among their peers, of what the filter finds.
    pub async fn insight_outliers(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &OutliersRequest,
    ) -> Result<Outliers, Error> {
        let grouping = |by: &OutlierBy| Grouping {
            limit: Some(MAX_MEMBERS),
            ..Grouping::by([by.dimension(), by.peer_dimension()])
        };
        let of = QuerySpec {
            filter,
            measures: vec![Measure::Incursions, Measure::RuntimeHours],
            groupings: request.by.iter().map(grouping).collect(),
        };
        let mut result = self.run_query(caller, of).await?;
        let mut members = Vec::new();
        let mut found = Vec::new();
        for by in &request.by {
            let groups = result.take_next_groups();
            if groups.more > 0 {
                return Err(too_many(
                    "by",
                    format!("finds more than {MAX_MEMBERS} to judge; narrow the filters"),
                ));
            }
            found.push((*by, groups));
        }
        let days = load_exposure_days(self, caller, filter, &result, &request.by).await?;
        for (by, groups) in &found {
            members.extend(build_members(*by, groups, &days));
        }
        if let Some(seen) = days.days_seen(OutlierBy::Pedestrian) {
            let unmet = self.people_without_incursions(caller, &members, seen).await?;
            members.extend(unmet);
            assign_peer_sites(&mut members, seen);
        }
        // Seconds of arithmetic for thousands of members: not on a thread that others' requests run on.
        let outcomes = self
            .compute(move || statistics::find_outliers(&members, |group: &PeerGroup| group.unit.minimum()))
            .await?;
        let count = |is_judged: bool| {
            outcomes.iter().filter(|outcome| outcome.outlier_test().is_some() == is_judged).count() as u64
        };
        let (judged, not_judged) = (count(true), count(false));
        let mut selected: Vec<MemberAssessment<i64, PeerGroup>> = match request.selection {
            OutlierSelection::Everyone => outcomes,
            OutlierSelection::Outliers => outcomes
                .into_iter()
                .filter(|outcome| outcome.outlier_test().is_some_and(stands_out))
                .collect(),
        };
        let more = selected.len().saturating_sub(request.limit) as u64;
        selected.truncate(request.limit);
        let labels = self.labels_of_members(caller, &selected).await?;
        let members = selected.into_iter().map(|outcome| label_outcome(outcome, &labels)).collect();
        Ok(Outliers { members, more, judged, not_judged, result })
    }

    /// People on foot who were there, and met no machine.
    async fn people_without_incursions(
        &self,
        caller: &Caller<ReadInsights>,
        members: &[Member<i64, PeerGroup>],
        seen: &HashMap<i64, DaysSeen>,
    ) -> Result<Vec<Member<i64, PeerGroup>>, Error> {
        let by = OutlierBy::Pedestrian;
        let met: HashSet<i64> =
            members.iter().filter(|member| member.group.by == by).map(|member| member.key).collect();
        let mut others: Vec<i64> = seen.keys().copied().filter(|id| !met.contains(id)).collect();
        others.sort_unstable();
        let found = self.store.read().await?.labels(caller.scope()).people(&others).await?;
        let unit = ExposureUnit::Days;
        let member = |person: PersonName| {
            let kind = PersonKind::ALL.iter().position(|kind| *kind == person.kind);
            let kind = kind.and_then(|place| i64::try_from(place).ok());
            let exposure = seen.get(&person.id.0).map_or(0.0, DaysSeen::days);
            Member {
                key: person.id.0,
                group: PeerGroup { by, kind, site: None, unit },
                observed: 0,
                exposure,
            }
        };
        Ok(found.into_iter().map(member).collect())
    }

    async fn labels_of_members(
        &self,
        caller: &Caller<ReadInsights>,
        members: &[MemberAssessment<i64, PeerGroup>],
    ) -> Result<Labels, Error> {
        let of = OutlierBy::ALL.map(|by| {
            let ids = members.iter().filter(|outcome| outcome.group.by == by).map(|outcome| outcome.key);
            let groups = ids.map(|id| Group { keys: vec![Some(id)], figures: Vec::new() }).collect();
            ([by.dimension()], Groups { groups, more: 0 })
        });
        let sites = members.iter().filter(|outcome| outcome.group.site.is_some());
        let sites = sites.map(|outcome| Group { keys: vec![outcome.group.site], figures: Vec::new() });
        let sites = ([Dimension::Worksite], Groups { groups: sites.collect(), more: 0 });
        let all = of.iter().chain([&sites]);
        self.load_labels(caller, all.map(|(by, groups)| (&by[..], groups))).await
    }
}

/// Counts and exposures. Someone who drove several kinds of machines is judged by the kind they drove the longest.
fn build_members(by: OutlierBy, groups: &Groups, exposed: &ExposureDays) -> Vec<Member<i64, PeerGroup>> {
    let mut members: Vec<Member<i64, PeerGroup>> = Vec::new();
    for group in &groups.groups {
        let [Some(id), kind] = group.keys[..] else { continue };
        let observed = group.figures.first().and_then(|incursions| incursions.numerator).unwrap_or(0);
        let (unit, exposure) = match exposed.days_seen(by) {
            Some(seen) => (ExposureUnit::Days, seen.get(&id).map_or(0.0, DaysSeen::days)),
            None => {
                let hours = group.figures.get(1).map(|hours| hours.value(Measure::RuntimeHours));
                (ExposureUnit::RuntimeHours, hours.and_then(Result::ok).unwrap_or(0.0))
            }
        };
        let observed = u64::try_from(observed).unwrap_or(0);
        let member = Member { key: id, group: PeerGroup { by, kind, site: None, unit }, observed, exposure };
        match members.last_mut() {
            // Groups come in the order of their keys, so that those of one id are neighbours.
            Some(last) if last.key == id => {
                if member.exposure > last.exposure {
                    *last = member;
                }
            }
            _ => members.push(member),
        }
    }
    members
}

/// Compares people on foot with those who are mostly at the same site: how often machines come by is the site's doing. Where a site
/// has too few to compare with, they are compared with those of other such sites.
fn assign_peer_sites(members: &mut [Member<i64, PeerGroup>], seen: &HashMap<i64, DaysSeen>) {
    let mut counts: HashMap<PeerGroup, usize> = HashMap::new();
    let on_foot = |member: &Member<i64, PeerGroup>| member.group.by == OutlierBy::Pedestrian;
    for member in members.iter_mut().filter(|member| on_foot(member)) {
        member.group.site = seen.get(&member.key).and_then(DaysSeen::main_site);
        if member.exposure >= member.group.unit.minimum() {
            *counts.entry(member.group).or_default() += 1;
        }
    }
    for member in members.iter_mut().filter(|member| on_foot(member)) {
        if counts.get(&member.group).is_none_or(|count| *count <= MIN_PEERS) {
            member.group.site = None;
        }
    }
}

fn label_outcome(outcome: MemberAssessment<i64, PeerGroup>, labels: &Labels) -> Outlier {
    let PeerGroup { by, kind, site, unit } = outcome.group;
    let part = labels.label(by.dimension(), Some(outcome.key));
    let peer_group = labels.label(by.peer_dimension(), kind);
    let peer_worksite = site.map(|site| labels.label(Dimension::Worksite, Some(site)));
    let site = peer_worksite.as_ref().map(|site| site.label.as_str());
    let sentence = sentence::explain(&outcome, &part.label, (&peer_group.label, site));
    Outlier { by, part, peer_group, peer_worksite, unit, outcome, sentence }
}

fn too_many(parameter: &str, text: String) -> Error {
    Error::range_too_wide(parameter, Invalid::new("too_many_groups", text))
}

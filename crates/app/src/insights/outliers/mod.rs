//! Outliers among peers: incursions relative to exposure, tested by the `statistics` crate.
//!
//! This file combines counts and exposures; [`exposure`] computes the exposure, [`sentence`] puts the result into words.

mod exposure;
mod sentence;

use std::collections::{HashMap, HashSet};

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Grouping, Groups, IncursionFilter, Key, Measure};
use domain::{Invalid, PersonKind, PersonName};
use statistics::{Member, MemberAssessment, MemberSelection, OutlierTest};

use super::labels::{Labelled, Labels};
use super::query::{QueryResult, QueryScope, QuerySpec};
use crate::{App, Caller, Error};
pub use exposure::ExposureUnit;
use exposure::{DaysSeen, ExposureDays, load_exposure_days};
pub use statistics::{Assessment, Comparison, MIN_PEERS, SkipReason};

/// The members that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutlierBy {
    /// Machines, compared with machines of the same kind.
    Machine,
    /// Worksites, compared with worksites of the same kind.
    Worksite,
    /// People on foot, compared with people of the same kind at the same worksite; small worksites are compared together.
    Pedestrian,
    /// Operators, compared with operators of the same kind of machine.
    Operator,
}

impl OutlierBy {
    pub const ALL: [Self; 4] = [Self::Machine, Self::Worksite, Self::Pedestrian, Self::Operator];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        self.dimension().as_str()
    }

    /// Parses the name in the API.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|by| by.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_dimension", format!("must be one of {words}"))
        })
    }

    /// Returns the dimension of the members.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Machine => Dimension::Machine,
            Self::Worksite => Dimension::Worksite,
            Self::Pedestrian => Dimension::Pedestrian,
            Self::Operator => Dimension::Operator,
        }
    }

    /// Returns the dimension that peers share. Operators share the kind of machine, because an hour in a truck is not one in a crane.
    pub const fn peer_dimension(self) -> Dimension {
        match self {
            Self::Machine | Self::Operator => Dimension::MachineKind,
            Self::Worksite => Dimension::WorksiteKind,
            Self::Pedestrian => Dimension::PersonKind,
        }
    }
}

/// A member that was compared with its peers.
#[derive(Clone, Debug)]
pub struct Outlier {
    pub by: OutlierBy,
    pub part: Labelled,
    /// The kind of its peers.
    pub peer_group: Labelled,
    /// The worksite of its peers, if they are all at one.
    pub peer_worksite: Option<Labelled>,
    /// The unit of its exposure.
    pub unit: ExposureUnit,
    pub outcome: MemberAssessment<i64, PeerGroup>,
    /// The result in words.
    pub sentence: String,
}

impl Outlier {
    /// Returns whether chance is an unlikely explanation.
    pub fn stands_out(&self) -> bool {
        self.outcome.outlier_test().is_some_and(stands_out)
    }
}

fn stands_out(judgement: &OutlierTest) -> bool {
    judgement.adjusted_p <= Outliers::THRESHOLD
}

/// The peers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerGroup {
    pub by: OutlierBy,
    /// The kind that they share.
    pub kind: Key,
    /// The worksite of people on foot, if it has enough of them.
    pub site: Key,
    pub unit: ExposureUnit,
}

/// The compared members.
#[derive(Clone, Debug)]
pub struct Outliers {
    /// The most remarkable members come first.
    pub members: Vec<Outlier>,
    /// Number of selected members beyond the limit.
    pub more: u64,
    /// Number of members that could be compared.
    pub judged: u64,
    /// Number of members that could not be compared, for lack of exposure or peers, or because the history is being loaded.
    pub not_judged: u64,
    /// Whether nobody was compared because the history of the period is being loaded.
    pub awaits_history: bool,
    pub result: QueryResult,
}

impl Outliers {
    /// The largest adjusted p-value at which a member is an outlier.
    pub const THRESHOLD: f64 = 0.05;
}

/// The members to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlierSelection {
    /// Only outliers.
    Outliers,
    /// All compared members.
    Everyone,
}

#[derive(Clone, Debug)]
pub struct OutliersRequest {
    /// The kinds of members; each is compared with its own peers.
    pub by: Vec<OutlierBy>,
    pub selection: OutlierSelection,
    /// Maximum number of members.
    pub limit: usize,
}

/// Maximum number of members in one query.
const MAX_MEMBERS: usize = 20_000;

#[macros::boxed]
impl App {
    /// Finds outliers among the members of the matching facts.
    pub async fn insight_outliers(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &IncursionFilter,
        request: &OutliersRequest,
    ) -> Result<Outliers, Error> {
        self.outliers_in(caller.query_scope(), filter, request).await
    }

    /// The same for a query scope, such as that of a report.
    pub(crate) async fn outliers_in(
        &self,
        query_scope: QueryScope<'_>,
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
        // Asked before the numbers, which may lack what is complete a moment later.
        let loading = self.loading_history(query_scope.scope.brand());
        let mut result = self.run_query_in(query_scope, of).await?;
        let mut members = Vec::new();
        let mut found = Vec::new();
        for by in &request.by {
            let groups = result.take_next_groups();
            if groups.more > 0 {
                return Err(too_many(
                    "by",
                    format!("finds more than {MAX_MEMBERS} to compare; narrow the filters"),
                ));
            }
            found.push((*by, groups));
        }
        if loading.is_some_and(|loaded| !loaded.reaches(result.from)) {
            let not_judged = found.iter().map(|(_, groups)| groups.groups.len() as u64).sum();
            let (members, awaits_history) = (Vec::new(), true);
            return Ok(Outliers { members, more: 0, judged: 0, not_judged, awaits_history, result });
        }
        let days = load_exposure_days(self, query_scope, filter, &result, &request.by).await?;
        for (by, groups) in &found {
            members.extend(build_members(*by, groups, &days));
        }
        if let Some(seen) = days.days_seen(OutlierBy::Pedestrian) {
            let unmet = self.people_without_incursions(query_scope, &members, seen).await?;
            members.extend(unmet);
            assign_peer_sites(&mut members, seen);
        }
        let max_adjusted_p = match request.selection {
            OutlierSelection::Everyone => None,
            OutlierSelection::Outliers => Some(Outliers::THRESHOLD),
        };
        let selection = MemberSelection { max_adjusted_p, limit: request.limit };
        let minimum = |group: &PeerGroup| group.unit.minimum();
        // Thousands of members take seconds to compute, which must not block a request thread.
        let found = self.compute(move || statistics::find_outliers(&members, minimum, &selection)).await?;
        let labels = self.labels_of_members(query_scope, &found.members).await?;
        Ok(Outliers {
            members: found.members.into_iter().map(|outcome| label_outcome(outcome, &labels)).collect(),
            more: found.more as u64,
            judged: found.tested as u64,
            not_judged: found.skipped as u64,
            awaits_history: false,
            result,
        })
    }

    /// Returns the people on foot who were present without an incursion.
    async fn people_without_incursions(
        &self,
        query_scope: QueryScope<'_>,
        members: &[Member<i64, PeerGroup>],
        seen: &HashMap<i64, DaysSeen>,
    ) -> Result<Vec<Member<i64, PeerGroup>>, Error> {
        let by = OutlierBy::Pedestrian;
        let met: HashSet<i64> =
            members.iter().filter(|member| member.group.by == by).map(|member| member.key).collect();
        let mut others: Vec<i64> = seen.keys().copied().filter(|id| !met.contains(id)).collect();
        others.sort_unstable();
        let found = self.store.read().await?.labels(query_scope.scope).people(&others).await?;
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
        query_scope: QueryScope<'_>,
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
        self.load_labels_in(query_scope, all.map(|(by, groups)| (&by[..], groups))).await
    }
}

/// Combines counts and exposures. An operator of several kinds of machines counts for the kind they drove longest.
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
            // Groups are sorted by key, so that those of one id are adjacent.
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

/// Compares people on foot with those who are mostly at the same worksite, because the worksite determines how often machines come
/// by. People at worksites with too few peers are compared with those of other such worksites.
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

//! What a rule looks at, if that is less than all of the place that a headline names.

use std::collections::HashSet;

use domain::access::ReadInsights;
use domain::insights::{Dimension, Group, Groups};
use domain::{
    AlertFiring, AlertFiringId, AlertScope, AlertSplit, FiringScope, MetricSource, PersonId, ScopeList,
};
use store::{Projects, Scope};
use texts::{Language, alerts, values};

use crate::accounts::out_of_scope_people::OutOfScopePeople;
use crate::alerts::firings::label_person;
use crate::insights::QueryScope;
use crate::{App, Caller, Error};

/// Names of a list that a mail gives, and names that a headline gives; the others are counted.
const MAX_NAMES: usize = 10;
const MAX_IN_HEADLINE: usize = 2;

/// The names of what a rule is restricted to, as a reader sees them. It is the rule as it was when it fired.
#[derive(Clone, Debug)]
pub(super) struct ScopeNames {
    restriction: FiringScope,
    lists: Vec<ListNames>,
}

#[derive(Clone, Debug)]
struct ListNames {
    list: ScopeList,
    names: Vec<String>,
    /// How many more there are that the reader does not see, or that are gone.
    unnamed: usize,
}

impl ScopeNames {
    /// Writes for a headline what restricts a firing. The value of a tag, a station or a visit does not depend on which others the rule
    /// looks at.
    pub fn in_headline(&self, language: Language, firing: &AlertFiring) -> Option<String> {
        if firing.metric.source() == MetricSource::Rows {
            return None;
        }
        let (mut names, mut more) = (Vec::new(), 0);
        for one in self.beyond_place(firing) {
            more += one.unnamed;
            for name in &one.names {
                match one.list {
                    _ if names.len() >= MAX_IN_HEADLINE => more += 1,
                    ScopeList::Zones => names.push(alerts::ZONE_NAMED.fill(language, &[("name", name)])),
                    _ => names.push(name.clone()),
                }
            }
        }
        (!names.is_empty() || more > 0).then(|| join(language, names, more))
    }

    /// Writes all that restricts a firing.
    pub fn in_full(&self, language: Language, firing: &AlertFiring) -> Option<String> {
        let write = |one: &ListNames| {
            let names: Vec<String> = one.names.iter().take(MAX_NAMES).cloned().collect();
            let more = one.unnamed + one.names.len().saturating_sub(MAX_NAMES);
            let names = join(language, names, more);
            match word_of(one.list) {
                Some(word) => {
                    let kind = values::dimension(language, word);
                    alerts::KIND_AND_NAMES.fill(language, &[("kind", kind), ("names", &names)])
                }
                None => names,
            }
        };
        let lists: Vec<String> = self.beyond_place(firing).map(write).collect();
        (!lists.is_empty()).then(|| lists.join("; "))
    }

    /// Returns the lists that restrict a firing beyond what its place says.
    fn beyond_place<'a>(&'a self, firing: &'a AlertFiring) -> impl Iterator<Item = &'a ListNames> {
        self.lists.iter().filter(move |one| !is_said(&self.restriction, firing, one.list))
    }
}

fn join(language: Language, mut names: Vec<String>, more: usize) -> String {
    if more > 0 {
        names.push(alerts::MORE_NAMES.of(language, i64::try_from(more).unwrap_or(i64::MAX), &[]));
    }
    names.join(", ")
}

/// Whether the place of a firing says what a list restricts its rule to.
fn is_said(restriction: &FiringScope, firing: &AlertFiring, list: ScopeList) -> bool {
    let (subject, split_by) = (&firing.subject, restriction.split_by);
    let listed = |id: Option<i64>| id.is_some_and(|id| restriction.scope.ids(list).contains(&id));
    let is_split =
        |splits: &[AlertSplit]| firing.metric.source() == MetricSource::Rows || splits.contains(&split_by);
    match list {
        ScopeList::Projects => split_by == AlertSplit::Worksite || listed(subject.project.map(|id| id.0)),
        ScopeList::Worksites => listed(subject.worksite.map(|id| id.0)),
        ScopeList::Machines => {
            is_split(&[AlertSplit::Machine, AlertSplit::Pair]) && listed(subject.machine.map(|id| id.0))
        }
        ScopeList::BaseStations => {
            is_split(&[AlertSplit::BaseStation]) && listed(subject.base_station.map(|id| id.0))
        }
        ScopeList::People => {
            is_split(&[AlertSplit::Person, AlertSplit::Pair]) && listed(subject.person.map(|id| id.0))
        }
        ScopeList::Tags => is_split(&[AlertSplit::Tag]) && listed(subject.tag.map(|id| id.0)),
        ScopeList::Zones => false,
    }
}

/// Returns the word for what a list has. People need none: those without a name are called such as "Person 7".
fn word_of(list: ScopeList) -> Option<&'static str> {
    match list {
        ScopeList::Projects => Some("project"),
        ScopeList::Worksites => Some("worksite"),
        ScopeList::Machines => Some("machine"),
        ScopeList::BaseStations => Some("base_station"),
        ScopeList::People => None,
        ScopeList::Tags => Some("tag"),
        ScopeList::Zones => Some("zone"),
    }
}

/// Returns the dimension by which the names of a list are looked up; zones are words.
fn dimension_of(list: ScopeList) -> Option<Dimension> {
    match list {
        ScopeList::Projects => Some(Dimension::Project),
        ScopeList::Worksites => Some(Dimension::Worksite),
        ScopeList::Machines => Some(Dimension::Machine),
        ScopeList::BaseStations => Some(Dimension::BaseStation),
        ScopeList::People => Some(Dimension::Pedestrian),
        ScopeList::Tags => Some(Dimension::Tag),
        ScopeList::Zones => None,
    }
}

impl App {
    /// Writes all that restricted a firing when it fired, as its mail does, with the names that the caller sees.
    pub async fn describe_restriction(
        &self,
        caller: &Caller<ReadInsights>,
        language: Language,
        firing: &AlertFiring,
    ) -> Result<Option<String>, Error> {
        let mut tx = self.store.read().await?;
        let found = tx.alert_firings(caller.scope()).scopes(&[firing.id]).await?;
        drop(tx);
        let Some((_, restriction)) = found.into_iter().next() else { return Ok(None) };
        let names = self.name_restriction(caller.query_scope(), language, restriction).await?;
        Ok(names.in_full(language, firing))
    }

    /// Returns the names of what each firing was restricted to when it fired, in their order. None where that is not known.
    pub(super) async fn name_restrictions(
        &self,
        reader: QueryScope<'_>,
        language: Language,
        firings: &[AlertFiring],
    ) -> Result<Vec<Option<ScopeNames>>, Error> {
        let ids: Vec<AlertFiringId> = firings.iter().map(|firing| firing.id).collect();
        let mut tx = self.store.read().await?;
        let found = tx.alert_firings(reader.scope).scopes(&ids).await?;
        drop(tx);
        // Most have one and the same.
        let mut named: Vec<ScopeNames> = Vec::new();
        for (_, restriction) in &found {
            if named.iter().all(|known| known.restriction != *restriction) {
                named.push(self.name_restriction(reader, language, restriction.clone()).await?);
            }
        }
        let names_of = |firing: &AlertFiring| {
            let (_, restriction) = found.iter().find(|(id, _)| *id == firing.id)?;
            named.iter().find(|known| known.restriction == *restriction).cloned()
        };
        Ok(firings.iter().map(names_of).collect())
    }

    /// Returns the names of what a rule is restricted to, as far as a reader sees them.
    pub(super) async fn name_restriction(
        &self,
        reader: QueryScope<'_>,
        language: Language,
        restriction: FiringScope,
    ) -> Result<ScopeNames, Error> {
        let scope = &restriction.scope;
        if ScopeList::ALL.into_iter().all(|list| scope.len_of(list) == 0) {
            return Ok(ScopeNames { restriction, lists: Vec::new() });
        }
        let seen = self.find_seen_part(reader.scope, scope).await?;
        let groups = |list: ScopeList| {
            let group = |id: &i64| Group { keys: vec![Some(*id)], figures: Vec::new() };
            Groups { groups: seen.ids(list).iter().map(group).collect(), more: 0 }
        };
        let wanted: Vec<([Dimension; 1], Groups)> = ScopeList::ALL
            .into_iter()
            .filter_map(|list| Some(([dimension_of(list)?], groups(list))))
            .collect();
        let wanted = wanted.iter().map(|(dimensions, groups)| (&dimensions[..], groups));
        let labels = self.load_labels_in(reader, wanted).await?;
        let hidden = match seen.person_ids.is_empty() {
            true => OutOfScopePeople::default(),
            false => self.find_hidden_people(reader.scope).await?,
        };
        let name = |list: ScopeList, id: i64| match list {
            ScopeList::People => Some(label_person(PersonId(id), &labels, &hidden)),
            _ => labels.name(dimension_of(list)?, id).map(str::to_owned),
        };
        let zone = |word: &String| values::zone(language, word).to_owned();
        let restricting = ScopeList::ALL.into_iter().filter(|list| scope.len_of(*list) > 0);
        let lists = restricting.map(|list| {
            let names: Vec<String> = match list {
                ScopeList::Zones => scope.zones.iter().map(zone).collect(),
                _ => seen.ids(list).iter().filter_map(|id| name(list, *id)).collect(),
            };
            ListNames { list, unnamed: scope.len_of(list).saturating_sub(names.len()), names }
        });
        let lists = lists.collect();
        Ok(ScopeNames { restriction, lists })
    }

    /// Returns what of a scope lies within the projects of a reader. Tags and people have no project.
    async fn find_seen_part(&self, reader: &Scope, scope: &AlertScope) -> Result<AlertScope, Error> {
        let Projects::Only(mine) = reader.projects() else { return Ok(scope.clone()) };
        let mut tx = self.store.read().await?;
        let mut values = tx.device_values(reader);
        let worksites = values.worksite_zones().await?;
        let machines = values.machine_sites().await?;
        let stations = values.stations().await?;
        let kept = |ids: &[i64], seen: HashSet<i64>| -> Vec<i64> {
            ids.iter().copied().filter(|id| seen.contains(id)).collect()
        };
        Ok(AlertScope {
            project_ids: kept(&scope.project_ids, mine.iter().map(|id| id.0).collect()),
            worksite_ids: kept(&scope.worksite_ids, worksites.iter().map(|(id, _, _)| id.0).collect()),
            machine_ids: kept(&scope.machine_ids, machines.iter().map(|(id, _)| id.0).collect()),
            base_station_ids: kept(
                &scope.base_station_ids,
                stations.iter().map(|one| one.station.0).collect(),
            ),
            ..scope.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertMetric, AlertRule, FiringSubject, MachineId, WorksiteId};

    use super::super::content::tests::{firing, rule};
    use super::*;

    fn names(list: ScopeList, names: &[&str], unnamed: usize) -> ListNames {
        ListNames { list, names: names.iter().map(|name| (*name).to_owned()).collect(), unnamed }
    }

    /// A firing about machine 5 at worksite 4.
    fn about(rule: &AlertRule) -> AlertFiring {
        let subject = FiringSubject {
            worksite: Some(WorksiteId(4)),
            machine: Some(MachineId(5)),
            ..FiringSubject::default()
        };
        AlertFiring { subject, ..firing(rule, 12, 1) }
    }

    #[test]
    fn what_the_place_does_not_say_is_a_restriction() {
        let scope = AlertScope {
            worksite_ids: vec![4],
            machine_ids: vec![5],
            zones: vec!["danger".to_owned()],
            ..AlertScope::default()
        };
        let written = |metric: AlertMetric, split_by: AlertSplit| {
            let lists = vec![
                names(ScopeList::Worksites, &["Yard"], 0),
                names(ScopeList::Machines, &["Crane 2"], 0),
                names(ScopeList::Zones, &["Danger"], 0),
            ];
            let all = ScopeNames { restriction: FiringScope { scope: scope.clone(), split_by }, lists };
            let firing = about(&rule(metric, split_by));
            (all.in_headline(Language::English, &firing), all.in_full(Language::English, &firing))
        };
        let some = |text: &str| Some(text.to_owned());
        let (headline, full) = written(AlertMetric::Incursions, AlertSplit::Worksite);
        assert_eq!((headline, full), (some("Crane 2, zone Danger"), some("Machine Crane 2; Zone Danger")));
        let (headline, full) = written(AlertMetric::Incursions, AlertSplit::Machine);
        assert_eq!((headline, full), (some("zone Danger"), some("Zone Danger")));
        // A station is silent for itself, whatever others are looked at.
        let (headline, full) = written(AlertMetric::BaseStationSilent, AlertSplit::Worksite);
        assert_eq!((headline, full), (None, some("Zone Danger")));
        let rule = rule(AlertMetric::Incursions, AlertSplit::Worksite);
        let restriction = FiringScope { scope: AlertScope::default(), split_by: AlertSplit::Worksite };
        let nothing = ScopeNames { restriction, lists: Vec::new() };
        assert_eq!(nothing.in_headline(Language::English, &about(&rule)), None);
        assert_eq!(nothing.in_full(Language::English, &about(&rule)), None);
    }

    #[test]
    fn many_names_are_counted() {
        let rule = rule(AlertMetric::Incursions, AlertSplit::Worksite);
        let scope = AlertScope { machine_ids: (1..=15).collect(), ..AlertScope::default() };
        let restriction = FiringScope { scope, split_by: AlertSplit::Worksite };
        let machines: Vec<String> = (1..=12).map(|number| format!("M{number}")).collect();
        let machines: Vec<&str> = machines.iter().map(String::as_str).collect();
        let lists = vec![names(ScopeList::Machines, &machines, 3)];
        let many = ScopeNames { restriction: restriction.clone(), lists };
        let headline = many.in_headline(Language::English, &about(&rule));
        assert_eq!(headline.as_deref(), Some("M1, M2, 13 more"));
        let full = many.in_full(Language::German, &about(&rule));
        let expected = "Maschine M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, 5 weitere";
        assert_eq!(full.as_deref(), Some(expected));
        let unseen = ScopeNames { restriction, lists: vec![names(ScopeList::Machines, &[], 3)] };
        let headline = unseen.in_headline(Language::German, &about(&rule));
        assert_eq!(headline.as_deref(), Some("3 weitere"));
    }
}

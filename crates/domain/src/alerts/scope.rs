//! What a rule is about.

use serde::{Deserialize, Serialize};

use crate::{Invalid, PersonId, Zone};

pub use super::split::{AlertSplit, SplitKey};

/// The lists of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeList {
    Projects,
    Worksites,
    Machines,
    /// Either role in incursions, the wearer of tags, the visitor of visits.
    People,
    Tags,
    BaseStations,
    Zones,
}

impl ScopeList {
    pub const ALL: [Self; 7] = [
        Self::Projects,
        Self::Worksites,
        Self::Machines,
        Self::People,
        Self::Tags,
        Self::BaseStations,
        Self::Zones,
    ];

    /// Returns the name of its field in a scope.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Projects => "project_ids",
            Self::Worksites => "worksite_ids",
            Self::Machines => "machine_ids",
            Self::People => "person_ids",
            Self::Tags => "tag_ids",
            Self::BaseStations => "base_station_ids",
            Self::Zones => "zones",
        }
    }

    /// Returns the name of its field in a rule, under which faults are reported.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Projects => "scope.project_ids",
            Self::Worksites => "scope.worksite_ids",
            Self::Machines => "scope.machine_ids",
            Self::People => "scope.person_ids",
            Self::Tags => "scope.tag_ids",
            Self::BaseStations => "scope.base_station_ids",
            Self::Zones => "scope.zones",
        }
    }
}

/// The records that a rule is about. Empty lists do not restrict.
#[derive(Clone, Debug, Default, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertScope {
    pub project_ids: Vec<i64>,
    pub worksite_ids: Vec<i64>,
    pub machine_ids: Vec<i64>,
    pub person_ids: Vec<i64>,
    pub tag_ids: Vec<i64>,
    pub base_station_ids: Vec<i64>,
    pub zones: Vec<String>,
}

/// Scopes with the same members are equal, in whatever order they are listed.
impl PartialEq for AlertScope {
    fn eq(&self, other: &Self) -> bool {
        let same_zones = sorted(&self.zones) == sorted(&other.zones);
        same_zones && ScopeList::ALL.into_iter().all(|list| sorted(self.ids(list)) == sorted(other.ids(list)))
    }
}

impl AlertScope {
    /// The maximum number of items in each list.
    pub const MAX_IDS: usize = 200;

    /// Reads what [`AlertScope::to_json`] writes.
    pub fn parse_stored(text: &str) -> Result<Self, Invalid> {
        serde_json::from_str(text)
            .map_err(|_| Invalid::new("invalid_scope", "must be a JSON object with lists of ids"))
    }

    /// Writes the lists sorted, with each item once.
    pub fn to_json(&self) -> String {
        let scope = Self {
            project_ids: sorted(&self.project_ids),
            worksite_ids: sorted(&self.worksite_ids),
            machine_ids: sorted(&self.machine_ids),
            person_ids: sorted(&self.person_ids),
            tag_ids: sorted(&self.tag_ids),
            base_station_ids: sorted(&self.base_station_ids),
            zones: sorted(&self.zones),
        };
        serde_json::json!(scope).to_string()
    }

    /// Returns the ids of a list; none for zones, which are words.
    pub fn ids(&self, list: ScopeList) -> &[i64] {
        match list {
            ScopeList::Projects => &self.project_ids,
            ScopeList::Worksites => &self.worksite_ids,
            ScopeList::Machines => &self.machine_ids,
            ScopeList::People => &self.person_ids,
            ScopeList::Tags => &self.tag_ids,
            ScopeList::BaseStations => &self.base_station_ids,
            ScopeList::Zones => &[],
        }
    }

    pub fn zones(&self) -> Vec<Zone> {
        self.zones.iter().filter_map(|word| Zone::parse(word).ok()).collect()
    }

    /// Returns the number of items in a list.
    pub fn len_of(&self, list: ScopeList) -> usize {
        match list {
            ScopeList::Zones => self.zones.len(),
            _ => self.ids(list).len(),
        }
    }

    /// Removes an erased person; true if it was there. A list that becomes empty by this no longer restricts: whoever removes the last
    /// person must also see to it that the rule does not watch everyone from then on.
    pub fn remove_person(&mut self, id: PersonId) -> bool {
        let before = self.person_ids.len();
        self.person_ids.retain(|person| *person != id.0);
        self.person_ids.len() < before
    }
}

fn sorted<T: Clone + Ord>(items: &[T]) -> Vec<T> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_the_field_in_the_rule() {
        for list in ScopeList::ALL {
            assert_eq!(list.path(), format!("scope.{}", list.field()));
        }
    }

    #[test]
    fn scopes_go_both_ways_sorted_and_without_repetitions() {
        let scope = AlertScope {
            machine_ids: vec![7, 3, 7],
            zones: vec!["danger".to_owned(), "danger".to_owned()],
            ..AlertScope::default()
        };
        let stored = AlertScope::parse_stored(&scope.to_json()).unwrap();
        assert_eq!((&stored.machine_ids[..], stored.zones()), (&[3, 7][..], vec![Zone::Danger]));
        assert_eq!(stored, scope);
        assert_ne!(stored, AlertScope { machine_ids: vec![3], ..stored.clone() });
        assert_ne!(stored, AlertScope { zones: Vec::new(), ..stored.clone() });
        assert_eq!(AlertScope::parse_stored("{}").unwrap(), AlertScope::default());
        for bad in ["", "{\"machines\": [1]}", "{\"machine_ids\": [\"1\"]}", "null"] {
            assert!(AlertScope::parse_stored(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_erased_person_is_in_no_scope() {
        let mut scope = AlertScope { person_ids: vec![4, 5, 4], tag_ids: vec![4], ..AlertScope::default() };
        assert!(scope.remove_person(PersonId(4)) && !scope.remove_person(PersonId(4)));
        assert_eq!((scope.ids(ScopeList::People), scope.ids(ScopeList::Tags)), (&[5][..], &[4][..]));
    }
}

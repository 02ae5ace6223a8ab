//! The records that an alert is about, as bodies and answers have them.

use domain::{Invalid, Zone};
use serde_json::Value;
use web::{Fields, enum_schemas};

/// Records that an alert is about. A list that is left out or empty does not restrict.
#[web::body(parts)]
pub struct NewAlertScope {
    /// Identifiers of projects, at most 200.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    project_ids: Vec<i64>,
    /// Identifiers of worksites, at most 200.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    worksite_ids: Vec<i64>,
    /// Identifiers of machines, at most 200.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    machine_ids: Vec<i64>,
    /// Identifiers of people, at most 200: on foot or driving for metrics of incursions, wearers for those of tags, visitors for those of
    /// visits.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    person_ids: Vec<i64>,
    /// Identifiers of tags, at most 200.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    tag_ids: Vec<i64>,
    /// Identifiers of base stations, at most 200.
    #[schema(value_type = Option<Vec<i64>>, nullable = false, max_items = 200)]
    #[field(read = read_ids)]
    base_station_ids: Vec<i64>,
    /// Zones in which incursions are counted.
    #[schema(value_type = Option<Vec<enum_schemas::Zone>>, nullable = false, example = json!(["danger"]))]
    #[field(read = read_zones)]
    zones: Vec<String>,
}

/// Records that an alert is about. An empty list does not restrict.
#[web::answer]
pub struct AlertScope {
    /// Identifiers of projects.
    #[schema(example = json!([2]))]
    project_ids: Vec<i64>,
    /// Identifiers of worksites.
    #[schema(example = json!([1]))]
    worksite_ids: Vec<i64>,
    /// Identifiers of machines.
    #[schema(example = json!([]))]
    machine_ids: Vec<i64>,
    /// Identifiers of people: on foot or driving for metrics of incursions, wearers for those of tags, visitors for those of visits.
    #[schema(example = json!([]))]
    person_ids: Vec<i64>,
    /// Identifiers of tags.
    #[schema(example = json!([]))]
    tag_ids: Vec<i64>,
    /// Identifiers of base stations.
    #[schema(example = json!([]))]
    base_station_ids: Vec<i64>,
    /// Zones in which incursions are counted.
    #[schema(value_type = Vec<enum_schemas::Zone>, example = json!(["danger"]))]
    zones: Vec<String>,
}

impl From<domain::AlertScope> for AlertScope {
    fn from(scope: domain::AlertScope) -> Self {
        Self {
            project_ids: scope.project_ids,
            worksite_ids: scope.worksite_ids,
            machine_ids: scope.machine_ids,
            person_ids: scope.person_ids,
            tag_ids: scope.tag_ids,
            base_station_ids: scope.base_station_ids,
            zones: scope.zones,
        }
    }
}

/// Reads a scope, which may be left out or null. `None` means that an error was recorded.
pub fn read_scope(fields: &mut Fields, name: &str) -> Option<domain::AlertScope> {
    match fields.take(name) {
        None | Some(Value::Null) => Some(domain::AlertScope::default()),
        Some(value) => fields.object(name, value, read_lists),
    }
}

fn read_lists(fields: &mut Fields) -> Option<domain::AlertScope> {
    let parts = NewAlertScope::read_parts(fields);
    Some(domain::AlertScope {
        project_ids: parts.project_ids?,
        worksite_ids: parts.worksite_ids?,
        machine_ids: parts.machine_ids?,
        person_ids: parts.person_ids?,
        tag_ids: parts.tag_ids?,
        base_station_ids: parts.base_station_ids?,
        zones: parts.zones?,
    })
}

fn read_ids(fields: &mut Fields, name: &str) -> Option<Vec<i64>> {
    read_sorted(fields, name, domain::AlertScope::MAX_IDS, web::id)
}

fn read_zones(fields: &mut Fields, name: &str) -> Option<Vec<String>> {
    let parse = |text: &str| Zone::parse(text).map(|zone| zone.as_str().to_owned());
    read_sorted(fields, name, Zone::ALL.len(), |value| web::text(parse)(value))
}

/// Reads a list that may be left out, sorted and without repetitions, as it is stored.
fn read_sorted<T: Ord>(
    fields: &mut Fields,
    name: &str,
    max_items: usize,
    read: impl Fn(&Value) -> Result<T, Invalid>,
) -> Option<Vec<T>> {
    let mut items = web::list_in_given_order(fields, name, max_items, read)?;
    items.sort_unstable();
    items.dedup();
    Some(items)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(scope: &Value) -> Result<domain::AlertScope, Vec<String>> {
        let Value::Object(body) = json!({ "scope": scope }) else { panic!("an object") };
        web::read_fields(body, |fields| read_scope(fields, "scope")).map_err(|error| {
            error.fields.iter().map(|fault| format!("{}: {}", fault.field, fault.invalid.code)).collect()
        })
    }

    #[test]
    fn lists_are_sorted_and_have_each_item_once() {
        let scope = read(&json!({ "machine_ids": [7, 5, 7], "zones": ["danger", "danger"] })).unwrap();
        assert_eq!((scope.machine_ids, scope.zones), (vec![5, 7], vec!["danger".to_owned()]));
        assert!(
            read(&Value::Null).unwrap() == domain::AlertScope::default()
                && read(&json!({})).unwrap() == domain::AlertScope::default()
        );
    }

    #[test]
    fn faults_are_named_by_their_place() {
        let many: Vec<i64> = (0..201).collect();
        for (scope, fault) in [
            (json!([]), "scope: wrong_type"),
            (json!({ "machine_ids": [1, "x"] }), "scope.machine_ids.1: wrong_type"),
            (json!({ "machine_ids": many }), "scope.machine_ids: too_many"),
            (json!({ "machine_ids": null }), "scope.machine_ids: required"),
            (json!({ "zones": ["safe"] }), "scope.zones.0: invalid_zone"),
            (json!({ "machines": [1] }), "scope.machines: unknown_field"),
        ] {
            assert_eq!(read(&scope.clone()).unwrap_err(), [fault], "{scope}");
        }
    }
}

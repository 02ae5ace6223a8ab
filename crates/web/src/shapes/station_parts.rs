//! Lists of the parts of a base station, in which no part is named twice.

use std::collections::HashSet;

use domain::antenna::MAX_CAMERAS;
use domain::{Change, Invalid, PartName};

use crate::request::body_field::BodyField;
use crate::request::fields::Fields;

/// Reads the names of all cameras, each of which may be given once.
pub fn read_cameras(fields: &mut Fields, name: &str) -> Option<Change<Vec<PartName>>> {
    let cameras = fields.change_list(name, MAX_CAMERAS, |fields, path, value| {
        fields.item(path, &value, PartName::from_json)
    })?;
    reject_repeated_parts(fields, name, "", cameras, PartName::key)
}

/// Refuses a list in which two items have the same key. `part` is the path, within an item, of the field that has the key.
pub fn reject_repeated_parts<T>(
    fields: &mut Fields,
    name: &str,
    part: &str,
    list: Change<Vec<T>>,
    key: impl Fn(&T) -> String,
) -> Option<Change<Vec<T>>> {
    if let Change::Set(list) = &list {
        let mut seen = HashSet::new();
        if let Some(index) = list.iter().position(|one| !seen.insert(key(one))) {
            let repeated = Invalid::new("repeated", "must not be in the list twice");
            return fields.add_fault(&format!("{name}.{index}{part}"), repeated);
        }
    }
    Some(list)
}

//! The writable fields of a base station, shared by registration and change.

use std::collections::HashSet;

use app::BaseStationChange;
use domain::antenna::{MAX_ANTENNAS, MAX_CAMERAS};
use domain::{AntennaZones, Change, Invalid, Name, PartName, Serial, Timestamp, ZoneRadius};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Fields, text};

/// Zone radii around an antenna.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes a part of the body for OpenAPI; it is read field by field")]
pub struct Zones {
    /// Name of the antenna; each antenna only once.
    #[schema(example = "front", min_length = 1, max_length = 32)]
    antenna: String,
    /// Radius of the warning zone, the outer one, in metres, accurate to the centimetre.
    #[schema(example = 6.5, minimum = 0.5, maximum = 50)]
    warning_m: f64,
    /// Radius of the danger zone, the inner one, in metres, accurate to the centimetre. It must not exceed `warning_m`.
    #[schema(example = 3.0, minimum = 0.5, maximum = 50)]
    danger_m: f64,
}

pub fn read(fields: &mut Fields) -> Option<BaseStationChange> {
    let serial = fields.change("serial", text(Serial::parse));
    let name = fields.change_optional("name", text(Name::parse));
    let cameras = fields.change_list("cameras", MAX_CAMERAS, |fields, path, value| {
        fields.item(path, &value, text(PartName::parse))
    });
    let cameras =
        cameras.and_then(|cameras| reject_duplicates(fields, "cameras", "", cameras, PartName::key));
    let zones =
        fields.change_list("zones", MAX_ANTENNAS, |fields, path, value| fields.object(path, value, zones));
    let zones = zones
        .and_then(|zones| reject_duplicates(fields, "zones", ".antenna", zones, |one| one.antenna.key()));
    let effective_from = fields.optional("effective_from", text(Timestamp::parse));
    let (zones, effective_from) = (zones?, effective_from?);
    if effective_from.is_some() && zones == Change::Keep {
        return fields.add_fault("zones", Invalid::new("required", "must be given with effective_from"));
    }
    Some(BaseStationChange { serial: serial?, name: name?, cameras: cameras?, zones, effective_from })
}

fn zones(fields: &mut Fields) -> Option<AntennaZones> {
    let antenna = fields.required("antenna", text(PartName::parse));
    let warning = fields.required("warning_m", read_zone_radius);
    let danger = fields.required("danger_m", read_zone_radius);
    let (warning, danger) = (warning?, danger?);
    if danger > warning {
        let beyond = Invalid::new("out_of_range", "must not be more than warning_m");
        return fields.add_fault("danger_m", beyond);
    }
    Some(AntennaZones { antenna: antenna?, warning, danger })
}

fn read_zone_radius(value: &Value) -> Result<ZoneRadius, Invalid> {
    match value.as_f64() {
        Some(metres) => ZoneRadius::from_metres(metres),
        None => Err(Invalid::new("wrong_type", "must be a number of metres")),
    }
}

/// Refuses a list in which two items have the same key. `part` is the path, within an item, of the field that has the key.
fn reject_duplicates<T>(
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

//! The writable fields of a base station, shared by registration and change.

use domain::antenna::MAX_ANTENNAS;
use domain::{AntennaZones, Change, Invalid, PartName, Timestamp, ZoneRadius};
use serde_json::Value;
use web::Fields;

/// Zone radii around an antenna.
#[web::body(parts)]
pub struct Zones {
    /// Name of the antenna; each antenna only once.
    #[schema(example = "front", min_length = 1, max_length = 32)]
    antenna: PartName,
    /// Radius of the warning zone, the outer one, in metres, accurate to the centimetre.
    #[schema(value_type = f64, example = 6.5, minimum = 0.5, maximum = 50)]
    #[field(with = read_zone_radius)]
    warning_m: ZoneRadius,
    /// Radius of the danger zone, the inner one, in metres, accurate to the centimetre. It must not exceed `warning_m`.
    #[schema(value_type = f64, example = 3.0, minimum = 0.5, maximum = 50)]
    #[field(with = read_zone_radius)]
    danger_m: ZoneRadius,
}

/// Reads the zones of all antennas, each of which may be given once.
pub fn zones(fields: &mut Fields, name: &str) -> Option<Change<Vec<AntennaZones>>> {
    read_zones(fields, name, antenna_zones)
}

/// Reads the zones of all antennas, which may be those that were shown, with the times since which they have applied.
pub fn shown_zones(fields: &mut Fields, name: &str) -> Option<Change<Vec<AntennaZones>>> {
    read_zones(fields, name, |fields| {
        fields.take("from");
        antenna_zones(fields)
    })
}

fn read_zones(
    fields: &mut Fields,
    name: &str,
    read: fn(&mut Fields) -> Option<AntennaZones>,
) -> Option<Change<Vec<AntennaZones>>> {
    let zones =
        fields.change_list(name, MAX_ANTENNAS, |fields, path, value| fields.object(path, value, read))?;
    web::reject_repeated_parts(fields, name, ".antenna", zones, |one| one.antenna.key())
}

/// Returns the zones and the time from which they apply, which must not be given without zones.
pub fn check_zones(
    fields: &mut Fields,
    zones: Option<Change<Vec<AntennaZones>>>,
    effective_from: Option<Option<Timestamp>>,
) -> Option<(Change<Vec<AntennaZones>>, Option<Timestamp>)> {
    let (zones, effective_from) = (zones?, effective_from?);
    if effective_from.is_some() && zones == Change::Keep {
        return fields.add_fault("zones", Invalid::new("required", "must be given with effective_from"));
    }
    Some((zones, effective_from))
}

fn antenna_zones(fields: &mut Fields) -> Option<AntennaZones> {
    let parts = Zones::read_parts(fields);
    let (warning, danger) = (parts.warning_m?, parts.danger_m?);
    if danger > warning {
        let beyond = Invalid::new("out_of_range", "must not be more than warning_m");
        return fields.add_fault("danger_m", beyond);
    }
    Some(AntennaZones { antenna: parts.antenna?, warning, danger })
}

fn read_zone_radius(value: &Value) -> Result<ZoneRadius, Invalid> {
    match value.as_f64() {
        Some(metres) => ZoneRadius::from_metres(metres),
        None => Err(Invalid::new("wrong_type", "must be a number of metres")),
    }
}

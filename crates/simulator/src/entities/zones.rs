//! The zones around a machine's antennas, which are set for the machine and sometimes adjusted.

use domain::{AntennaZones, MachineKind, ZoneRadius};

use crate::primitives::chance::Chance;
use crate::primitives::checked_values;

/// Returns the number of antennas and the radii of the warning zone in half metres: 2 to 10 m, the range that stations support.
const fn zone_defaults(kind: MachineKind) -> (usize, i64, i64) {
    match kind {
        MachineKind::Crane | MachineKind::Excavator => (4, 13, 20),
        MachineKind::DumpTruck | MachineKind::Dozer | MachineKind::Loader => (4, 11, 18),
        MachineKind::Truck | MachineKind::Telehandler => (3, 10, 16),
        _ => (2, 8, 13),
    }
}

const ANTENNAS: [&str; 4] = ["Front", "Rear", "Left", "Right"];

/// Returns the zones of a new station.
pub(crate) fn initial_zones(kind: MachineKind, chance: &mut Chance) -> Vec<AntennaZones> {
    let (antennas, min, max) = zone_defaults(kind);
    let zones = |antenna: &&str| {
        let warning = chance.integer(min, max);
        let danger = (warning as f64 * chance.between(0.4, 0.6)).round() as i64;
        zones_of(antenna, warning * 50, danger.max(4) * 50)
    };
    ANTENNAS[..antennas].iter().map(zones).collect()
}

/// Returns the zones after someone found them too small or too large.
pub(crate) fn adjusted_zones(before: &[AntennaZones], chance: &mut Chance) -> Vec<AntennaZones> {
    let share = if chance.happens(0.6) { 0.8 } else { 1.2 };
    let scaled = |reach: ZoneRadius, min: i64, max: i64| {
        ((reach.centimetres() as f64 * share / 50.0).round() as i64 * 50).clamp(min, max)
    };
    let zones = |zones: &AntennaZones| {
        let warning = scaled(zones.warning, 300, 1000);
        zones_of(zones.antenna.as_str(), warning, scaled(zones.danger, 150, warning - 100))
    };
    before.iter().map(zones).collect()
}

fn zones_of(antenna: &str, warning_cm: i64, danger_cm: i64) -> AntennaZones {
    AntennaZones {
        antenna: checked_values::part(antenna),
        warning: ZoneRadius::from_centimetres(warning_cm),
        danger: ZoneRadius::from_centimetres(danger_cm),
    }
}

//! Machines and the base stations on them.

use domain::{AntennaZones, MachineKind, WorksiteKind};

use crate::entities::site_geometry::Spot;
use crate::entities::sites::SiteProfile;
use crate::entities::{names, zones};
use crate::plan::Plan;
use crate::primitives::chance::{Chance, Purpose, Source};
use crate::primitives::checked_values;
use crate::registry::{BaseStation, Installation, Machine, Registry};

/// How many times more often the planted machine meets people than others of its kind.
pub(crate) const PLANTED_FACTOR: f64 = 3.0;

/// One in so many machines gets another station, and one in so many gets other zones, during the simulation.
const SWAP_EVERY: usize = 12;
const REFIT_EVERY: usize = 8;

/// The simulated properties of a machine in addition to its record.
#[derive(Clone, Debug)]
pub(crate) struct MachineProfile {
    pub site: usize,
    /// The index of its shift at the worksite.
    pub shift: usize,
    /// The spots where it stops to work.
    pub stops: Vec<Spot>,
    /// The speed between stops in metres per second, and the duration of a stop in seconds.
    pub speed_m_s: f64,
    pub stay_s: (f64, f64),
    /// Incursions per hour, before trends and randomness.
    pub incursions_per_hour: f64,
    /// The stations it had, each with the local day of installation.
    pub stations: Vec<(usize, usize)>,
}

impl MachineProfile {
    /// Returns the station it has on a day.
    pub fn station(&self, day: usize) -> usize {
        let later = self.stations.partition_point(|(from, _)| *from <= day);
        self.stations[later.saturating_sub(1)].1
    }
}

/// The simulated properties of a station in addition to its record.
#[derive(Clone, Debug)]
pub(crate) struct StationProfile {
    /// Its zones, each with the local day from which they apply.
    pub zones: Vec<(usize, Vec<AntennaZones>)>,
    /// The local day of its firmware update.
    pub firmware_update_day: usize,
}

impl StationProfile {
    /// Returns the zones it has on a day.
    pub fn zones(&self, day: usize) -> &[AntennaZones] {
        let later = self.zones.partition_point(|(from, _)| *from <= day);
        &self.zones[later.saturating_sub(1)].1
    }

    /// Returns its firmware version on a day.
    pub const fn firmware(&self, day: usize) -> &'static str {
        if day < self.firmware_update_day { "4.2.1" } else { "4.3.0" }
    }
}

/// Creates machines with their stations, and returns which machine meets people too often.
pub(crate) fn create_machines(
    plan: &Plan,
    source: &Source,
    worksites: &[SiteProfile],
    planting: &mut Chance,
    registry: &mut Registry,
) -> (Vec<MachineProfile>, Vec<StationProfile>, usize) {
    let mut rigs = Vec::with_capacity(plan.machines);
    let mut units = Vec::with_capacity(plan.machines);
    let built = plan.until.year();
    for index in 0..plan.machines {
        let mut chance = source.stream(Purpose::Machines, index, 0);
        // The first machines are distributed one per worksite, the others at random.
        let site = if index < plan.sites { index } else { chance.below(plan.sites) };
        let kind = *chance.pick(machine_kinds(registry.sites[site].kind));
        let (manufacturer, model) = names::manufacturer_and_model(kind, &mut chance);
        registry.machines.push(Machine {
            site,
            name: checked_values::name(&format!("{} {:02}", names::machine(kind), index + 1)),
            kind,
            manufacturer: checked_values::name(manufacturer),
            model: checked_values::name(&model),
            serial_number: checked_values::name(&format!("{:05}{:04}", chance.below(100_000), index + 1)),
            year: checked_values::year(built - chance.integer(0, 11)),
        });
        let worksite = &worksites[site];
        let (pace, stay) = mobility(kind);
        let own = chance.between(0.85, 1.15);
        rigs.push(MachineProfile {
            site,
            shift: chance.below(worksite.hours.shifts.len()),
            stops: stops(worksite, pace, &mut chance),
            speed_m_s: pace,
            stay_s: stay,
            incursions_per_hour: own * worksite.activity_factor * encounter_factor(kind),
            stations: vec![(0, index)],
        });
        let (station, unit) = create_station(plan, source, kind, index);
        registry.stations.push(station);
        units.push(unit);
    }
    let planted = plant(planting, &registry.machines);
    rigs[planted].incursions_per_hour *= PLANTED_FACTOR;
    scale_rates(plan, worksites, &mut rigs);
    swap_stations(plan, source, planted, registry, &mut rigs, &mut units);
    record_installations(plan, worksites, &rigs, registry);
    (rigs, units, planted)
}

/// Chooses the machine that meets people too often: one of the most frequent kind, so that there are others to compare with.
fn plant(chance: &mut Chance, machines: &[Machine]) -> usize {
    let count = |kind: MachineKind| machines.iter().filter(|machine| machine.kind == kind).count();
    let max = MachineKind::ALL.into_iter().map(count).max().unwrap_or_default();
    let common: Vec<usize> =
        (0..machines.len()).filter(|index| count(machines[*index].kind) == max).collect();
    common[chance.below(common.len())]
}

/// Returns the machine kinds that occur on a kind of worksite.
const fn machine_kinds(site: WorksiteKind) -> &'static [MachineKind] {
    use MachineKind::{
        Crane, Dozer, DumpTruck, Excavator, Forklift, Loader, Other, Roller, Telehandler, Truck,
    };
    match site {
        WorksiteKind::Logistics => &[Forklift, Forklift, Truck, Telehandler],
        WorksiteKind::WasteRecycling => &[Loader, Loader, Forklift, Truck, Other],
        WorksiteKind::Agriculture => &[Telehandler, Loader, Truck],
        WorksiteKind::Forestry => &[Loader, Truck, Excavator],
        WorksiteKind::RailMaintenance => &[Excavator, Dozer, Crane, Loader],
        WorksiteKind::ResidentialConstruction | WorksiteKind::CommercialConstruction => {
            &[Excavator, Excavator, Crane, Telehandler, Roller]
        }
        _ => &[Excavator, Excavator, DumpTruck, DumpTruck, Dozer, Roller, Loader],
    }
}

/// Returns the speed of a kind, and how long it stays at a stop.
const fn mobility(kind: MachineKind) -> (f64, (f64, f64)) {
    match kind {
        MachineKind::Crane => (0.6, (1_800.0, 7_200.0)),
        MachineKind::Excavator => (1.0, (300.0, 1_800.0)),
        MachineKind::Roller | MachineKind::Dozer => (1.4, (20.0, 200.0)),
        MachineKind::DumpTruck | MachineKind::Truck => (5.5, (120.0, 600.0)),
        _ => (3.0, (30.0, 300.0)),
    }
}

/// Returns how often people come near a kind.
const fn encounter_factor(kind: MachineKind) -> f64 {
    match kind {
        MachineKind::Excavator | MachineKind::Telehandler => 1.2,
        MachineKind::Forklift => 1.3,
        MachineKind::Crane | MachineKind::Dozer => 0.8,
        _ => 1.0,
    }
}

/// Returns its stops: around one work area of its worksite, or around all of them if it is fast.
fn stops(worksite: &SiteProfile, pace: f64, chance: &mut Chance) -> Vec<Spot> {
    let home = *chance.pick(&worksite.areas);
    let stop = |_| {
        let (x, y) = if pace > 2.0 { *chance.pick(&worksite.areas) } else { home };
        let (east, north) = chance.disc();
        worksite.geometry.spot((x + 0.25 * east, y + 0.25 * north))
    };
    (0..6).map(stop).collect()
}

fn create_station(
    plan: &Plan,
    source: &Source,
    kind: MachineKind,
    index: usize,
) -> (BaseStation, StationProfile) {
    let mut chance = source.stream(Purpose::Stations, index, 0);
    let cameras = ["Front", "Rear", "Left", "Right"];
    let cameras = &cameras[..[0, 1, 2, 2, 4][chance.below(5)]];
    let fitted = zones::initial_zones(kind, &mut chance);
    let mut dated = vec![(0, fitted.clone())];
    if index % REFIT_EVERY == 3 && plan.days >= 3 {
        let day = 1 + plan.days / 4 + chance.below(plan.days / 2 + 1);
        dated.push((day, zones::adjusted_zones(&fitted, &mut chance)));
    }
    let unit =
        StationProfile { zones: dated, firmware_update_day: 1 + plan.days * 55 / 100 + chance.below(7) };
    let serial = format!("KS{:02}-{:05}", chance.below(100), 10_000 + index);
    let station = BaseStation {
        serial: checked_values::serial(&serial),
        firmware: unit.firmware(0).to_owned(),
        cameras: cameras.iter().map(|name| checked_values::part(name)).collect(),
        zones: fitted,
    };
    (station, unit)
}

/// Scales the hourly rates so that all machines together match the plan.
fn scale_rates(plan: &Plan, worksites: &[SiteProfile], rigs: &mut [MachineProfile]) {
    let daily =
        |rig: &MachineProfile| rig.incursions_per_hour * worksites[rig.site].hours.mean_hours(rig.shift);
    let sum: f64 = rigs.iter().map(daily).sum();
    let asked = f64::from(plan.incursions_per_machine_day) * rigs.len() as f64;
    for rig in rigs {
        rig.incursions_per_hour *= asked / sum;
    }
}

/// Some stations break and are replaced.
fn swap_stations(
    plan: &Plan,
    source: &Source,
    planted: usize,
    registry: &mut Registry,
    rigs: &mut [MachineProfile],
    units: &mut Vec<StationProfile>,
) {
    if plan.days < 3 {
        return;
    }
    for (index, rig) in rigs.iter_mut().enumerate() {
        if index % SWAP_EVERY != 5 || index == planted {
            continue;
        }
        let next = registry.stations.len();
        let (station, unit) = create_station(plan, source, registry.machines[index].kind, next);
        let day = source.stream(Purpose::Stations, index, 1).integer(3, plan.days as i64) as usize;
        registry.stations.push(station);
        units.push(unit);
        rig.stations.push((day, next));
    }
}

fn record_installations(
    plan: &Plan,
    worksites: &[SiteProfile],
    rigs: &[MachineProfile],
    registry: &mut Registry,
) {
    for (machine, rig) in rigs.iter().enumerate() {
        // Stations are changed in the early morning, when nothing runs.
        let begins = |(day, _): &(usize, usize)| match day {
            0 => plan.start(),
            day => checked_values::at_ms(worksites[rig.site].days[*day].at_minute(240.0)),
        };
        for (place, entry) in rig.stations.iter().enumerate() {
            let to = rig.stations.get(place + 1).map(begins);
            registry.installations.push(Installation { station: entry.1, machine, from: begins(entry), to });
        }
    }
    registry.installations.sort_by_key(|installation| (installation.from, installation.station));
}

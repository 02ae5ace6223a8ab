//! Projects and worksites: their names, positions and working hours.

use domain::WorksiteKind;

use crate::activity::shifts::WorkingHours;
use crate::entities::names;
use crate::entities::site_geometry::SiteGeometry;
use crate::plan::Plan;
use crate::primitives::calendar::{LocalDay, local_days};
use crate::primitives::chance::{Chance, Purpose, Source};
use crate::primitives::checked_values;
use crate::registry::{Project, Registry, Site};

/// The positions of regions, and their time zones. Of any two adjacent entries, at least one has daylight saving time.
const REGIONS: [(f64, f64, &str); 8] = [
    (52.31, -0.72, "Europe/London"),
    (-27.62, 152.76, "Australia/Brisbane"),
    (52.39, 13.75, "Europe/Berlin"),
    (39.85, -104.62, "America/Denver"),
    (-37.02, 174.9, "Pacific/Auckland"),
    (-26.13, 28.25, "Africa/Johannesburg"),
    (43.72, -79.78, "America/Toronto"),
    (35.9, 139.6, "Asia/Tokyo"),
];

const COLOURS: [&str; 8] =
    ["#e4572e", "#17bebb", "#ffc914", "#2e86ab", "#76b041", "#8d6a9f", "#f28f3b", "#4a5859"];

/// Kinds in the order in which worksites take them, the common ones first.
const KINDS: [WorksiteKind; 8] = [
    WorksiteKind::Infrastructure,
    WorksiteKind::CommercialConstruction,
    WorksiteKind::Logistics,
    WorksiteKind::ResidentialConstruction,
    WorksiteKind::RailMaintenance,
    WorksiteKind::WasteRecycling,
    WorksiteKind::Forestry,
    WorksiteKind::Agriculture,
];

/// The simulated properties of a worksite in addition to its record.
#[derive(Clone, Debug)]
pub(crate) struct SiteProfile {
    pub geometry: SiteGeometry,
    pub hours: WorkingHours,
    pub days: Vec<LocalDay>,
    /// The work areas, in the unit disc.
    pub areas: Vec<(f64, f64)>,
    /// The activity relative to other worksites.
    pub activity_factor: f64,
}

/// Creates projects and worksites.
pub(crate) fn create_sites(plan: &Plan, source: &Source, registry: &mut Registry) -> Vec<SiteProfile> {
    let offset = source.stream(Purpose::Projects, 0, 0).below(12);
    registry.projects = (0..plan.projects)
        .map(|index| {
            let (name, code) = names::project(index, offset);
            Project { name: checked_values::name(&name), code: checked_values::name(&code) }
        })
        .collect();
    let offset = source.stream(Purpose::Sites, 0, 1).below(24);
    let mut worksites = Vec::with_capacity(plan.sites);
    for index in 0..plan.sites {
        let mut chance = source.stream(Purpose::Sites, index, 0);
        // In each round, a region gets the next kind.
        let kind = KINDS[(index + index / REGIONS.len()) % KINDS.len()];
        let (lat, lon, zone) = REGIONS[index % REGIONS.len()];
        let ground = site_geometry(kind, (lat, lon), index / REGIONS.len(), &mut chance);
        let time_zone = checked_values::time_zone(zone);
        let is_round = matches!(kind, WorksiteKind::Logistics | WorksiteKind::WasteRecycling);
        let boundary = if is_round { ground.circle() } else { ground.polygon(&mut chance) };
        let hours = WorkingHours::of(kind);
        let mut weather = source.stream(Purpose::Weather, index, 0);
        let days = local_days(plan.start(), plan.days, &time_zone, || {
            weather.happens(hours.bad_weather_probability)
        });
        registry.sites.push(Site {
            project: index * plan.projects / plan.sites,
            name: checked_values::name(&names::site(kind, index, offset)),
            kind,
            colour: checked_values::colour(COLOURS[index % COLOURS.len()]),
            time_zone,
            boundary,
        });
        let areas =
            (0..chance.integer(2, 4)).map(|_| chance.disc()).map(|(x, y)| (x * 0.7, y * 0.7)).collect();
        let bustle = chance.between(0.85, 1.15);
        worksites.push(SiteProfile { geometry: ground, hours, days, areas, activity_factor: bustle });
    }
    worksites
}

/// Returns the geometry of the n-th worksite of a region. They lie on a grid, more than a kilometre apart.
fn site_geometry(
    kind: WorksiteKind,
    (lat, lon): (f64, f64),
    index: usize,
    chance: &mut Chance,
) -> SiteGeometry {
    let lat = lat + (index % 8) as f64 * 0.03 + chance.between(-0.004, 0.004);
    let lon = lon + (index / 8) as f64 * 0.05 + chance.between(-0.004, 0.004);
    let reach = match kind {
        WorksiteKind::Infrastructure => (chance.between(350.0, 500.0), chance.between(80.0, 120.0)),
        WorksiteKind::RailMaintenance => (chance.between(400.0, 600.0), chance.between(60.0, 75.0)),
        WorksiteKind::Agriculture | WorksiteKind::Forestry => {
            (chance.between(300.0, 450.0), chance.between(200.0, 350.0))
        }
        WorksiteKind::Logistics | WorksiteKind::WasteRecycling => {
            let radius = chance.between(120.0, 220.0).round();
            (radius, radius)
        }
        _ => (chance.between(110.0, 200.0), chance.between(80.0, 140.0)),
    };
    SiteGeometry::new(lat, lon, reach, chance.below(72))
}

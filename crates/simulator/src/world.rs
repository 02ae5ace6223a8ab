//! The world of a plan: its registry and its events.

use domain::Timestamp;

use crate::activity::arrivals::Uplink;
use crate::activity::habits;
use crate::entities::machines::{self, MachineProfile, StationProfile};
use crate::entities::people::{self, Staff};
use crate::entities::sites::{self, SiteProfile};
use crate::entities::visits::{self, Guest};
use crate::plan::{Plan, PlanError};
use crate::primitives::calendar::EXTRA_DAYS;
use crate::primitives::chance::{Purpose, Source};
use crate::primitives::checked_values;
use crate::registry::Registry;

/// The anomalies that were planted in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planted {
    /// The machine that meets people three times as often per running hour as expected.
    pub machine: usize,
    /// The person who is met three times as often as others of the worksite.
    pub person: usize,
    /// The station that falls silent, with the time from which nothing arrives from it. It exists only with at least three machines and
    /// four days.
    pub silent: Option<(usize, Timestamp)>,
}

/// A world of worksites. Events are computed on demand and are the same each time.
pub struct World {
    pub(crate) plan: Plan,
    pub(crate) source: Source,
    pub(crate) registry: Registry,
    pub(crate) site_profiles: Vec<SiteProfile>,
    /// The machines of each worksite.
    pub(crate) site_machines: Vec<Vec<usize>>,
    pub(crate) machine_profiles: Vec<MachineProfile>,
    pub(crate) station_profiles: Vec<StationProfile>,
    pub(crate) uplinks: Vec<Uplink>,
    pub(crate) staff: Staff,
    guests: Vec<Vec<Guest>>,
    /// The local days on which each station reports its zones.
    pub(crate) zone_event_days: Vec<Vec<usize>>,
    /// The mean of [`habits::novelty_factor`] over the plan.
    pub(crate) mean_novelty: f64,
    pub(crate) from_ms: i64,
    pub(crate) until_ms: i64,
    planted: Planted,
}

impl World {
    /// Creates the world of a plan.
    pub fn new(plan: Plan) -> Result<Self, PlanError> {
        plan.check()?;
        // The end of the plan in milliseconds, the resolution of device clocks.
        let plan = Plan { until: checked_values::at_ms(plan.until.micros() / 1_000), ..plan };
        let source = Source::new(plan.seed);
        let mut registry = Registry::default();
        let mut chance = source.stream(Purpose::Planted, 0, 0);
        let worksites = sites::create_sites(&plan, &source, &mut registry);
        let (rigs, units, planted_machine) =
            machines::create_machines(&plan, &source, &worksites, &mut chance, &mut registry);
        let mut site_machines = vec![Vec::new(); plan.sites];
        for (machine, rig) in rigs.iter().enumerate() {
            site_machines[rig.site].push(machine);
        }
        let mut staff =
            people::create_staff(&plan, &source, &worksites, &rigs, &site_machines, &mut registry);
        let guests = visits::create_visits(&plan, &source, &worksites, &mut staff, &mut registry);
        let mut lines = vec![Uplink::default(); units.len()];
        for rig in &rigs {
            for (_, station) in &rig.stations {
                lines[*station] = Uplink::new(&source, *station, &worksites[rig.site]);
            }
        }
        let silent = (plan.machines >= 3 && plan.days >= 4).then(|| {
            let other = 1 + chance.below(plan.machines - 1);
            let rig = &rigs[(planted_machine + other) % plan.machines];
            let silence_h = (plan.days as f64 * 24.0 * 0.05).clamp(36.0, 120.0) as i64;
            let from_ms = plan.until.micros() / 1_000 - silence_h * 3_600_000;
            let station = rig.station(plan.days + EXTRA_DAYS - 1);
            lines[station].silent_from_ms = Some(from_ms);
            (station, checked_values::at_ms(from_ms))
        });
        let days = 0..plan.days + EXTRA_DAYS;
        let novelty = days.clone().map(habits::novelty_factor).sum::<f64>() / days.len() as f64;
        let planted = Planted { machine: planted_machine, person: staff.planted, silent };
        let (from_ms, until_ms) = (plan.start().micros() / 1_000, plan.until.micros() / 1_000);
        let tells_zones = vec![Vec::new(); units.len()];
        let mut world = Self {
            plan,
            source,
            registry,
            site_profiles: worksites,
            site_machines,
            machine_profiles: rigs,
            station_profiles: units,
            uplinks: lines,
            staff,
            guests,
            zone_event_days: tells_zones,
            mean_novelty: novelty,
            from_ms,
            until_ms,
            planted,
        };
        world.zone_event_days = world.find_zone_event_days();
        Ok(world)
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn planted(&self) -> Planted {
        self.planted
    }

    /// Returns the number of local days.
    pub(crate) fn local_days(&self) -> usize {
        self.plan.days + EXTRA_DAYS
    }

    /// Returns the visitors of a worksite on a local day.
    pub(crate) fn guests_on(&self, site: usize, day: usize) -> &[Guest] {
        let guests = &self.guests[site];
        let first = guests.partition_point(|guest| guest.day < day);
        let after = guests.partition_point(|guest| guest.day <= day);
        &guests[first..after]
    }

    /// Returns the charge of a tag's battery, in percent.
    pub(crate) fn battery(&self, tag: usize, at_ms: i64) -> f64 {
        self.staff.batteries[tag].percent_left(at_ms - self.from_ms)
    }

    /// A station reports its zones when it first runs, and when it first runs with different ones.
    fn find_zone_event_days(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.station_profiles.len()];
        for (machine, rig) in self.machine_profiles.iter().enumerate() {
            let worksite = &self.site_profiles[rig.site];
            let runs = |day: &usize| {
                let mut chance = self.source.stream(Purpose::Work, machine, *day);
                let on = worksite.hours.ignition_periods(rig.shift, &worksite.days[*day], &mut chance);
                on.first().is_some_and(|(from, _)| *from >= self.from_ms)
            };
            for (place, (begin, station)) in rig.stations.iter().enumerate() {
                let end = rig.stations.get(place + 1).map_or(self.local_days(), |(next, _)| *next);
                for (changed, _) in &self.station_profiles[*station].zones {
                    let first = (*begin.max(changed)..end).find(runs);
                    found[*station].extend(first);
                }
                found[*station].dedup();
            }
        }
        found
    }
}

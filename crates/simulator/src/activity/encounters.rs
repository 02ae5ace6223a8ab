//! Encounters: a person walks past a machine, and one of its antennas receives their tag.
//!
//! The paths of people are not simulated step by step. The number of encounters of a machine on a day is drawn from a rate that depends on
//! the machine, its worksite and the age of the system; the times are drawn from the activity of the hours, and the people from those on
//! foot that day. Then each encounter is built as exact geometry: seen from the machine, the person walks straight past an antenna at a
//! constant speed. The closest distance determines the zone, the chord through the warning circle and the speed determine the duration, and
//! the machine's track determines the position. Nobody is near two machines at the same time.

use domain::{AntennaZones, Coordinates, Zone};

use crate::activity::habits;
use crate::activity::tracks::Track;
use crate::entities::people::{Operator, relief_index};
use crate::primitives::chance::{Chance, Purpose};
use crate::world::World;

/// The activity of the hours of a shift, and its maximum.
const HOURLY_ACTIVITY: [f64; 9] = [0.75, 1.0, 1.15, 1.0, 0.9, 1.1, 1.1, 1.0, 0.8];
const MAX_HOURLY_ACTIVITY: f64 = 1.15;

/// The minimum time to walk from one machine to another.
const MIN_WALK_MS: i64 = 45_000;

/// A straight walk past an antenna.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    pub warning_cm: i64,
    pub danger_cm: i64,
    pub closest_cm: i64,
    pub speed_mm_s: i64,
}

impl Pass {
    fn new(zones: &[AntennaZones], chance: &mut Chance) -> Self {
        let zones = chance.pick(zones);
        let (warning_cm, danger_cm) = (zones.warning.centimetres(), zones.danger.centimetres());
        // People keep their distance, so the larger of two draws is used.
        let share = chance.unit().max(chance.unit());
        let closest_cm = (30.0 + (warning_cm as f64 * 0.98 - 30.0) * share).round() as i64;
        let speed = match chance.unit() {
            // Passing by, watching, or working beside the machine.
            ..0.7 => chance.between(800.0, 1_900.0),
            ..0.92 => chance.between(250.0, 800.0),
            _ => chance.between(40.0, 250.0),
        };
        Self { warning_cm, danger_cm, closest_cm, speed_mm_s: speed.round() as i64 }
    }

    /// Returns the most dangerous zone that it crossed.
    pub const fn zone(&self) -> Zone {
        if self.closest_cm <= self.danger_cm { Zone::Danger } else { Zone::Warning }
    }

    /// Returns how long the person was inside the warning zone.
    pub fn duration_ms(&self) -> i64 {
        let square = (self.warning_cm * self.warning_cm - self.closest_cm * self.closest_cm) as f64;
        let chord_mm = 2.0 * square.sqrt() * 10.0;
        (chord_mm * 1_000.0 / self.speed_mm_s as f64).round() as i64
    }
}

/// A person came near a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encounter {
    /// The index among the machine shifts of the day.
    pub shift: usize,
    pub tag: usize,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub pass: Pass,
    /// The position of the machine at the start.
    pub position: Coordinates,
}

/// A machine that works on a day.
#[derive(Clone, Debug)]
pub(crate) struct MachineShift {
    pub machine: usize,
    pub station: usize,
    pub track: Track,
    pub operator: Operator,
    /// Whether the operator carries their tag.
    pub has_tag: bool,
}

/// A person on foot on a day.
struct Walker {
    tag: usize,
    from_ms: i64,
    to_ms: i64,
    free_ms: i64,
}

/// The people on foot, each with the cumulative weight.
struct Crew {
    walkers: Vec<Walker>,
    cumulative_weights: Vec<f64>,
}

impl Crew {
    /// Returns a person who is present and free during a period, or `None` if nobody could be found.
    fn pick_walker(&mut self, from_ms: i64, to_ms: i64, chance: &mut Chance) -> Option<usize> {
        let sum = *self.cumulative_weights.last()?;
        for _ in 0..12 {
            let at = chance.unit() * sum;
            let found = self.cumulative_weights.partition_point(|sum| *sum <= at).min(self.walkers.len() - 1);
            let walker = &mut self.walkers[found];
            if walker.from_ms <= from_ms && to_ms <= walker.to_ms && walker.free_ms <= from_ms {
                walker.free_ms = to_ms + MIN_WALK_MS;
                return Some(walker.tag);
            }
        }
        None
    }
}

impl World {
    /// Returns the machines of a worksite that work on a local day.
    pub(crate) fn shifts(&self, site: usize, day: usize) -> Vec<MachineShift> {
        let (worksite, machines) = (&self.site_profiles[site], &self.site_machines[site]);
        let mut shifts = Vec::new();
        for &machine in machines {
            let rig = &self.machine_profiles[machine];
            let mut chance = self.source.stream(Purpose::Work, machine, day);
            let on = worksite.hours.ignition_periods(rig.shift, &worksite.days[day], &mut chance);
            if on.is_empty() {
                continue;
            }
            let relief =
                relief_index(machines, machine, day).and_then(|index| self.staff.reliefs[site].get(index));
            let operator = *relief.unwrap_or(&self.staff.operators[machine]);
            let has_tag = !chance.happens(operator.acknowledging.forgets_tag_probability);
            let track = Track::new(on, &rig.stops, rig.speed_m_s, rig.stay_s, &mut chance);
            shifts.push(MachineShift { machine, station: rig.station(day), track, operator, has_tag });
        }
        shifts
    }

    /// Returns the encounters between those machines and the people on foot that day, in order of time.
    pub(crate) fn encounters(&self, site: usize, day: usize, shifts: &[MachineShift]) -> Vec<Encounter> {
        let worksite = &self.site_profiles[site];
        let mut chance = self.source.stream(Purpose::Encounters, site, day);
        let mut found = Vec::new();
        for (index, shift) in shifts.iter().enumerate() {
            let zones = self.station_profiles[shift.station].zones(day);
            let opens = worksite.days[day]
                .at_minute(worksite.hours.shifts[self.machine_profiles[shift.machine].shift].0);
            let running = shift.track.running_ms();
            let rate = self.machine_profiles[shift.machine].incursions_per_hour * habits::novelty_factor(day)
                / self.mean_novelty;
            let mean = rate * chance.between(0.7, 1.3) * running as f64 / 3_600_000.0;
            for _ in 0..chance.poisson(mean) {
                let (moment, run_from, run_to) = loop {
                    let moment = shift.track.instant_of((chance.unit() * running as f64) as i64);
                    let hour = ((moment.0 - opens).max(0) / 3_600_000) as usize;
                    if chance.unit() * MAX_HOURLY_ACTIVITY
                        < HOURLY_ACTIVITY[hour.min(HOURLY_ACTIVITY.len() - 1)]
                    {
                        break moment;
                    }
                };
                let pass = Pass::new(zones, &mut chance);
                let duration = pass.duration_ms();
                // It ends before the machine is switched off.
                let started_ms = moment.min(run_to - duration - 1_000).max(run_from);
                let spot = shift.track.spot(shift.track.running_time_at(started_ms));
                let place = worksite.geometry.coordinates(spot);
                let ended_ms = started_ms + duration;
                found.push(Encounter { shift: index, tag: 0, started_ms, ended_ms, pass, position: place });
            }
        }
        found.sort_unstable_by_key(|encounter| (encounter.started_ms, encounter.shift, encounter.ended_ms));
        let mut crew = self.crew(site, day, shifts);
        found.retain_mut(|encounter| {
            let tag = crew.pick_walker(encounter.started_ms, encounter.ended_ms, &mut chance);
            encounter.tag = tag.unwrap_or_default();
            tag.is_some()
        });
        found
    }

    fn crew(&self, site: usize, day: usize, shifts: &[MachineShift]) -> Crew {
        let worksite = &self.site_profiles[site];
        let local = &worksite.days[day];
        let mut crew = Crew { walkers: Vec::new(), cumulative_weights: Vec::new() };
        let mut add = |tag, weight, from_ms, to_ms| {
            let sum = crew.cumulative_weights.last().copied().unwrap_or_default();
            crew.cumulative_weights.push(sum + weight);
            crew.walkers.push(Walker { tag, from_ms, to_ms, free_ms: 0 });
        };
        for (index, tag) in self.present_members(site, day) {
            let member = &self.staff.members[site][index];
            // Relief operators come first in the list. On a day on which they drive, they do not walk.
            let may_drive = index < self.staff.reliefs[site].len();
            if may_drive && shifts.iter().any(|shift| shift.operator.person == member.person) {
                continue;
            }
            let (opens, closes) = worksite.hours.shifts[member.shift];
            add(tag, member.weight, local.at_minute(opens), local.at_minute(closes));
        }
        for guest in self.guests_on(site, day) {
            add(guest.tag, 0.4, guest.from_ms, guest.to_ms);
        }
        crew
    }

    /// Returns the people who come to work that day, with the tags they wear.
    pub(crate) fn present_members(&self, site: usize, day: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut chance = self.source.stream(Purpose::Crew, site, day);
        let members = self.staff.members[site].iter().enumerate();
        members.filter_map(move |(index, member)| {
            let comes = chance.happens(0.93) || member.person == self.staff.planted;
            member.tag(day).filter(|_| comes).map(|tag| (index, tag))
        })
    }
}

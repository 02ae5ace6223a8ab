//! Encounters: someone walks past a machine, and an antenna of it hears their tag.
//!
//! The paths of people are not walked step by step. How many encounters a machine has on a day is drawn from a rate that
//! depends on the machine, its site and how long the system has been there; when, from the busyness of the hour; who, from
//! those on foot that day. Then each is built as a piece of geometry, exactly: seen from the machine, the person walks
//! straight past an antenna at a steady speed. The closest distance tells the zone, the chord through the warning circle and
//! the speed tell how long it lasts, and the machine's track tells where it was. Nobody is near two machines at once.

use domain::{AntennaZones, Coordinates, Zone};

use crate::chance::{Chance, Purpose};
use crate::habits;
use crate::people::{Operator, relief_index};
use crate::tracks::Track;
use crate::world::World;

/// How busy the hours of a shift are, and the busiest of them.
const HOURLY_ACTIVITY: [f64; 9] = [0.75, 1.0, 1.15, 1.0, 0.9, 1.1, 1.1, 1.0, 0.8];
const MAX_HOURLY_ACTIVITY: f64 = 1.15;

/// How long it takes to get from one machine to another, at least.
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
        // People keep their distance: of two draws the farther one counts.
        let share = chance.unit().max(chance.unit());
        let closest_cm = (30.0 + (warning_cm as f64 * 0.98 - 30.0) * share).round() as i64;
        let speed = match chance.unit() {
            // Passing by, looking on, working beside it.
            ..0.7 => chance.between(800.0, 1_900.0),
            ..0.92 => chance.between(250.0, 800.0),
            _ => chance.between(40.0, 250.0),
        };
        Self { warning_cm, danger_cm, closest_cm, speed_mm_s: speed.round() as i64 }
    }

    /// The worst zone it led through.
    pub const fn zone(&self) -> Zone {
        if self.closest_cm <= self.danger_cm { Zone::Danger } else { Zone::Warning }
    }

    /// How long the person was inside the warning zone.
    pub fn duration_ms(&self) -> i64 {
        let square = (self.warning_cm * self.warning_cm - self.closest_cm * self.closest_cm) as f64;
        let chord_mm = 2.0 * square.sqrt() * 10.0;
        (chord_mm * 1_000.0 / self.speed_mm_s as f64).round() as i64
    }
}

/// Someone came near a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encounter {
    /// Which of the machines at work, by its place among them.
    pub shift: usize,
    pub tag: usize,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub pass: Pass,
    /// Where the machine was when it began.
    pub position: Coordinates,
}

/// A machine at work on a day.
#[derive(Clone, Debug)]
pub(crate) struct MachineShift {
    pub machine: usize,
    pub station: usize,
    pub track: Track,
    pub operator: Operator,
    /// Whether the operator has their tag with them.
    pub has_tag: bool,
}

/// Someone on foot on a day.
struct Walker {
    tag: usize,
    from_ms: i64,
    to_ms: i64,
    free_ms: i64,
}

/// Those on foot, each with the sum of weights up to them.
struct Crew {
    walkers: Vec<Walker>,
    cumulative_weights: Vec<f64>,
}

impl Crew {
    /// Someone who is there and free at a time; none if nobody could be found.
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
    /// The machines of a site that work on a local day.
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

    /// What happens between those machines and the people on foot that day, in order of time.
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
            // Those who step in come first; on a day on which they drive they do not walk.
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

    /// Members who come to work that day, with the tag they wear.
    pub(crate) fn present_members(&self, site: usize, day: usize) -> impl Iterator<Item = (usize, usize)> {
        let mut chance = self.source.stream(Purpose::Crew, site, day);
        let members = self.staff.members[site].iter().enumerate();
        members.filter_map(move |(index, member)| {
            let comes = chance.happens(0.93) || member.person == self.staff.planted;
            member.tag(day).filter(|_| comes).map(|tag| (index, tag))
        })
    }
}

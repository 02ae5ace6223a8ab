//! Generates plausible incursions: few worksites, machines and people have most of them, and they happen during working hours.

use cube::IncursionFact;
use domain::{
    BaseStationId, Day, IncursionId, MachineId, PersonId, ProjectId, Review, TagId, Timestamp, WorksiteId,
    Zone,
};

const SITES: usize = 200;
const MACHINES: usize = 2_000;
const PEOPLE: usize = 5_000;
const PROJECTS: u64 = 40;
/// The day after the last day of the data.
pub const LAST_DAY: i64 = 20_454;
const DAY_US: i64 = 86_400_000_000;

/// A seeded pseudorandom number generator.
pub struct Prng(pub u64);

impl Prng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `max`.
    pub fn below(&mut self, max: usize) -> usize {
        ((u128::from(self.next()) * max as u128) >> 64) as usize
    }

    /// Returns a number from 0 to 1.
    fn unit_fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn with_probability(&mut self, part: f64) -> bool {
        self.unit_fraction() < part
    }

    /// Returns an index below `max`; small indexes are more frequent.
    fn zipf(&mut self, max: usize) -> usize {
        // Approximates the inverse of Zipf's law.
        let at = ((max as f64).powf(self.unit_fraction()) - 1.0) as usize;
        at.min(max - 1)
    }
}

struct Site {
    machines: Vec<usize>,
    people: Vec<usize>,
    offset_hours: i64,
    cells: i64,
}

/// Generates incursions in order of time.
pub struct FactGenerator {
    chance: Prng,
    sites: Vec<Site>,
    generated: u64,
    begin_us: i64,
    step_us: f64,
}

impl FactGenerator {
    pub fn new(rows: u64, days: u64) -> Self {
        let mut chance = Prng(7);
        let zones = [-8, -5, 0, 1, 1, 1, 2, 8, 10];
        let mut sites: Vec<Site> = (0..SITES)
            .map(|site| Site {
                machines: Vec::new(),
                people: Vec::new(),
                offset_hours: zones[chance.below(zones.len())],
                cells: (0x08D1_F1D4_8000_003F_u64 as i64) | (site as i64) << 24,
            })
            .collect();
        for machine in 0..MACHINES {
            let site = if machine < SITES { machine } else { chance.zipf(SITES) };
            sites[site].machines.push(machine);
        }
        for person in 0..PEOPLE {
            let site = if person < SITES { person } else { chance.zipf(SITES) };
            sites[site].people.push(person);
            // Some people work at two worksites.
            if chance.with_probability(0.2) {
                let other = chance.zipf(SITES);
                sites[other].people.push(person);
            }
        }
        let begin_us = (LAST_DAY - days as i64) * DAY_US;
        let step_us = (days as i64 * DAY_US) as f64 / rows as f64;
        Self { chance, sites, generated: 0, begin_us, step_us }
    }

    /// Returns the next incursions, in order of time.
    pub fn generate(&mut self, count: u64) -> Vec<IncursionFact> {
        (0..count).map(|_| self.next_fact()).collect()
    }

    fn next_fact(&mut self) -> IncursionFact {
        let chance = &mut self.chance;
        let at = self.begin_us + ((self.generated as f64 + chance.unit_fraction()) * self.step_us) as i64;
        self.generated += 1;
        let (mut site, mut local) = (0, 0);
        for _ in 0..4 {
            site = chance.zipf(SITES);
            local = at + self.sites[site].offset_hours * 3_600_000_000;
            let hour = local.rem_euclid(DAY_US) / 3_600_000_000;
            let day_of_week = (local.div_euclid(DAY_US) + 3).rem_euclid(7);
            let is_work = (6..18).contains(&hour) && day_of_week < 5;
            if is_work || chance.with_probability(0.15) {
                break;
            }
        }
        let place = &self.sites[site];
        let machine = place.machines[chance.zipf(place.machines.len())];
        let person = place.people[chance.zipf(place.people.len())];
        let length_ms =
            (chance.unit_fraction().max(1e-9).ln() * -14_000.0 * (1.0 + 4.0 * chance.unit_fraction())) as i64
                + 300;
        let ended_at =
            chance.with_probability(0.98).then(|| Timestamp::from_micros(at + length_ms * 1_000 + 137));
        let wait_us = (chance.unit_fraction() * length_ms as f64 * 1_000.0) as i64;
        let operator = PEOPLE - 1 - (machine * 2 + chance.below(2)) % PEOPLE;
        let local_day = local.div_euclid(DAY_US);
        let minute = local.rem_euclid(DAY_US) / 60_000_000;
        // A worksite has a few thousand cells, and most incursions happen near its gate.
        let (x, y) = (chance.zipf(4_096) as i64, chance.below(8) as i64);
        let cell = place.cells & !(0x7FFF << 9) | (x ^ y << 3) << 9 | (chance.below(7) as i64) << 6;
        IncursionFact {
            id: IncursionId(self.generated as i64),
            started_at: Timestamp::from_micros(at),
            ended_at,
            acknowledged_at: chance.with_probability(0.6).then(|| Timestamp::from_micros(at + wait_us)),
            zone: if chance.with_probability(0.25) { Zone::Danger } else { Zone::Warning },
            review: match chance.below(100) {
                0..=84 => Review::Unreviewed,
                85..=93 => Review::Confirmed,
                94..=97 => Review::Dismissed,
                _ => Review::FalseDetection,
            },
            machine: chance.with_probability(0.995).then_some(MachineId(machine as i64 * 3 + 1)),
            pedestrian: chance.with_probability(0.97).then_some(PersonId(person as i64 * 2 + 1)),
            operator: chance.with_probability(0.9).then_some(PersonId(operator as i64 * 2 + 1)),
            worksite: chance.with_probability(0.99).then_some(WorksiteId(site as i64 + 1)),
            project: (site % 17 != 0).then_some(ProjectId((site as u64 % PROJECTS) as i64 + 1)),
            base_station: BaseStationId(machine as i64 + 10_000),
            tag: TagId(person as i64 + 20_000),
            local_day: Day::from_number(local_day),
            local_minute: (local_day + 3).rem_euclid(7) * 1_440 + minute,
            cell: chance.with_probability(0.97).then_some(cell),
        }
    }
}

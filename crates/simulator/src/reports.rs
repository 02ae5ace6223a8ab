//! What base stations tell of a day: the events of one site, each with the moment at which it arrives.

use std::collections::BTreeSet;

use domain::event::{
    IncursionReport, Remark, RemarkKind, RuntimeReport, Severity, StationTest, StatusReport, TagBattery,
};
use domain::{Event, Fix, Report, Serial, Zone};

use crate::arrivals::Arrival;
use crate::chance::{Chance, Purpose};
use crate::encounters::{Encounter, Shift};
use crate::made::{self, at_ms};
use crate::world::World;

/// The most fixes of an event.
const MOST_FIXES: usize = 90;

/// How often an incursion is told of when it begins, and again when it is over.
const OPENED: f64 = 0.1;

/// How often one of those never ends, because the tag's voice was lost.
const NEVER_ENDED: f64 = 0.08;

/// How often a tag's battery is told of on a day, by the station that hears it first.
const BATTERY_TOLD: f64 = 0.3;

const FAULTS: [(&str, &str); 4] = [
    ("camera_dark", "A camera shows nothing."),
    ("antenna_fault", "An antenna does not answer."),
    ("low_voltage", "The supply is below 10.5 V."),
    ("gps_lost", "No position for ten minutes."),
];

const LOGS: [(&str, &str); 3] = [
    ("boot", "Started after ignition on."),
    ("self_test", "All antennas answer."),
    ("settings_read", "Settings were read from the service."),
];

/// Writes the events of one machine on a day.
struct Writer<'a> {
    world: &'a World,
    shift: &'a Shift,
    serial: &'a Serial,
    stamp: &'a str,
    /// Counts the events of the day.
    number: u32,
    arrivals: &'a mut Vec<Arrival>,
}

impl Writer<'_> {
    fn next_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// Sends a report that speaks of nothing before `begins_ms`, and that the station has at `ready_ms`.
    fn send(&mut self, begins_ms: i64, ready_ms: i64, report: Report, chance: &mut Chance) {
        let number = self.next_number();
        self.send_as(number, begins_ms, ready_ms, report, chance);
    }

    fn send_as(&mut self, number: u32, begins_ms: i64, ready_ms: i64, report: Report, chance: &mut Chance) {
        let line = &self.world.lines[self.shift.station];
        // Drawn in any case, so that what is cut off changes nothing else.
        let received = line.arrival_ms(ready_ms, chance);
        let window = self.world.from_ms..self.world.until_ms;
        let Some(received) = received.filter(|received| begins_ms >= window.start && *received < window.end)
        else {
            return;
        };
        self.arrivals.push(Arrival {
            received_at: at_ms(received),
            station: self.shift.station,
            event: Event {
                uid: made::uid(self.stamp, number),
                base_station: Some(self.serial.clone()),
                report,
            },
        });
    }

    fn operator_tag(&self) -> Option<Serial> {
        let tag = self.shift.operator.tag;
        self.shift.has_tag.then(|| self.world.registry.tags[tag].serial.clone())
    }

    fn incursion(&mut self, encounter: &Encounter, day: usize, chance: &mut Chance) {
        let Encounter { started_ms, ended_ms, pass, .. } = *encounter;
        let button = &self.shift.operator.button;
        let mut often = button.often(day);
        if pass.zone() == Zone::Danger {
            often += (1.0 - often) * 0.25;
        }
        let presses = chance.happens(often);
        let delay = button.delay_ms(chance);
        // Once the warning is over for long, nobody presses any more.
        let acknowledged = (presses && delay <= ended_ms - started_ms + 8_000).then_some(started_ms + delay);
        let report = IncursionReport {
            tag: self.world.registry.tags[encounter.tag].serial.clone(),
            operator_tag: self.operator_tag(),
            started_at: at_ms(started_ms),
            ended_at: Some(at_ms(ended_ms)),
            acknowledged_at: acknowledged.map(at_ms),
            zone: pass.zone(),
            closest_cm: Some(pass.closest_cm),
            place: Some(encounter.place),
        };
        let number = self.next_number();
        let ready = ended_ms.max(acknowledged.unwrap_or(ended_ms));
        if chance.happens(OPENED) {
            let opening = IncursionReport {
                ended_at: None,
                acknowledged_at: None,
                zone: Zone::Warning,
                closest_cm: Some(pass.warning_cm),
                ..report.clone()
            };
            self.send_as(number, started_ms, started_ms + 500, Report::Incursion(opening), chance);
            if chance.happens(NEVER_ENDED) {
                return;
            }
        }
        self.send_as(number, started_ms, ready, Report::Incursion(report), chance);
    }

    fn runtime(&mut self, chance: &mut Chance) {
        for &(from, to) in self.shift.track.on() {
            let operator_tag = self.operator_tag();
            let report = RuntimeReport { started_at: at_ms(from), ended_at: at_ms(to), operator_tag };
            self.send(from, to, Report::Runtime(report), chance);
        }
    }

    fn status(&mut self, day: usize, chance: &mut Chance) {
        let (unit, on) = (&self.world.units[self.shift.station], self.shift.track.on());
        let fault = chance.happens(0.02).then(|| *chance.pick(&FAULTS));
        let tells_zones = self.world.tells_zones[self.shift.station].contains(&day);
        let status = |at, faults, zones| {
            Report::Status(StatusReport {
                at: at_ms(at),
                firmware: Some(unit.firmware(day).to_owned()),
                battery: None,
                faults,
                zones,
            })
        };
        let zones = tells_zones.then(|| unit.zones(day).to_vec());
        let faults = fault.iter().map(|(code, _)| (*code).to_owned()).collect();
        let (first, last) = (on[0].0 + 2_000, on[on.len() - 1].0 + 2_000);
        self.send(first, first, status(first, faults, zones), chance);
        if let Some((code, text)) = fault {
            self.remark(RemarkKind::Alarm, first + 1_000, (code, text), Severity::Error, chance);
            // Someone had a look during the break.
            self.send(last, last, status(last, Vec::new(), None), chance);
        }
        if unit.updated == day {
            let said = ("firmware_updated", "The program was updated to 4.3.0.");
            self.remark(RemarkKind::Log, first + 30_000, said, Severity::Info, chance);
        }
        if chance.happens(0.1) {
            let said = *chance.pick(&LOGS);
            self.remark(RemarkKind::Log, first + 5_000, said, Severity::Info, chance);
        }
        if chance.happens(0.03) {
            let at = chance.whole(last, on[on.len() - 1].1);
            let severity = if chance.happens(0.3) { Severity::Critical } else { Severity::Warning };
            let said = ("speed_limit", "The machine drove faster than the site allows.");
            self.remark(RemarkKind::Alarm, at, said, severity, chance);
        }
        if self.shift.has_tag && chance.happens(0.025) {
            let tag = self.world.registry.tags[self.shift.operator.tag].serial.clone();
            let at = first + 60_000;
            let test = StationTest { at: at_ms(at), tag, passed: chance.happens(0.98) };
            self.send(at, at, Report::TagTest(test), chance);
        }
    }

    fn remark(
        &mut self,
        kind: RemarkKind,
        at: i64,
        (code, text): (&str, &str),
        severity: Severity,
        chance: &mut Chance,
    ) {
        let remark = Remark { kind, at: at_ms(at), code: code.to_owned(), severity, text: text.to_owned() };
        self.send(at, at, Report::Remark(remark), chance);
    }

    fn battery(&mut self, tag: usize, at: i64, chance: &mut Chance) {
        let percent = made::percent(self.world.battery(tag, at));
        let tag = self.world.registry.tags[tag].serial.clone();
        self.send(at, at, Report::TagBattery(TagBattery { at: at_ms(at), tag, percent }), chance);
    }

    fn gps(&mut self, site: usize, interval_ms: i64, chance: &mut Chance) {
        let ground = &self.world.worksites[site].ground;
        let mut running = 0;
        for &(from, to) in self.shift.track.on() {
            let mut at = from;
            while at < to {
                let count = (((to - at - 1) / interval_ms) as usize + 1).min(MOST_FIXES);
                let mut fixes = Vec::with_capacity(count);
                let begin = at;
                for _ in 0..count {
                    let motion = self.shift.track.motion(running + at - from);
                    let mut spot = motion.spot;
                    spot.east += chance.between(-1.2, 1.2);
                    spot.north += chance.between(-1.2, 1.2);
                    let (lat_e6, lon_e6) = ground.fix(spot);
                    let speed = Some((motion.speed_kmh * 2.0).round() as u16);
                    let accuracy_m = Some(2 + chance.below(4) as u16);
                    fixes.push(Fix { at_ms: at, lat_e6, lon_e6, speed, heading: motion.heading, accuracy_m });
                    at += interval_ms;
                }
                self.send(begin, at - interval_ms, Report::Gps(fixes), chance);
            }
            running += to - from;
        }
    }
}

impl World {
    /// Adds what the stations of a site tell of a local day.
    pub(crate) fn report(&self, site: usize, day: usize, arrivals: &mut Vec<Arrival>) {
        let shifts = self.shifts(site, day);
        let encounters = self.encounters(site, day, &shifts);
        let mut chance = self.source.stream(Purpose::Reports, site, day);
        let stamp = self.worksites[site].days[day].stamp();
        // Each machine's own, still in order of time; and the tags that were first heard by it that day.
        let mut own: Vec<Vec<Encounter>> = vec![Vec::new(); shifts.len()];
        let mut batteries: Vec<Vec<(usize, i64)>> = vec![Vec::new(); shifts.len()];
        let mut heard = BTreeSet::new();
        for encounter in encounters {
            if heard.insert(encounter.tag) && chance.happens(BATTERY_TOLD) {
                batteries[encounter.shift].push((encounter.tag, encounter.started_ms + 200));
            }
            own[encounter.shift].push(encounter);
        }
        for ((shift, own), batteries) in shifts.iter().zip(&own).zip(&batteries) {
            let serial = &self.registry.stations[shift.station].serial;
            let mut writer = Writer { world: self, shift, serial, stamp: &stamp, number: 0, arrivals };
            for encounter in own {
                writer.incursion(encounter, day, &mut chance);
            }
            for &(tag, at) in batteries {
                writer.battery(tag, at, &mut chance);
            }
            writer.status(day, &mut chance);
            writer.runtime(&mut chance);
            if let Some(interval) = self.plan.gps_interval_s {
                // Of their own stream and told last, so that the rest is the same with and without them.
                let mut chance = self.source.stream(Purpose::Positions, shift.machine, day);
                writer.gps(site, i64::from(interval) * 1_000, &mut chance);
            }
        }
    }
}

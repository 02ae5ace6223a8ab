//! The events that base stations send: the events of one worksite on a day, each with its arrival time.

use std::collections::BTreeSet;

use domain::event::{
    IncursionReport, LogEntry, LogEntryKind, RuntimeReport, Severity, StatusReport, TagBatteryReport,
    TagTestReport,
};
use domain::{Event, EventPayload, Fix, Serial, Zone};

use crate::activity::arrivals::Arrival;
use crate::activity::encounters::{Encounter, MachineShift};
use crate::primitives::chance::{Chance, Purpose};
use crate::primitives::checked_values::{self, at_ms};
use crate::world::World;

/// The maximum number of fixes in an event.
const MAX_FIXES_PER_EVENT: usize = 90;

/// The probability that an incursion is reported when it begins, and again when it is over.
const OPENING_EVENT_PROBABILITY: f64 = 0.1;

/// The probability that one of those never ends, because the signal of the tag was lost.
const NEVER_ENDED_PROBABILITY: f64 = 0.08;

/// The probability per day that a tag's battery is reported, by the station that receives the tag first.
const BATTERY_EVENT_PROBABILITY: f64 = 0.3;

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

/// Generates the events of one machine on a day.
struct EventWriter<'a> {
    world: &'a World,
    shift: &'a MachineShift,
    serial: &'a Serial,
    stamp: &'a str,
    /// The number of events of the day so far.
    event_count: u32,
    arrivals: &'a mut Vec<Arrival>,
}

impl EventWriter<'_> {
    fn next_event_number(&mut self) -> u32 {
        self.event_count += 1;
        self.event_count
    }

    /// Sends a report that covers nothing before `begins_ms`, and that the station has at `ready_ms`.
    fn send(&mut self, begins_ms: i64, ready_ms: i64, report: EventPayload, chance: &mut Chance) {
        let number = self.next_event_number();
        self.send_as(number, begins_ms, ready_ms, report, chance);
    }

    fn send_as(
        &mut self,
        number: u32,
        begins_ms: i64,
        ready_ms: i64,
        report: EventPayload,
        chance: &mut Chance,
    ) {
        let line = &self.world.uplinks[self.shift.station];
        // Drawn in any case, so that omitted events do not change anything else.
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
                uid: checked_values::uid(self.stamp, number),
                base_station: Some(self.serial.clone()),
                payload: report,
            },
        });
    }

    fn operator_tag(&self) -> Option<Serial> {
        let tag = self.shift.operator.tag;
        self.shift.has_tag.then(|| self.world.registry.tags[tag].serial.clone())
    }

    fn incursion(&mut self, encounter: &Encounter, day: usize, chance: &mut Chance) {
        let Encounter { started_ms, ended_ms, pass, .. } = *encounter;
        let button = &self.shift.operator.acknowledging;
        let mut often = button.probability(day);
        if pass.zone() == Zone::Danger {
            often += (1.0 - often) * 0.25;
        }
        let presses = chance.happens(often);
        let delay = button.delay_ms(chance);
        // When the warning has been over for some time, the button is no longer pressed.
        let acknowledged = (presses && delay <= ended_ms - started_ms + 8_000).then_some(started_ms + delay);
        let report = IncursionReport {
            tag: self.world.registry.tags[encounter.tag].serial.clone(),
            operator_tag: self.operator_tag(),
            started_at: at_ms(started_ms),
            ended_at: Some(at_ms(ended_ms)),
            acknowledged_at: acknowledged.map(at_ms),
            zone: pass.zone(),
            closest_cm: Some(pass.closest_cm),
            position: Some(encounter.position),
        };
        let number = self.next_event_number();
        let ready = ended_ms.max(acknowledged.unwrap_or(ended_ms));
        if chance.happens(OPENING_EVENT_PROBABILITY) {
            let opening = IncursionReport {
                ended_at: None,
                acknowledged_at: None,
                zone: Zone::Warning,
                closest_cm: Some(pass.warning_cm),
                ..report.clone()
            };
            self.send_as(number, started_ms, started_ms + 500, EventPayload::Incursion(opening), chance);
            if chance.happens(NEVER_ENDED_PROBABILITY) {
                return;
            }
        }
        self.send_as(number, started_ms, ready, EventPayload::Incursion(report), chance);
    }

    fn runtime(&mut self, chance: &mut Chance) {
        for &(from, to) in self.shift.track.ignition_periods() {
            let operator_tag = self.operator_tag();
            let report = RuntimeReport { started_at: at_ms(from), ended_at: at_ms(to), operator_tag };
            self.send(from, to, EventPayload::Runtime(report), chance);
        }
    }

    fn status(&mut self, day: usize, chance: &mut Chance) {
        let (unit, on) =
            (&self.world.station_profiles[self.shift.station], self.shift.track.ignition_periods());
        let fault = chance.happens(0.02).then(|| *chance.pick(&FAULTS));
        let tells_zones = self.world.zone_event_days[self.shift.station].contains(&day);
        let status = |at, faults, zones| {
            EventPayload::Status(StatusReport {
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
            self.log_entry(LogEntryKind::Alarm, first + 1_000, (code, text), Severity::Error, chance);
            // The fault was repaired during the break.
            self.send(last, last, status(last, Vec::new(), None), chance);
        }
        if unit.firmware_update_day == day {
            let entry = ("firmware_updated", "The program was updated to 4.3.0.");
            self.log_entry(LogEntryKind::Log, first + 30_000, entry, Severity::Info, chance);
        }
        if chance.happens(0.1) {
            let entry = *chance.pick(&LOGS);
            self.log_entry(LogEntryKind::Log, first + 5_000, entry, Severity::Info, chance);
        }
        if chance.happens(0.03) {
            let at = chance.integer(last, on[on.len() - 1].1);
            let severity = if chance.happens(0.3) { Severity::Critical } else { Severity::Warning };
            let entry = ("speed_limit", "The machine drove faster than the site allows.");
            self.log_entry(LogEntryKind::Alarm, at, entry, severity, chance);
        }
        if self.shift.has_tag && chance.happens(0.025) {
            let tag = self.world.registry.tags[self.shift.operator.tag].serial.clone();
            let at = first + 60_000;
            let test = TagTestReport { at: at_ms(at), tag, passed: chance.happens(0.98) };
            self.send(at, at, EventPayload::TagTest(test), chance);
        }
    }

    fn log_entry(
        &mut self,
        kind: LogEntryKind,
        at: i64,
        (code, text): (&str, &str),
        severity: Severity,
        chance: &mut Chance,
    ) {
        let remark = LogEntry { kind, at: at_ms(at), code: code.to_owned(), severity, text: text.to_owned() };
        self.send(at, at, EventPayload::LogEntry(remark), chance);
    }

    fn battery(&mut self, tag: usize, at: i64, chance: &mut Chance) {
        let percent = checked_values::percent(self.world.battery(tag, at));
        let tag = self.world.registry.tags[tag].serial.clone();
        self.send(at, at, EventPayload::TagBattery(TagBatteryReport { at: at_ms(at), tag, percent }), chance);
    }

    fn gps(&mut self, site: usize, interval_ms: i64, chance: &mut Chance) {
        let ground = &self.world.site_profiles[site].geometry;
        let mut running = 0;
        for &(from, to) in self.shift.track.ignition_periods() {
            let mut at = from;
            while at < to {
                let count = (((to - at - 1) / interval_ms) as usize + 1).min(MAX_FIXES_PER_EVENT);
                let mut fixes = Vec::with_capacity(count);
                let begin = at;
                for _ in 0..count {
                    let motion = self.shift.track.motion(running + at - from);
                    let mut spot = motion.spot;
                    spot.east_m += chance.between(-1.2, 1.2);
                    spot.north_m += chance.between(-1.2, 1.2);
                    let (lat_e6, lon_e6) = ground.fix_e6(spot);
                    let speed = Some((motion.speed_kmh * 2.0).round() as u16);
                    let accuracy_m = Some(2 + chance.below(4) as u16);
                    fixes.push(Fix {
                        at_ms: at,
                        lat_e6,
                        lon_e6,
                        speed_half_kmh: speed,
                        heading_5deg: motion.heading,
                        accuracy_m,
                    });
                    at += interval_ms;
                }
                self.send(begin, at - interval_ms, EventPayload::Gps(fixes), chance);
            }
            running += to - from;
        }
    }
}

impl World {
    /// Adds the events of a worksite's stations on a local day.
    pub(crate) fn emit_events(&self, site: usize, day: usize, arrivals: &mut Vec<Arrival>) {
        let shifts = self.shifts(site, day);
        let encounters = self.encounters(site, day, &shifts);
        let mut chance = self.source.stream(Purpose::Reports, site, day);
        let stamp = self.site_profiles[site].days[day].stamp();
        // The encounters of each machine, still in order of time, and the tags that it received first that day.
        let mut own: Vec<Vec<Encounter>> = vec![Vec::new(); shifts.len()];
        let mut batteries: Vec<Vec<(usize, i64)>> = vec![Vec::new(); shifts.len()];
        let mut heard = BTreeSet::new();
        for encounter in encounters {
            if heard.insert(encounter.tag) && chance.happens(BATTERY_EVENT_PROBABILITY) {
                batteries[encounter.shift].push((encounter.tag, encounter.started_ms + 200));
            }
            own[encounter.shift].push(encounter);
        }
        for ((shift, own), batteries) in shifts.iter().zip(&own).zip(&batteries) {
            let serial = &self.registry.stations[shift.station].serial;
            let mut writer =
                EventWriter { world: self, shift, serial, stamp: &stamp, event_count: 0, arrivals };
            for encounter in own {
                writer.incursion(encounter, day, &mut chance);
            }
            for &(tag, at) in batteries {
                writer.battery(tag, at, &mut chance);
            }
            writer.status(day, &mut chance);
            writer.runtime(&mut chance);
            if let Some(interval) = self.plan.gps_interval_s {
                // Positions have a stream of their own and come last, so that everything else is the same with and without them.
                let mut chance = self.source.stream(Purpose::Positions, shift.machine, day);
                writer.gps(site, i64::from(interval) * 1_000, &mut chance);
            }
        }
    }
}

//! Arrival times of events: mostly within seconds, some hours or days late, and in bursts after a station was offline.

use domain::{Event, Timestamp};

use crate::entities::sites::SiteProfile;
use crate::primitives::chance::{Chance, Purpose, Source};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The longest time that a station is offline, and the longest additional delay of an event.
const MAX_OUTAGE_H: i64 = 60;
const MAX_DELAY_H: i64 = 96;

/// The maximum delay of an event, in days.
pub(crate) const MAX_DELAY_DAYS: usize = ((2 * MAX_OUTAGE_H + MAX_DELAY_H) as usize).div_ceil(24) + 1;

/// The probability per day that a station goes offline.
const OUTAGE_PROBABILITY: f64 = 0.03;

/// An event that has arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    pub received_at: Timestamp,
    /// The index of the station; the event contains its serial.
    pub station: usize,
    pub event: Event,
}

/// The connection between a station and the service.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uplink {
    /// Outages, in order and not overlapping.
    outages: Vec<(i64, i64)>,
    /// The time from which nothing arrives any more.
    pub silent_from_ms: Option<i64>,
}

impl Uplink {
    pub fn new(source: &Source, station: usize, worksite: &SiteProfile) -> Self {
        let mut outages: Vec<(i64, i64)> = Vec::new();
        let mut chance = source.stream(Purpose::Outages, station, 0);
        for day in &worksite.days {
            if !chance.happens(OUTAGE_PROBABILITY) {
                continue;
            }
            let from = day.at_minute(chance.between(380.0, 900.0));
            let hours =
                if chance.happens(0.25) { chance.integer(12, MAX_OUTAGE_H) } else { chance.integer(1, 8) };
            if outages.last().is_none_or(|(_, to)| *to + HOUR_MS < from) {
                outages.push((from, from + hours * HOUR_MS));
            }
        }
        Self { outages, silent_from_ms: None }
    }

    /// Returns the arrival time of something that the station has at a time, or `None` if it never arrives.
    pub fn arrival_ms(&self, ready_ms: i64, chance: &mut Chance) -> Option<i64> {
        let draw = chance.unit();
        let held = match draw {
            ..0.988 => 0,
            ..0.998 => chance.integer(MINUTE_MS, 6 * HOUR_MS),
            _ => chance.integer(8 * HOUR_MS, MAX_DELAY_H * HOUR_MS),
        };
        let sent = self.after_outage(self.after_outage(ready_ms, chance) + held, chance);
        let received = sent + chance.integer(250, 4_000);
        self.silent_from_ms.is_none_or(|silent| received < silent).then_some(received)
    }

    /// Pending events arrive in a burst of some seconds when the connection is back.
    fn after_outage(&self, at_ms: i64, chance: &mut Chance) -> i64 {
        let next = self.outages.partition_point(|(_, to)| *to <= at_ms);
        match self.outages.get(next) {
            Some((from, to)) if *from <= at_ms => to + chance.integer(0, 20_000),
            _ => at_ms,
        }
    }
}

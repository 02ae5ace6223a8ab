//! The days of a plan in order, with the events that arrive on each.
//!
//! A day here is 24 hours, counted back from the end of the plan. Events of the local days of all time zones are held until the day of
//! their arrival. No more than about two weeks are in memory, and all but the first few days of them hold only late events.

use std::collections::VecDeque;

use domain::Timestamp;

use crate::activity::arrivals::{Arrival, MAX_DELAY_DAYS};
use crate::primitives::calendar::EXTRA_DAYS;
use crate::primitives::checked_values::at_ms;
use crate::world::World;

const DAY_MS: i64 = 86_400_000;

/// The events that arrive within 24 hours.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// The number of the day in the plan, from 0.
    pub number: usize,
    pub from: Timestamp,
    /// Exclusive.
    pub to: Timestamp,
    /// In order of arrival.
    pub arrivals: Vec<Arrival>,
}

/// Iterates over the days of a world.
pub struct Days<'a> {
    world: &'a World,
    next: usize,
    /// The next local day to generate.
    next_local_day: usize,
    /// Events that arrive on the next day and the days after it.
    pending: VecDeque<Vec<Arrival>>,
}

impl<'a> Days<'a> {
    pub(crate) fn new(world: &'a World) -> Self {
        Self { world, next: 0, next_local_day: 0, pending: VecDeque::new() }
    }
}

impl Iterator for Days<'_> {
    type Item = Day;

    fn next(&mut self) -> Option<Day> {
        if self.next == self.world.plan.days {
            return None;
        }
        let mut emitted = Vec::new();
        while self.next_local_day <= self.next + EXTRA_DAYS && self.next_local_day < self.world.local_days() {
            for site in 0..self.world.site_profiles.len() {
                self.world.emit_events(site, self.next_local_day, &mut emitted);
            }
            self.next_local_day += 1;
        }
        for arrival in emitted {
            let ahead = self.world.arrival_day(&arrival) - self.next;
            while self.pending.len() <= ahead {
                self.pending.push_back(Vec::new());
            }
            self.pending[ahead].push(arrival);
        }
        let arrivals = self.pending.pop_front().unwrap_or_default();
        self.next += 1;
        Some(self.world.sorted_day(self.next - 1, arrivals))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.world.plan.days - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Days<'_> {}

impl World {
    /// Returns the events, day by day, in the order of arrival.
    pub fn days(&self) -> Days<'_> {
        Days::new(self)
    }

    /// Returns one day without the days before it. It costs as much as all days from which something can still arrive on it.
    pub fn day(&self, number: usize) -> Option<Day> {
        if number >= self.plan.days {
            return None;
        }
        let (mut emitted, mut arrivals) = (Vec::new(), Vec::new());
        let last = (number + EXTRA_DAYS + 1).min(self.local_days());
        for local in number.saturating_sub(MAX_DELAY_DAYS)..last {
            for site in 0..self.site_profiles.len() {
                self.emit_events(site, local, &mut emitted);
                arrivals.extend(emitted.drain(..).filter(|arrival| self.arrival_day(arrival) == number));
            }
        }
        Some(self.sorted_day(number, arrivals))
    }

    /// Returns the day on which an event arrives.
    fn arrival_day(&self, arrival: &Arrival) -> usize {
        ((arrival.received_at.micros() / 1_000 - self.from_ms) / DAY_MS) as usize
    }

    fn sorted_day(&self, number: usize, mut arrivals: Vec<Arrival>) -> Day {
        // Events of one station at the same time stay in the order in which they were generated.
        arrivals.sort_by_key(|arrival| (arrival.received_at, arrival.station));
        let from_ms = self.from_ms + number as i64 * DAY_MS;
        Day { number, from: at_ms(from_ms), to: at_ms(from_ms + DAY_MS), arrivals }
    }
}

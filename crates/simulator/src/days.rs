//! The days of a plan, one after another, with what arrives on each.
//!
//! A day here is 24 hours, counted back from the end of the plan. What stations of all zones tell of their local days is kept
//! until the day of its arrival, so that no more than about two weeks are in memory, of which all but the first few hold
//! only what is late.

use std::collections::VecDeque;

use domain::Timestamp;

use crate::arrivals::{Arrival, MAX_DELAY_DAYS};
use crate::calendar::EXTRA_DAYS;
use crate::checked_values::at_ms;
use crate::world::World;

const DAY_MS: i64 = 86_400_000;

/// What arrives within 24 hours.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// The how-manieth day of the plan, from 0.
    pub number: usize,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends, exclusive.
    pub to: Timestamp,
    /// What arrives, in order.
    pub arrivals: Vec<Arrival>,
}

/// Gives the days of a world in their order.
pub struct Days<'a> {
    world: &'a World,
    next: usize,
    /// The next local day that is to be told of.
    next_local_day: usize,
    /// What arrives on the next day and those after it.
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
        let mut told = Vec::new();
        while self.next_local_day <= self.next + EXTRA_DAYS && self.next_local_day < self.world.local_days() {
            for site in 0..self.world.site_profiles.len() {
                self.world.emit_events(site, self.next_local_day, &mut told);
            }
            self.next_local_day += 1;
        }
        for arrival in told {
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
    /// One day, without those before it. It costs as much as all the days from which something can still arrive on it.
    pub fn day(&self, number: usize) -> Option<Day> {
        if number >= self.plan.days {
            return None;
        }
        let (mut told, mut arrivals) = (Vec::new(), Vec::new());
        let last = (number + EXTRA_DAYS + 1).min(self.local_days());
        for local in number.saturating_sub(MAX_DELAY_DAYS)..last {
            for site in 0..self.site_profiles.len() {
                self.emit_events(site, local, &mut told);
                arrivals.extend(told.drain(..).filter(|arrival| self.arrival_day(arrival) == number));
            }
        }
        Some(self.sorted_day(number, arrivals))
    }

    /// The day on which something arrives.
    fn arrival_day(&self, arrival: &Arrival) -> usize {
        ((arrival.received_at.micros() / 1_000 - self.from_ms) / DAY_MS) as usize
    }

    fn sorted_day(&self, number: usize, mut arrivals: Vec<Arrival>) -> Day {
        // What a station tells at the same moment stays in the order in which it told it.
        arrivals.sort_by_key(|arrival| (arrival.received_at, arrival.station));
        let from_ms = self.from_ms + number as i64 * DAY_MS;
        Day { number, from: at_ms(from_ms), to: at_ms(from_ms + DAY_MS), arrivals }
    }
}

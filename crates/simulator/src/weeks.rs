//! The same events as those of the days, cut by the local day on which they happened instead of the day on which they arrived.
//!
//! A service that loads the newest week first can answer about it before it has the others, because what happened in a week is complete
//! with that week. Together the weeks have exactly the events and tag tests of the plan.

use std::ops::Range;

use domain::Day;

use crate::activity::arrivals::Arrival;
use crate::primitives::calendar::EXTRA_DAYS;
use crate::registry::TagTest;
use crate::world::World;

const DAY_MS: i64 = 86_400_000;

/// Local days of all worksites, of which there are seven, but for the newest and the oldest week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Week {
    /// The first day, which is the same date at every worksite.
    pub first_day: Day,
    /// The local days by their numbers, from the day before the plan begins.
    numbers: Range<usize>,
}

impl Week {
    /// Returns the number of its days.
    pub fn days(&self) -> usize {
        self.numbers.len()
    }
}

impl World {
    /// Cuts the plan into weeks, the newest first. That has seven whole days and the one on which the plan ends.
    pub fn weeks(&self) -> Vec<Week> {
        let (mut weeks, mut end) = (Vec::new(), self.local_days());
        let mut length = 7 + EXTRA_DAYS - 1;
        while end > 0 {
            let first = end.saturating_sub(length);
            weeks.push(Week { first_day: self.date_of(first), numbers: first..end });
            (end, length) = (first, 7);
        }
        weeks
    }

    /// Returns the events of a week in the order of their arrival.
    pub fn events_of(&self, week: &Week) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        for local in week.numbers.clone() {
            for site in 0..self.site_profiles.len() {
                self.emit_events(site, local, &mut arrivals);
            }
        }
        arrivals.sort_by_key(|arrival| (arrival.received_at, arrival.station));
        arrivals
    }

    /// Returns the tests of tags in a week, in the order of [`World::tag_tests`].
    pub fn tag_tests_of(&self, week: &Week) -> Vec<TagTest> {
        self.tag_tests_on(week.numbers.clone()).collect()
    }

    /// Returns the date of a local day.
    fn date_of(&self, local_day: usize) -> Day {
        Day::from_number(self.from_ms.div_euclid(DAY_MS) - 1 + local_day as i64)
    }
}

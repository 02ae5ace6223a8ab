//! Working hours: the hours of a kind of worksite, and the hours of one machine on one day.

use domain::WorksiteKind;
use jiff::civil::Weekday;

use crate::primitives::calendar::LocalDay;
use crate::primitives::chance::Chance;

/// The probability that a machine stays off on a weekday, because of repairs or a lack of work.
const IDLE_PROBABILITY: f64 = 0.04;

/// The duration of a shift at the weekend.
const WEEKEND_SHIFT_MINUTES: f64 = 300.0;

/// A morning break and a midday break.
const MORNING_BREAK_MINUTES: f64 = 15.0;
const MIDDAY_BREAK_MINUTES: f64 = 45.0;

/// The working hours of a worksite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkingHours {
    /// Its shifts, in minutes after midnight. Each machine and person belongs to one of them.
    pub shifts: &'static [(f64, f64)],
    /// The share of machines that work on a Saturday and on a Sunday.
    saturday: f64,
    sunday: f64,
    /// The probability that the weather stops all work.
    pub bad_weather_probability: f64,
}

const ONE_SHIFT: &[(f64, f64)] = &[(420.0, 960.0)];
const TWO_SHIFTS: &[(f64, f64)] = &[(360.0, 840.0), (840.0, 1320.0)];

impl WorkingHours {
    pub const fn of(kind: WorksiteKind) -> Self {
        match kind {
            WorksiteKind::Logistics | WorksiteKind::WasteRecycling => {
                Self { shifts: TWO_SHIFTS, saturday: 0.7, sunday: 0.1, bad_weather_probability: 0.005 }
            }
            WorksiteKind::Agriculture | WorksiteKind::Forestry => {
                Self { shifts: ONE_SHIFT, saturday: 0.4, sunday: 0.05, bad_weather_probability: 0.08 }
            }
            _ => Self { shifts: ONE_SHIFT, saturday: 0.25, sunday: 0.03, bad_weather_probability: 0.05 },
        }
    }

    /// Returns the probability that a machine works on such a day.
    fn work_probability(&self, weekday: Weekday) -> f64 {
        match weekday {
            Weekday::Saturday => self.saturday,
            Weekday::Sunday => self.sunday,
            _ => 1.0 - IDLE_PROBABILITY,
        }
    }

    /// Returns the mean hours per day that a machine of a shift runs.
    pub fn mean_hours(&self, shift: usize) -> f64 {
        let (start, end) = self.shifts[shift];
        // Machines start up to 15 minutes late and stop up to 20 minutes early.
        let weekday = end - start - 7.5 - 10.0 - MORNING_BREAK_MINUTES - MIDDAY_BREAK_MINUTES;
        let weekend = WEEKEND_SHIFT_MINUTES - 7.5 - 10.0 - MORNING_BREAK_MINUTES;
        let week = 5.0 * (1.0 - IDLE_PROBABILITY) * weekday + (self.saturday + self.sunday) * weekend;
        week / 7.0 / 60.0 * (1.0 - self.bad_weather_probability)
    }

    /// Returns the periods in which the ignition is on that day, in milliseconds since 1970; empty if the machine does not work.
    pub fn ignition_periods(&self, shift: usize, day: &LocalDay, chance: &mut Chance) -> Vec<(i64, i64)> {
        if day.is_off || !chance.happens(self.work_probability(day.weekday())) {
            return Vec::new();
        }
        let is_weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        let (opens, closes) = self.shifts[shift];
        let closes = if is_weekend { opens + WEEKEND_SHIFT_MINUTES } else { closes };
        let start = opens + chance.between(0.0, 15.0);
        let end = closes - chance.between(0.0, 20.0);
        let morning = opens + chance.between(140.0, 160.0);
        let midday = opens + chance.between(290.0, 310.0);
        let mut on = vec![(start, morning)];
        if is_weekend {
            on.push((morning + MORNING_BREAK_MINUTES, end));
        } else {
            on.push((morning + MORNING_BREAK_MINUTES, midday));
            on.push((midday + MIDDAY_BREAK_MINUTES, end));
        }
        on.into_iter().map(|(from, to)| (day.at_minute(from), day.at_minute(to))).collect()
    }
}

#[cfg(test)]
mod tests {
    use domain::{TimeZone, Timestamp};

    use super::*;
    use crate::primitives::calendar::local_days;
    use crate::primitives::chance::{Purpose, Source};

    #[test]
    fn the_mean_is_what_comes_out() {
        let source = Source::new(3);
        let from = Timestamp::parse("2024-01-01T00:00:00Z").unwrap();
        for kind in WorksiteKind::ALL {
            let hours = WorkingHours::of(kind);
            let mut weather = source.stream(Purpose::Weather, 0, 0);
            let days = local_days(from, 7 * 250 - 3, &TimeZone::parse("UTC").unwrap(), || {
                weather.happens(hours.bad_weather_probability)
            });
            for shift in 0..hours.shifts.len() {
                let mut chance = source.stream(Purpose::Work, 0, shift);
                let on = days.iter().flat_map(|day| hours.ignition_periods(shift, day, &mut chance));
                let mean =
                    on.map(|(from, to)| to - from).sum::<i64>() as f64 / 3_600_000.0 / days.len() as f64;
                let ratio = mean / hours.mean_hours(shift);
                assert!((0.97..1.03).contains(&ratio), "{kind:?}: {ratio}");
            }
        }
    }
}

//! When the runs of a schedule take place, and which days their reports cover.

use crate::{Day, NextRun, Period, ReportPeriod, ScheduleRule, TimeZone, Timestamp};

/// What decides when a schedule runs. Its slots come by one clock, but its reports cover the days of worksites, and a day ends later
/// further west. No run covers a day that is not over yet somewhere.
#[derive(Clone, Debug)]
pub struct RunTimes {
    pub rule: ScheduleRule,
    pub period: ReportPeriod,
    /// The time zone of its slots.
    pub clock: TimeZone,
    /// The time zones of the days that its reports cover.
    pub zones: Vec<TimeZone>,
}

impl RunTimes {
    /// Returns the run of the first slot after an instant.
    pub fn next_after(&self, after: Timestamp) -> NextRun {
        self.run_of(self.rule.next_after(after, &self.clock))
    }

    /// Returns the run of a slot. It waits until the last day of its period is over in all time zones.
    pub fn run_of(&self, slot_at: Timestamp) -> NextRun {
        let (_, end) = self.period.days_before(Day::from_number(self.clock.local(slot_at).day));
        let run_at = self.zones.iter().map(|zone| end.start_in(zone)).fold(slot_at, Timestamp::max);
        NextRun { slot_at, run_at }
    }

    /// Returns the last slot that can be run by now, if there is one, and the run after it, for a schedule whose next slot is `slot_at`.
    /// Slots in between were missed.
    pub fn last_and_next(&self, slot_at: Timestamp, now: Timestamp) -> (Option<Timestamp>, NextRun) {
        let (mut last, mut next) = (None, self.run_of(slot_at));
        while next.run_at <= now {
            (last, next) = (Some(next.slot_at), self.next_after(next.slot_at));
        }
        (last, next)
    }

    /// Returns the period of a run that takes place now. It is that of the slot, unless one of its days is not over everywhere: then it
    /// is the one before the earliest of the current days.
    pub fn period_of(&self, slot_at: Timestamp, now: Timestamp) -> Period {
        let day_of_slot = self.clock.local(slot_at).day;
        let today = self.zones.iter().map(|zone| zone.local(now).day).fold(day_of_slot, i64::min);
        self.period.before(Day::from_number(today))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cadence, PeriodBound};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn times(cadence: Cadence, period: ReportPeriod, time: &str, clock: &str, zones: &[&str]) -> RunTimes {
        let zone = |name: &str| TimeZone::parse(name).unwrap();
        RunTimes {
            rule: ScheduleRule { cadence, minute_of_day: ScheduleRule::parse_time(time).unwrap() },
            period,
            clock: zone(clock),
            zones: zones.iter().map(|name| zone(name)).collect(),
        }
    }

    fn days(period: Period) -> (String, String) {
        (period.from.unwrap().to_string(), period.to.unwrap().to_string())
    }

    #[test]
    fn of_several_missed_slots_the_last_is_made_up() {
        let times = times(Cadence::Daily, ReportPeriod::PreviousDay, "07:00", "UTC", &["UTC"]);
        let due = at("2026-03-02T07:00:00Z");
        for (now, last, next) in [
            ("2026-03-02T06:59:59Z", None, "2026-03-02T07:00:00Z"),
            ("2026-03-02T07:00:00Z", Some("2026-03-02T07:00:00Z"), "2026-03-03T07:00:00Z"),
            ("2026-03-03T06:59:59Z", Some("2026-03-02T07:00:00Z"), "2026-03-03T07:00:00Z"),
            ("2026-03-05T07:00:00Z", Some("2026-03-05T07:00:00Z"), "2026-03-06T07:00:00Z"),
            ("2026-03-09T12:00:00Z", Some("2026-03-09T07:00:00Z"), "2026-03-10T07:00:00Z"),
        ] {
            let next = NextRun { slot_at: at(next), run_at: at(next) };
            assert_eq!(times.last_and_next(due, at(now)), (last.map(at), next), "{now}");
        }
    }

    #[test]
    fn a_run_waits_until_its_last_day_is_over_further_west() {
        let (weekly, monthly) = (Cadence::Weekly { weekday: 1 }, Cadence::Monthly { day_of_month: 1 });
        let wednesday = Cadence::Weekly { weekday: 3 };
        let world = &["Pacific/Auckland", "Europe/Berlin", "America/Denver"][..];
        for (cadence, period, zones, run) in [
            // 04:00 in UTC is 21:00 on the day before in Denver, where the day ends at 07:00 in UTC.
            (Cadence::Daily, ReportPeriod::PreviousDay, world, "2026-03-02T07:00:00Z"),
            (Cadence::Daily, ReportPeriod::PreviousDay, &world[..2], "2026-03-02T04:00:00Z"),
            (Cadence::Daily, ReportPeriod::PreviousDay, &[], "2026-03-02T04:00:00Z"),
            (Cadence::Daily, ReportPeriod::Last28Days, world, "2026-03-02T07:00:00Z"),
            (Cadence::Daily, ReportPeriod::PreviousMonth, world, "2026-03-02T04:00:00Z"),
            (weekly, ReportPeriod::PreviousWeek, world, "2026-03-02T07:00:00Z"),
            (monthly, ReportPeriod::PreviousMonth, world, "2026-04-01T06:00:00Z"),
            // The week has been over for days.
            (wednesday, ReportPeriod::PreviousWeek, world, "2026-03-04T04:00:00Z"),
        ] {
            let next = times(cadence, period, "04:00", "UTC", zones).next_after(at("2026-03-01T12:00:00Z"));
            assert_eq!(next.run_at, at(run), "{cadence:?} {period:?} {zones:?}");
            assert!(next.slot_at.to_string().ends_with("T04:00:00Z"), "{next:?}");
        }
    }

    #[test]
    fn a_slot_that_waits_is_not_lost_when_the_next_one_comes() {
        // Days end 25 hours later in Midway than on Kiritimati.
        let zones = &["Pacific/Midway"];
        let times = times(Cadence::Daily, ReportPeriod::PreviousDay, "00:00", "Pacific/Kiritimati", zones);
        let first = times.next_after(at("2026-03-01T12:00:00Z"));
        assert_eq!((first.slot_at, first.run_at), (at("2026-03-02T10:00:00Z"), at("2026-03-03T11:00:00Z")));
        let (last, next) = times.last_and_next(first.slot_at, at("2026-03-03T10:59:59Z"));
        assert_eq!((last, next), (None, first), "the second slot has come, the first cannot be run yet");
        let (last, next) = times.last_and_next(first.slot_at, first.run_at);
        assert_eq!((last, next.slot_at), (Some(first.slot_at), at("2026-03-03T10:00:00Z")));
        assert_eq!(days(times.period_of(first.slot_at, first.run_at)).1, "2026-03-03");
    }

    #[test]
    fn a_run_by_hand_covers_days_that_are_over_everywhere() {
        let now = at("2026-11-16T21:34:00Z");
        for (period, clock, zones, from, to) in [
            // It is 10:34 on the 17th in Auckland, and 14:34 on the 16th in Denver.
            (ReportPeriod::PreviousDay, "Pacific/Auckland", "America/Denver", "2026-11-15", "2026-11-16"),
            (ReportPeriod::PreviousDay, "America/Denver", "Pacific/Auckland", "2026-11-15", "2026-11-16"),
            (ReportPeriod::PreviousDay, "Pacific/Auckland", "Pacific/Auckland", "2026-11-16", "2026-11-17"),
            (ReportPeriod::Last7Days, "Pacific/Auckland", "America/Denver", "2026-11-09", "2026-11-16"),
            (ReportPeriod::PreviousWeek, "Pacific/Auckland", "America/Denver", "2026-11-09", "2026-11-16"),
        ] {
            let times = times(Cadence::Daily, period, "07:30", clock, &[zones]);
            let shown = days(times.period_of(now, now));
            assert_eq!(shown, (from.to_owned(), to.to_owned()), "{period:?} {clock} {zones}");
        }
    }

    /// Whenever a run takes place, all of its days are over in all of its time zones.
    #[test]
    fn no_run_covers_a_day_that_is_not_over() {
        let zones = ["Pacific/Kiritimati", "Asia/Kolkata", "Europe/London", "America/Havana", "Pacific/Niue"];
        for clock in zones {
            for period in ReportPeriod::ALL {
                let times = times(Cadence::Daily, period, "00:30", clock, &zones);
                let mut run = times.next_after(at("2026-02-20T00:00:00Z"));
                for _ in 0..300 {
                    let Some(PeriodBound::Day(end)) = times.period_of(run.slot_at, run.run_at).to else {
                        panic!("a day")
                    };
                    let day_of_slot = Day::from_number(times.clock.local(run.slot_at).day);
                    assert_eq!(end, period.days_before(day_of_slot).1, "it is the period of the slot");
                    let is_over = |zone: &TimeZone| end.start_in(zone) <= run.run_at;
                    assert!(times.zones.iter().all(is_over), "{clock} {period:?} {run:?}");
                    run = times.next_after(run.slot_at);
                }
            }
        }
    }
}

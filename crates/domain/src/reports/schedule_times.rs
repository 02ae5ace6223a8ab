//! The slots of a schedule, and the periods of its reports.

use jiff::civil::Date;
use jiff::tz::AmbiguousOffset;

use crate::{Cadence, Day, Period, PeriodBound, ReportPeriod, ScheduleRule, Span, TimeZone, Timestamp};

/// Every month has a day from 1 to 28, so that the next slot is at most this many days away.
const MAX_DAYS_AHEAD: i64 = 40;

impl ScheduleRule {
    /// Returns the first slot after an instant. A slot at a local time that clocks skip is the first instant after the skipped
    /// time; of a local time that occurs twice it is the first.
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Timestamp {
        let today = zone.local(after).day;
        let days = (today..=today.saturating_add(MAX_DAYS_AHEAD)).map(Day::from_number);
        let dates = days.filter_map(date).filter(|date| self.is_on(*date));
        let slots = dates.filter_map(|date| self.slot_on(date, zone));
        let mut later = slots.filter(|slot| *slot > after);
        // Only at the end of the calendar is there none.
        later.next().unwrap_or(after + Span::minutes(24 * 60))
    }

    fn is_on(&self, date: Date) -> bool {
        match self.cadence {
            Cadence::Daily => true,
            Cadence::Weekly { weekday } => i64::from(date.weekday().to_monday_one_offset()) == weekday,
            Cadence::Monthly { day_of_month } => i64::from(date.day()) == day_of_month,
        }
    }

    fn slot_on(&self, date: Date, zone: &TimeZone) -> Option<Timestamp> {
        let hour = i8::try_from(self.minute_of_day / 60).ok()?;
        let minute = i8::try_from(self.minute_of_day % 60).ok()?;
        let local = date.at(hour, minute, 0, 0);
        let ambiguous = zone.rules().to_ambiguous_timestamp(local);
        let is_skipped = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
        // For a skipped time, an instant shortly before the clocks change.
        let earlier = ambiguous.earlier().ok()?;
        let slot = match is_skipped {
            true => zone.rules().following(earlier).next()?.timestamp(),
            // At the last change that a zone lists, the library may call times repeated that are not.
            false if zone.rules().to_datetime(earlier) == local => earlier,
            false => ambiguous.later().ok()?,
        };
        Some(Timestamp::from_micros(slot.as_microsecond()))
    }
}

impl ReportPeriod {
    /// Returns the period of a slot on this local day. Its bounds are days, so that the days of each worksite count.
    pub fn before(self, today: Day) -> Period {
        let (from, to) = self.days_before(today);
        Period { from: Some(PeriodBound::Day(from)), to: Some(PeriodBound::Day(to)) }
    }

    /// Returns the first day of that period, and the day after its last.
    pub fn days_before(self, today: Day) -> (Day, Day) {
        let number = today.number();
        let (from, to) = match self {
            Self::PreviousDay => (number - 1, number),
            Self::PreviousWeek => {
                // 1 January 1970 was a Thursday.
                let monday = number - (number + 3).rem_euclid(7);
                (monday - 7, monday)
            }
            Self::PreviousMonth => previous_month(today).unwrap_or((number - 30, number)),
            Self::Last7Days => (number - 7, number),
            Self::Last28Days => (number - 28, number),
        };
        (Day::from_number(from), Day::from_number(to))
    }
}

/// Returns the first days of the month before and of the month of a day; none at the ends of the calendar.
fn previous_month(today: Day) -> Option<(i64, i64)> {
    let date = date(today)?;
    let last = date.first_of_month().yesterday().ok()?;
    let to = today.number() - i64::from(date.day()) + 1;
    Some((to - i64::from(last.day()), to))
}

fn date(day: Day) -> Option<Date> {
    let days = jiff::Span::new().try_days(day.number()).ok()?;
    jiff::civil::date(1970, 1, 1).checked_add(days).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn daily(time: &str) -> ScheduleRule {
        ScheduleRule { cadence: Cadence::Daily, minute_of_day: ScheduleRule::parse_time(time).unwrap() }
    }

    /// Returns the slots after an instant, as text.
    fn slots(rule: ScheduleRule, after: &str, zone_name: &str, count: usize) -> Vec<String> {
        let zone = zone(zone_name);
        let next = |slot: &Timestamp| Some(rule.next_after(*slot, &zone));
        let slots = std::iter::successors(Some(rule.next_after(at(after), &zone)), next);
        slots.take(count).map(|slot| slot.to_string()).collect()
    }

    #[test]
    fn a_slot_has_the_same_local_time_in_summer_and_winter() {
        let slots = slots(daily("07:30"), "2026-03-28T06:30:00Z", "Europe/Berlin", 3);
        assert_eq!(slots, ["2026-03-29T05:30:00Z", "2026-03-30T05:30:00Z", "2026-03-31T05:30:00Z"]);
    }

    #[test]
    fn a_skipped_time_runs_at_the_next_instant() {
        for time in ["02:00", "02:30", "02:59"] {
            let slots = slots(daily(time), "2026-03-28T12:00:00Z", "Europe/Berlin", 2);
            assert_eq!(slots[0], "2026-03-29T01:00:00Z", "{time}");
            assert!(slots[1].starts_with("2026-03-30T00:"), "{time}: {slots:?}");
        }
        // Clocks of Lord Howe are moved by half an hour.
        let howe = slots(daily("02:15"), "2026-10-02T20:00:00Z", "Australia/Lord_Howe", 2);
        assert_eq!(howe, ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"]);
    }

    #[test]
    fn a_repeated_time_runs_once_the_first_time() {
        let slots = slots(daily("02:30"), "2026-10-24T12:00:00Z", "Europe/Berlin", 2);
        assert_eq!(slots, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
        // Asked between the two occurrences, the next is that of the next day.
        let next = daily("02:30").next_after(at("2026-10-25T01:00:00Z"), &zone("Europe/Berlin"));
        assert_eq!(next, at("2026-10-26T01:30:00Z"));
    }

    #[test]
    fn a_day_that_does_not_exist_runs_when_the_next_begins() {
        // Apia went from Thursday 29 December 2011 to Saturday 31 December.
        let apia = slots(daily("07:00"), "2011-12-29T17:00:00Z", "Pacific/Apia", 3);
        assert_eq!(apia, ["2011-12-30T10:00:00Z", "2011-12-30T17:00:00Z", "2011-12-31T17:00:00Z"]);
        let friday = ScheduleRule { cadence: Cadence::Weekly { weekday: 5 }, minute_of_day: 420 };
        assert_eq!(slots(friday, "2011-12-29T17:00:00Z", "Pacific/Apia", 1), ["2011-12-30T10:00:00Z"]);
        // At midnight, the missing day and the next one are the same slot.
        let midnight = slots(daily("00:00"), "2011-12-29T10:00:00Z", "Pacific/Apia", 2);
        assert_eq!(midnight, ["2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"]);
    }

    #[test]
    fn weeks_and_months_have_their_days() {
        let monday = ScheduleRule { cadence: Cadence::Weekly { weekday: 1 }, minute_of_day: 0 };
        let mondays = slots(monday, "2026-03-02T00:00:00Z", "UTC", 2);
        assert_eq!(mondays, ["2026-03-09T00:00:00Z", "2026-03-16T00:00:00Z"]);
        let sunday = ScheduleRule { cadence: Cadence::Weekly { weekday: 7 }, minute_of_day: 1439 };
        assert_eq!(slots(sunday, "2026-03-02T00:00:00Z", "UTC", 1), ["2026-03-08T23:59:00Z"]);
        let monthly = ScheduleRule { cadence: Cadence::Monthly { day_of_month: 28 }, minute_of_day: 60 };
        let months = slots(monthly, "2026-01-28T01:00:00Z", "UTC", 3);
        assert_eq!(months, ["2026-02-28T01:00:00Z", "2026-03-28T01:00:00Z", "2026-04-28T01:00:00Z"]);
    }

    /// Asserts that each of five days has one slot, at its time, or later by at most the three hours that clocks of some zone skip.
    fn check_five_days(rule: &ScheduleRule, zone: &TimeZone, first: Day) {
        let mut slot = rule.next_after(first.start_in(zone) - Span::seconds(1), zone);
        for day in first.number()..first.number() + 5 {
            let local = zone.local(slot);
            let late_s = (local.day - day) * 86_400 + local.second_of_day - rule.minute_of_day * 60;
            assert!((0..=3 * 3_600).contains(&late_s), "{zone} {rule:?} {slot}: {late_s}");
            slot = rule.next_after(slot, zone);
        }
    }

    #[test]
    fn every_zone_has_one_slot_a_day_around_every_change_of_its_clocks() {
        let (begin, end) = (at("2016-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"));
        let mut changes = 0;
        for name in jiff::tz::db().available() {
            let Ok(zone) = TimeZone::parse(name.as_str()) else { continue };
            let after = jiff::Timestamp::from_microsecond(begin.micros()).unwrap();
            for change in zone.rules().following(after) {
                let change = Timestamp::from_micros(change.timestamp().as_microsecond());
                if change >= end {
                    break;
                }
                changes += 1;
                for time in ["00:00", "00:30", "01:30", "02:30", "23:45"] {
                    check_five_days(&daily(time), &zone, Day::from_number(zone.local(change).day - 2));
                }
            }
        }
        assert!(changes > 1_000, "{changes}");
    }

    #[test]
    fn periods_are_whole_days_before_the_slot() {
        for (period, today, from, to) in [
            (ReportPeriod::PreviousDay, "2026-03-01", "2026-02-28", "2026-03-01"),
            // A Monday, a Wednesday and a Sunday.
            (ReportPeriod::PreviousWeek, "2026-03-09", "2026-03-02", "2026-03-09"),
            (ReportPeriod::PreviousWeek, "2026-03-11", "2026-03-02", "2026-03-09"),
            (ReportPeriod::PreviousWeek, "2026-03-15", "2026-03-02", "2026-03-09"),
            (ReportPeriod::PreviousMonth, "2026-03-01", "2026-02-01", "2026-03-01"),
            (ReportPeriod::PreviousMonth, "2024-03-28", "2024-02-01", "2024-03-01"),
            (ReportPeriod::PreviousMonth, "2026-01-05", "2025-12-01", "2026-01-01"),
            (ReportPeriod::Last7Days, "2026-03-03", "2026-02-24", "2026-03-03"),
            (ReportPeriod::Last28Days, "2026-03-01", "2026-02-01", "2026-03-01"),
        ] {
            let Period { from: begin, to: end } = period.before(Day::parse(today).unwrap());
            let shown = (begin.unwrap().to_string(), end.unwrap().to_string());
            assert_eq!(shown, (from.to_owned(), to.to_owned()), "{period:?} on {today}");
        }
    }
}

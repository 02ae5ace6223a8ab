//! When active hours begin and end, across changes of clocks.

use jiff::tz::AmbiguousOffset;

use crate::{ActiveHours, Span, TimeZone, Timestamp};

/// Hours of one day of the week that clocks skip begin a week later.
const MAX_DAYS_AHEAD: i64 = 15;

impl ActiveHours {
    /// Whether an instant is within the hours. The given clock counts if they have none of their own.
    pub fn contains(&self, at: Timestamp, zone: &TimeZone) -> bool {
        let zone = self.time_zone.as_ref().unwrap_or(zone);
        let today = zone.local(at).day;
        // Hours over midnight began yesterday, and the day before if clocks skipped a day.
        let mut hours = (today - 2..=today).filter_map(|day| self.hours_of(day, zone));
        hours.any(|(begin, end)| begin <= at && at < end)
    }

    /// Returns the next beginning after an instant that is outside.
    pub fn next_start(&self, after: Timestamp, zone: &TimeZone) -> Timestamp {
        let zone = self.time_zone.as_ref().unwrap_or(zone);
        let today = zone.local(after).day;
        let hours = (today - 1..=today + MAX_DAYS_AHEAD).filter_map(|day| self.hours_of(day, zone));
        let mut later = hours.map(|(begin, _)| begin).filter(|begin| *begin > after);
        // Only at the end of the calendar is there none.
        later.next().unwrap_or(after + Span::minutes(24 * 60))
    }

    /// Returns when the hours of a day begin and end; none if the day has none.
    fn hours_of(&self, day: i64, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
        // 1 January 1970 was a Thursday.
        let weekday = (day + 3).rem_euclid(7) + 1;
        if !self.days.contains(&weekday) {
            return None;
        }
        let last_day = if self.to_minute > self.from_minute { day } else { day + 1 };
        let (begin, _) = instants_of(day, self.from_minute, zone)?;
        let (_, end) = instants_of(last_day, self.to_minute, zone)?;
        (begin < end).then_some((begin, end))
    }
}

/// Returns the first and the last instant at which a clock shows a time. For a time that clocks skip, both are the instant at which they
/// go on.
fn instants_of(day: i64, minute_of_day: i64, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let since_1970 = jiff::SignedDuration::from_mins(day * 1_440 + minute_of_day);
    let local = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since_1970).ok()?;
    let ambiguous = zone.rules().to_ambiguous_timestamp(local);
    let (first, last) = match ambiguous.offset() {
        AmbiguousOffset::Gap { .. } => {
            // An instant shortly before clocks change.
            let earlier = ambiguous.earlier().ok()?;
            let change = zone.rules().following(earlier).next()?.timestamp();
            (change, change)
        }
        _ => (ambiguous.earlier().ok()?, ambiguous.later().ok()?),
    };
    Some((Timestamp::from_micros(first.as_microsecond()), Timestamp::from_micros(last.as_microsecond())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cadence, ScheduleRule};

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn hours(days: &[i64], from: &str, to: &str) -> ActiveHours {
        ActiveHours {
            days: days.to_vec(),
            from_minute: ScheduleRule::parse_time(from).unwrap(),
            to_minute: ScheduleRule::parse_time(to).unwrap(),
            time_zone: None,
        }
    }

    /// Asserts in Berlin whether instants are inside.
    fn check(hours: &ActiveHours, expected: &[(&str, bool)]) {
        for (instant, is_inside) in expected {
            assert_eq!(hours.contains(at(instant), &zone("Europe/Berlin")), *is_inside, "{instant}");
        }
    }

    #[test]
    fn hours_of_a_day_begin_and_end_on_it() {
        // 2026-03-02 is a Monday, an hour ahead of UTC.
        let weekdays = hours(&[1, 2, 3, 4, 5], "07:00", "18:00");
        check(
            &weekdays,
            &[
                ("2026-03-02T05:59:59Z", false),
                ("2026-03-02T06:00:00Z", true),
                ("2026-03-02T16:59:59.999999Z", true),
                ("2026-03-02T17:00:00Z", false),
                ("2026-03-07T12:00:00Z", false),
            ],
        );
        let berlin = zone("Europe/Berlin");
        assert_eq!(weekdays.next_start(at("2026-03-02T05:00:00Z"), &berlin), at("2026-03-02T06:00:00Z"));
        assert_eq!(weekdays.next_start(at("2026-03-06T17:00:00Z"), &berlin), at("2026-03-09T06:00:00Z"));
        // Its own clock counts more than that of the site.
        let abroad = ActiveHours { time_zone: Some(zone("America/New_York")), ..weekdays };
        check(&abroad, &[("2026-03-02T06:00:00Z", false), ("2026-03-02T12:00:00Z", true)]);
        assert_eq!(abroad.next_start(at("2026-03-02T06:00:00Z"), &berlin), at("2026-03-02T12:00:00Z"));
    }

    #[test]
    fn hours_over_midnight_belong_to_the_day_on_which_they_begin() {
        // 2026-03-06 is a Friday.
        let night = hours(&[5], "22:00", "06:00");
        check(
            &night,
            &[
                ("2026-03-05T23:00:00Z", false),
                ("2026-03-06T20:59:59Z", false),
                ("2026-03-06T21:00:00Z", true),
                ("2026-03-07T04:59:59Z", true),
                ("2026-03-07T05:00:00Z", false),
                ("2026-03-07T22:00:00Z", false),
            ],
        );
        // From six until six.
        let whole = hours(&[5], "06:00", "06:00");
        check(
            &whole,
            &[
                ("2026-03-06T04:59:59Z", false),
                ("2026-03-06T05:00:00Z", true),
                ("2026-03-07T04:59:59Z", true),
                ("2026-03-07T05:00:00Z", false),
            ],
        );
    }

    #[test]
    fn hours_begin_late_if_clocks_skip_their_beginning() {
        // Sunday 29 March: 2:00 is 3:00, at 01:00 UTC.
        let sunday = hours(&[7], "02:30", "06:00");
        check(
            &sunday,
            &[
                ("2026-03-29T00:59:59Z", false),
                ("2026-03-29T01:00:00Z", true),
                ("2026-03-29T03:59:59Z", true),
                ("2026-03-29T04:00:00Z", false),
            ],
        );
        let berlin = zone("Europe/Berlin");
        assert_eq!(sunday.next_start(at("2026-03-29T00:50:00Z"), &berlin), at("2026-03-29T01:00:00Z"));
        // Hours that are skipped altogether begin a week later.
        let skipped = hours(&[7], "02:10", "02:50");
        check(&skipped, &[("2026-03-29T01:00:00Z", false), ("2026-04-05T00:10:00Z", true)]);
        assert_eq!(skipped.next_start(at("2026-03-28T12:00:00Z"), &berlin), at("2026-04-05T00:10:00Z"));
    }

    #[test]
    fn a_repeated_hour_is_inside_both_times() {
        // Sunday 25 October: 3:00 is 2:00 again, at 01:00 UTC.
        let sunday = hours(&[7], "02:30", "06:00");
        check(
            &sunday,
            &[
                ("2026-10-25T00:29:59Z", false),
                ("2026-10-25T00:30:00Z", true),
                ("2026-10-25T01:10:00Z", true),
                ("2026-10-25T01:45:00Z", true),
                ("2026-10-25T04:59:59Z", true),
                ("2026-10-25T05:00:00Z", false),
            ],
        );
        let berlin = zone("Europe/Berlin");
        assert_eq!(sunday.next_start(at("2026-10-25T00:10:00Z"), &berlin), at("2026-10-25T00:30:00Z"));
        assert_eq!(sunday.next_start(at("2026-10-25T05:00:00Z"), &berlin), at("2026-11-01T01:30:00Z"));
        let saturday = hours(&[6], "22:00", "02:30");
        check(
            &saturday,
            &[
                ("2026-10-25T00:45:00Z", true),
                ("2026-10-25T01:29:59Z", true),
                ("2026-10-25T01:30:00Z", false),
            ],
        );
    }

    /// Asserts that every beginning within six days is inside, and that schedules would begin then too.
    fn check_beginnings(hours: &ActiveHours, zone: &TimeZone, change: Timestamp) {
        let mut after = change - Span::minutes(3 * 1_440);
        while after < change + Span::minutes(3 * 1_440) {
            let start = hours.next_start(after, zone);
            assert!(start > after && hours.contains(start, zone), "{zone} {hours:?} {after}: {start}");
            let of_day = |weekday: &i64| ScheduleRule {
                cadence: Cadence::Weekly { weekday: *weekday },
                minute_of_day: hours.from_minute,
            };
            let slots = hours.days.iter().map(|weekday| of_day(weekday).next_after(after, zone));
            let slot = slots.min().unwrap();
            assert!(slot == start || !hours.contains(slot, zone), "{zone} {hours:?} {after}: {start} {slot}");
            after = start;
        }
    }

    const HOURS: [(&str, &str); 4] =
        [("00:00", "00:00"), ("02:30", "06:00"), ("01:30", "02:30"), ("22:00", "01:15")];

    #[test]
    fn in_every_zone_hours_begin_inside_around_every_change_of_its_clocks() {
        let (begin, end) = (at("2024-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z"));
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
                for (from, to) in HOURS {
                    check_beginnings(&hours(&[1, 2, 3, 4, 5, 6, 7], from, to), &zone, change);
                }
            }
        }
        assert!(changes > 300, "{changes}");
    }
}

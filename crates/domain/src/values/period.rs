//! Periods between two bounds, and the earlier ones that they are compared with.

use crate::{Day, Invalid, PeriodBound, Span, TimeZone, Timestamp};

/// A requested period, from `from` inclusive to `to` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Period {
    /// The start; if left out, the period has [`Period::DEFAULT_DAYS`] local days, and the day of its end is the last.
    pub from: Option<PeriodBound>,
    /// The end; if left out, the period is open.
    pub to: Option<PeriodBound>,
}

impl Period {
    /// Length of a period whose start is left out, in local days: whole weeks, so that every day of the week counts alike.
    pub const DEFAULT_DAYS: i64 = 28;
    /// Maximum length in days: any five years.
    pub const MAX_DAYS: i64 = 5 * 365 + 2;

    /// Resolves the bounds at the time `now`; the zone decides which day is today, if the start is left out. Rejects a period that is
    /// reversed, starts in the future without an end, or is too long, with the name of the wrong bound.
    pub fn bounds(
        self,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<(PeriodBound, Option<PeriodBound>), (&'static str, Invalid)> {
        let to = self.to.unwrap_or(PeriodBound::Instant(now));
        let Some(from) = self.from else {
            let from = Self::default_start(to, zone);
            if from.is_before_common_era() {
                let invalid = Invalid::new("out_of_range", "must not be in the first month of the year 1");
                return Err(("to", invalid));
            }
            return Ok((from, self.to));
        };
        if to.days_before(Self::MAX_DAYS).midnight_or_instant() > from.midnight_or_instant() {
            return Err(("from", Invalid::new("out_of_range", "must be at most five years before to")));
        }
        if from.is_after(to) {
            return Err(match self.to {
                Some(_) => ("to", Invalid::new("out_of_range", "must not come before from")),
                None => ("from", Invalid::new("out_of_range", "must not be in the future if to is left out")),
            });
        }
        Ok((from, self.to))
    }

    fn default_start(to: PeriodBound, zone: &TimeZone) -> PeriodBound {
        let end = match to {
            PeriodBound::Day(day) => day.number(),
            // The end is exclusive: midnight still belongs to the day before.
            PeriodBound::Instant(at) => zone.local(at - Span::from_micros(1)).day + 1,
        };
        PeriodBound::Day(Day::from_number(end.saturating_sub(Self::DEFAULT_DAYS)))
    }

    /// Returns the period to compare one with these bounds with: it is earlier by the fewest whole weeks that are not shorter than
    /// the period, by the local time of the zone. If the period has not ended, it ends at the local time of now.
    pub fn previous(from: PeriodBound, to: PeriodBound, now: Timestamp, zone: &TimeZone) -> PreviousPeriod {
        const WEEK: i64 = 7 * PeriodBound::DAY.micros();
        let length = to.local_micros(zone).saturating_sub(from.local_micros(zone)).max(1);
        // Rounded up.
        let weeks = (length - 1) / WEEK + 1;
        Self::earlier_by(weeks, (from, to), now, zone)
    }

    /// The same for a period whose start was left out. It has [`Period::DEFAULT_DAYS`] local days, which are whole weeks, whatever the
    /// clocks of this zone show now.
    pub fn previous_of_default(
        from: PeriodBound,
        to: PeriodBound,
        now: Timestamp,
        zone: &TimeZone,
    ) -> PreviousPeriod {
        Self::earlier_by(Self::DEFAULT_DAYS / 7, (from, to), now, zone)
    }

    fn earlier_by(
        weeks: i64,
        (from, to): (PeriodBound, PeriodBound),
        now: Timestamp,
        zone: &TimeZone,
    ) -> PreviousPeriod {
        let now = PeriodBound::Instant(now);
        let local = |bound: PeriodBound| bound.local_micros(zone);
        // There are no facts after now, so those of the earlier period that correspond to them must not count either.
        let end = match (local(to) > local(now), local(from) > local(now)) {
            (false, _) => to,
            (true, false) => now,
            (true, true) => from,
        };
        let to = end.weeks_before(weeks, zone);
        let mut from = from.weeks_before(weeks, zone);
        // A change of clocks can make a period of the maximum length an hour longer.
        let earliest = to.days_before(Self::MAX_DAYS).midnight_or_instant();
        if earliest > from.midnight_or_instant() {
            from = match from {
                PeriodBound::Instant(_) => PeriodBound::Instant(earliest),
                PeriodBound::Day(day) => PeriodBound::Day(Day::from_number(day.number() + 1)),
            };
        }
        PreviousPeriod { period: Self { from: Some(from), to: Some(to) }, weeks }
    }
}

/// The period that another one is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviousPeriod {
    /// Both bounds are given.
    pub period: Period,
    /// By how many weeks it is earlier.
    pub weeks: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> PeriodBound {
        PeriodBound::parse(text).unwrap()
    }

    fn instant(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    /// Returns the start and the end of the previous period, and the number of weeks.
    fn previous(from: &str, to: &str, now: &str, name: &str) -> (String, String, i64) {
        let PreviousPeriod { period, weeks } = Period::previous(at(from), at(to), instant(now), &zone(name));
        (period.from.unwrap().to_string(), period.to.unwrap().to_string(), weeks)
    }

    fn expected(from: &str, to: &str, weeks: i64) -> (String, String, i64) {
        (from.to_owned(), to.to_owned(), weeks)
    }

    #[test]
    fn the_previous_period_is_earlier_by_the_fewest_weeks_that_are_not_shorter() {
        let now = "2026-03-11T12:00:00Z";
        for (from, to, (start, end, weeks)) in [
            ("2026-03-01", "2026-03-08", ("2026-02-22", "2026-03-01", 1)),
            ("2026-03-01", "2026-03-09", ("2026-02-15", "2026-02-23", 2)),
            ("2026-03-02", "2026-03-03", ("2026-02-23", "2026-02-24", 1)),
            // Four weeks, and a moment more.
            ("2026-02-01", "2026-03-01", ("2026-01-04", "2026-02-01", 4)),
            ("2026-02-01", "2026-03-01T00:00:00.000001Z", ("2025-12-28", "2026-01-25T00:00:00.000001Z", 5)),
            (
                "2026-03-01T06:00:00Z",
                "2026-03-01T09:00:00Z",
                ("2026-02-22T06:00:00Z", "2026-02-22T09:00:00Z", 1),
            ),
            ("2026-03-09T12:00:00Z", "2026-03-10", ("2026-03-02T12:00:00Z", "2026-03-03", 1)),
            ("2026-03-05", "2026-03-05", ("2026-02-26", "2026-02-26", 1)),
            // Across a leap day.
            ("2024-02-26", "2024-03-04", ("2024-02-19", "2024-02-26", 1)),
            ("2024-02-29", "2024-03-29", ("2024-01-25", "2024-02-23", 5)),
        ] {
            assert_eq!(previous(from, to, now, "UTC"), expected(start, end, weeks), "{from} {to}");
        }
    }

    #[test]
    fn the_default_period_is_four_weeks_long_in_every_zone() {
        // 1 a.m. on 2 March in Auckland, 2 a.m. in Kiritimati, and still 1 March elsewhere.
        let now = instant("2026-03-01T12:00:00Z");
        for (today, from, before) in [
            ("Pacific/Auckland", "2026-02-03", "2026-01-06"),
            ("UTC", "2026-02-02", "2026-01-05"),
            ("Pacific/Honolulu", "2026-02-02", "2026-01-05"),
        ] {
            let (start, _) = Period::default().bounds(now, &zone(today)).unwrap();
            assert_eq!(start, at(from), "{today}");
            for local in ["Pacific/Kiritimati", "Pacific/Auckland", "UTC", "Pacific/Honolulu"] {
                let PreviousPeriod { period, weeks } =
                    Period::previous_of_default(start, PeriodBound::Instant(now), now, &zone(local));
                assert_eq!((period.from, weeks), (Some(at(before)), 4), "{today} {local}");
                assert_eq!(period.to, Some(at("2026-02-01T12:00:00Z")), "{today} {local}");
            }
        }
        // By its length, the period of a zone that is behind would have five weeks in one that is ahead.
        assert_eq!(previous("2026-02-02", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", "UTC").2, 4);
        let ahead = "Pacific/Auckland";
        assert_eq!(previous("2026-02-02", "2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", ahead).2, 5);
    }

    #[test]
    fn a_running_day_is_cut_at_the_same_local_minute() {
        // The default period of 11 March, and of a month that is not over.
        let now = "2026-03-11T12:34:00Z";
        assert_eq!(
            previous("2026-02-12", now, now, "UTC"),
            expected("2026-01-15", "2026-02-11T12:34:00Z", 4)
        );
        assert_eq!(
            previous("2026-03-01", "2026-04-01", now, "UTC"),
            expected("2026-01-25", "2026-02-04T12:34:00Z", 5)
        );
        // Today only.
        assert_eq!(
            previous("2026-03-11", "2026-03-12", now, "UTC"),
            expected("2026-03-04", "2026-03-04T12:34:00Z", 1)
        );
        // 12:34 in London is 11:34 in UTC since clocks went forward on 29 March.
        let now = "2026-04-01T11:34:00Z";
        assert_eq!(
            previous("2026-03-30", now, now, "Europe/London"),
            expected("2026-03-23", "2026-03-25T12:34:00Z", 1)
        );
        // And since they went back on 25 October, 12:34 was 11:34 in UTC.
        let now = "2026-10-28T12:34:00Z";
        assert_eq!(
            previous("2026-10-26", now, now, "Europe/London"),
            expected("2026-10-19", "2026-10-21T11:34:00Z", 1)
        );
        // What has not begun is compared with nothing.
        assert_eq!(previous("2026-11-02", "2026-11-09", now, "UTC"), expected("2026-10-26", "2026-10-26", 1));
    }

    #[test]
    fn a_local_week_is_a_week_even_if_clocks_change_in_it() {
        // 169 hours from Monday to Monday.
        assert_eq!(
            previous("2026-10-18T23:00:00Z", "2026-10-26T00:00:00Z", "2026-11-20T00:00:00Z", "Europe/London"),
            expected("2026-10-11T23:00:00Z", "2026-10-18T23:00:00Z", 1)
        );
        // 167 hours.
        assert_eq!(
            previous("2026-03-23T00:00:00Z", "2026-03-29T23:00:00Z", "2026-11-20T00:00:00Z", "Europe/London"),
            expected("2026-03-16T00:00:00Z", "2026-03-23T00:00:00Z", 1)
        );
        // Clocks skipped 1:30 a week before; half past two is as near as it gets.
        assert_eq!(
            previous("2026-04-05", "2026-04-05T00:30:00Z", "2026-11-20T00:00:00Z", "Europe/London"),
            expected("2026-03-29", "2026-03-29T01:30:00Z", 1)
        );
    }

    #[test]
    fn the_longest_period_has_a_previous_one() {
        let now = instant("2026-11-20T00:00:00Z");
        let london = zone("Europe/London");
        for (from, to) in [
            ("2021-10-30T23:00:00Z", "2026-10-31T23:00:00Z"),
            ("2021-03-30T12:00:00Z", "2026-03-31T12:00:00Z"),
            ("2021-10-31", "2026-11-01T00:00:00Z"),
            ("2021-03-31", "2026-04-01"),
        ] {
            let period = Period { from: Some(at(from)), to: Some(at(to)) };
            assert!(period.bounds(now, &london).is_ok(), "{from} {to}");
            let before = Period::previous(at(from), at(to), now, &london).period;
            assert!(before.bounds(now, &london).is_ok(), "{from} {to}: {before:?}");
        }
        // Moscow was an hour further ahead in 2012, so that the same local time was an hour earlier.
        assert_eq!(
            previous("2017-01-01T00:00:00Z", "2022-01-02T00:00:00Z", "2026-11-20T00:00:00Z", "Europe/Moscow"),
            expected("2012-01-01T00:00:00Z", "2017-01-01T00:00:00Z", 261)
        );
    }

    #[test]
    fn a_period_is_28_local_days_unless_said() {
        let bounds =
            |from, to, now: &str, name: &str| Period { from, to }.bounds(instant(now), &zone(name)).unwrap();
        assert_eq!(bounds(None, None, "2026-03-31T12:00:00Z", "UTC"), (at("2026-03-04"), None));
        // Already 1 April in Auckland, still 30 March in Honolulu.
        assert_eq!(bounds(None, None, "2026-03-31T12:00:00Z", "Pacific/Auckland"), (at("2026-03-05"), None));
        assert_eq!(bounds(None, None, "2026-03-31T09:00:00Z", "Pacific/Honolulu"), (at("2026-03-03"), None));
        // Today has only begun, or has an hour less or more than others.
        assert_eq!(bounds(None, None, "2026-03-31T00:00:00.000001Z", "UTC"), (at("2026-03-04"), None));
        assert_eq!(bounds(None, None, "2026-03-29T12:00:00Z", "Europe/London"), (at("2026-03-02"), None));
        assert_eq!(bounds(None, None, "2026-10-25T23:59:00Z", "Europe/London"), (at("2026-09-28"), None));
        // Across a leap day.
        assert_eq!(bounds(None, None, "2024-03-01T12:00:00Z", "UTC"), (at("2024-02-03"), None));
        for (to, from) in [
            ("2026-02-01", "2026-01-04"),
            ("2026-02-01T00:00:00Z", "2026-01-04"),
            ("2026-02-01T00:00:00.000001Z", "2026-01-05"),
            ("2026-02-01T15:00:00Z", "2026-01-05"),
        ] {
            let to = Some(at(to));
            assert_eq!(bounds(None, to, "2026-03-31T12:00:00Z", "UTC"), (at(from), to));
        }
        let from = at("2021-04-01");
        assert_eq!(bounds(Some(from), None, "2026-03-31T12:00:00Z", "UTC"), (from, None));
    }

    #[test]
    fn a_period_is_neither_turned_around_nor_longer_than_five_years() {
        let now = Timestamp::parse("2026-03-31T12:00:00Z").unwrap();
        let refused = |from, to: Option<&str>| {
            let period = Period { from: Some(at(from)), to: to.map(at) };
            period.bounds(now, &TimeZone::utc()).map_err(|(name, _)| name).err()
        };
        assert_eq!(refused("2021-03-29", None), Some("from"));
        assert_eq!(refused("2021-03-31", None), None);
        assert_eq!(refused("2000-01-01", Some("2005-01-01")), None);
        assert_eq!(refused("2000-01-01", Some("2005-01-03T00:00:00Z")), Some("from"));
        assert_eq!(refused("2026-03-02", Some("2026-03-01")), Some("to"));
        assert_eq!(refused("2026-03-01T00:00:01Z", Some("2026-03-01T00:00:00Z")), Some("to"));
        assert_eq!(refused("2026-03-01", Some("2026-03-01")), None);
        assert_eq!(refused("2026-03-02", Some("2026-03-01T12:00:00Z")), None);
        assert_eq!(refused("2026-03-05", Some("2026-03-01T12:00:00Z")), Some("to"));
        // What is open ends now. 1 April has begun in the east.
        assert_eq!(refused("2026-03-31T12:00:00Z", None), None);
        assert_eq!(refused("2026-03-31T12:00:00.000001Z", None), Some("from"));
        assert_eq!(refused("2026-04-01", None), None);
        assert_eq!(refused("2026-04-02", None), Some("from"));
        assert_eq!(refused("0001-01-01T00:00:00Z", Some("9999-01-01")), Some("from"));
        let early = Period { from: None, to: Some(at("0001-01-05")) };
        assert_eq!(early.bounds(now, &TimeZone::utc()).unwrap_err().0, "to");
    }

    #[test]
    fn bounds_begin_with_the_year_1() {
        for early in
            ["0000-12-31", "0000-01-01T00:00:00Z", "-000001-12-31T00:00:00Z", "0001-01-01T00:00:00+01:00"]
        {
            assert_eq!(PeriodBound::parse(early).unwrap_err().code, "out_of_range", "{early}");
        }
        for first in ["0001-01-01", "0001-01-01T00:00:00Z", "9999-12-30"] {
            assert!(!at(first).is_before_common_era(), "{first}");
        }
        let utc = TimeZone::utc();
        let previous = Period::previous(at("0001-01-01"), at("0001-01-02"), at("2026-03-01").latest(), &utc);
        assert!(previous.period.from.unwrap().is_before_common_era());
    }
}

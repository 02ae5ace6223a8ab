//! Formats days and times without a time zone database: each time has its offset.

use crate::DateOrder;

const DAY_S: i64 = 86_400;
const SECOND_US: i64 = 1_000_000;
const MINUTE_S: i32 = 60;
/// RFC 3339 offsets have two digits of hours.
const MAX_OFFSET_MINUTES: i32 = 23 * 60 + 59;

/// Appends a day as `2026-03-01`.
pub(crate) fn push_date(out: &mut Vec<u8>, days: i64) {
    push_date_in(out, days, DateOrder::YearMonthDay);
}

/// Appends a day in the given order of its parts.
pub(crate) fn push_date_in(out: &mut Vec<u8>, days: i64, order: DateOrder) {
    let (year, month, day) = civil_from_days(days);
    match order {
        DateOrder::YearMonthDay => {
            push_year(out, year);
            out.push(b'-');
            push_two_digits(out, month);
            out.push(b'-');
            push_two_digits(out, day);
        }
        DateOrder::DayMonthYear | DateOrder::MonthDayYear => {
            let (first, second) = if order == DateOrder::DayMonthYear { (day, month) } else { (month, day) };
            push_two_digits(out, first);
            out.push(b'/');
            push_two_digits(out, second);
            out.push(b'/');
            push_year(out, year);
        }
    }
}

fn push_year(out: &mut Vec<u8>, year: i64) {
    if (0..=9_999).contains(&year) {
        push_two_digits(out, year / 100);
        push_two_digits(out, year % 100);
    } else {
        // ISO 8601 requires a sign if the year has more than four digits.
        out.push(if year < 0 { b'-' } else { b'+' });
        out.extend_from_slice(format!("{:06}", year.unsigned_abs()).as_bytes());
    }
}

/// Appends a time in RFC 3339 with its offset, `2026-03-01T12:00:30.250+01:00`. The fraction has three digits, six, or none.
pub(crate) fn push_timestamp(out: &mut Vec<u8>, at_us: i64, offset_s: i32) {
    push_timestamp_in(out, at_us, offset_s, DateOrder::YearMonthDay);
}

/// Appends a time in the given order of its date: `01/03/2026 12:00:30.250+01:00`, or RFC 3339.
pub(crate) fn push_timestamp_in(out: &mut Vec<u8>, at_us: i64, offset_s: i32, order: DateOrder) {
    let offset_minutes = (offset_s / MINUTE_S).clamp(-MAX_OFFSET_MINUTES, MAX_OFFSET_MINUTES);
    let local = LocalDateTime::from_offset(at_us, offset_minutes * MINUTE_S);
    push_date_in(out, local.days, order);
    out.push(if order == DateOrder::YearMonthDay { b'T' } else { b' ' });
    push_clock(out, local.us_of_day);
    if offset_minutes == 0 {
        out.push(b'Z');
    } else {
        out.push(if offset_minutes < 0 { b'-' } else { b'+' });
        let minutes = i64::from(offset_minutes.abs());
        push_two_digits(out, minutes / 60);
        out.push(b':');
        push_two_digits(out, minutes % 60);
    }
}

fn push_clock(out: &mut Vec<u8>, us_of_day: i64) {
    let (seconds, us) = (us_of_day / SECOND_US, us_of_day % SECOND_US);
    push_two_digits(out, seconds / 3_600);
    out.push(b':');
    push_two_digits(out, seconds / 60 % 60);
    out.push(b':');
    push_two_digits(out, seconds % 60);
    if us != 0 {
        out.push(b'.');
        push_three_digits(out, us / 1_000);
        if us % 1_000 != 0 {
            push_three_digits(out, us % 1_000);
        }
    }
}

/// A local date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalDateTime {
    /// Days since 1970-01-01.
    pub days: i64,
    pub us_of_day: i64,
}

impl LocalDateTime {
    pub fn from_offset(at_us: i64, offset_s: i32) -> Self {
        let seconds = at_us.div_euclid(SECOND_US) + i64::from(offset_s);
        let us = at_us.rem_euclid(SECOND_US);
        Self { days: seconds.div_euclid(DAY_S), us_of_day: seconds.rem_euclid(DAY_S) * SECOND_US + us }
    }

    /// Appends it as `1899-12-31 12:00:30`.
    pub fn push(self, out: &mut Vec<u8>) {
        push_date(out, self.days);
        out.push(b' ');
        push_clock(out, self.us_of_day);
    }
}

fn push_two_digits(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&[digit(number / 10), digit(number)]);
}

fn push_three_digits(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&[digit(number / 100), digit(number / 10), digit(number)]);
}

fn digit(number: i64) -> u8 {
    b"0123456789"[(number % 10) as usize]
}

/// Returns year, month and day of the proleptic Gregorian calendar.
///
/// Years are counted from 1 March, so that the leap day is the last day of a year; 400 years are a whole number of days.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    const ERA_DAYS: i64 = 146_097;
    const TO_1970: i64 = 719_468;
    let shifted = days + TO_1970;
    let (era, day_of_era) = (shifted.div_euclid(ERA_DAYS), shifted.rem_euclid(ERA_DAYS));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};
    use jiff::tz::Offset;
    use proptest::prelude::*;

    use super::*;

    fn timestamp(at_us: i64, offset_s: i32) -> String {
        let mut out = Vec::new();
        push_timestamp(&mut out, at_us, offset_s);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_moment_is_written_with_its_offset() {
        let at = 1_772_366_430_250_000;
        assert_eq!(timestamp(at, 0), "2026-03-01T12:00:30.250Z");
        assert_eq!(timestamp(at, 3_600), "2026-03-01T13:00:30.250+01:00");
        assert_eq!(timestamp(at + 7, -12_600), "2026-03-01T08:30:30.250007-03:30");
        assert_eq!(timestamp(at - 250_000, 0), "2026-03-01T12:00:30Z");
        assert_eq!(timestamp(-1, 0), "1969-12-31T23:59:59.999999Z");
    }

    #[test]
    fn a_moment_is_written_as_people_write_dates() {
        let written = |order| {
            let (mut moment, mut day) = (Vec::new(), Vec::new());
            push_timestamp_in(&mut moment, 1_772_366_430_250_000, 3_600, order);
            push_date_in(&mut day, 20_513, order);
            (String::from_utf8(moment).unwrap(), String::from_utf8(day).unwrap())
        };
        let pair = |moment: &str, day: &str| (moment.to_owned(), day.to_owned());
        assert_eq!(written(DateOrder::DayMonthYear), pair("01/03/2026 13:00:30.250+01:00", "01/03/2026"));
        assert_eq!(written(DateOrder::MonthDayYear), pair("03/01/2026 13:00:30.250+01:00", "03/01/2026"));
        assert_eq!(written(DateOrder::YearMonthDay), pair("2026-03-01T13:00:30.250+01:00", "2026-03-01"));
    }

    #[test]
    fn the_farthest_moments_are_written_too() {
        for at_us in [i64::MIN, i64::MAX] {
            for offset_s in [i32::MIN, 0, i32::MAX] {
                assert!(timestamp(at_us, offset_s).len() > 20);
            }
        }
        assert!(timestamp(i64::MAX, 0).starts_with("+294247-01-10T"));
    }

    proptest! {
        #[test]
        fn days_are_those_of_the_calendar(days in -4_371_222_i64..=2_932_896) {
            let expected = date(1970, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
            prop_assert_eq!(civil_from_days(days), parts(expected));
        }

        #[test]
        fn moments_read_back_the_same(at_us in -60_000_000_000_000_000_i64..=250_000_000_000_000_000, minutes in -1_439..=1_439) {
            let text = timestamp(at_us, minutes * 60);
            prop_assert_eq!(text.parse::<jiff::Timestamp>().unwrap().as_microsecond(), at_us);
            let wall = Offset::from_seconds(minutes * 60).unwrap().to_datetime(jiff::Timestamp::from_microsecond(at_us).unwrap());
            let local = LocalDateTime::from_offset(at_us, minutes * 60);
            prop_assert_eq!(civil_from_days(local.days), parts(wall.date()));
        }
    }

    fn parts(date: Date) -> (i64, i64, i64) {
        (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()))
    }
}

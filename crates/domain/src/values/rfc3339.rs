//! Writes instants and dates as RFC 3339 in UTC. A page of a list has hundreds of them, and a general formatter takes as long for each
//! as it takes to read its row.

use std::ops::RangeInclusive;

/// The instants and days that jiff knows too, in microseconds and days since 1970. Others have no text.
const MICROS: RangeInclusive<i64> = -377_705_023_201_000_000..=253_402_207_200_000_000;
const DAYS: RangeInclusive<i64> = -4_371_587..=2_932_896;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// A text of up to 30 ASCII characters, such as `-009999-01-02T01:59:59.999999Z`.
pub(super) struct Text {
    bytes: [u8; 32],
    length: usize,
}

/// Returns the text of an instant, given in microseconds. Zeros at the end of the fraction are left out.
pub(super) fn instant(micros: i64) -> Option<Text> {
    if !MICROS.contains(&micros) {
        return None;
    }
    let (seconds, fraction) = (micros.div_euclid(MICROS_PER_SECOND), micros.rem_euclid(MICROS_PER_SECOND));
    let (day, second) = (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY));
    let mut text = Text::new();
    text.push_date(day);
    for (separator, number) in [(b'T', second / 3_600), (b':', second / 60 % 60), (b':', second % 60)] {
        text.push(separator);
        text.push_pair(number);
    }
    if fraction != 0 {
        text.push(b'.');
        for number in [fraction / 10_000, fraction / 100 % 100, fraction % 100] {
            text.push_pair(number);
        }
        text.trim_zeros();
    }
    text.push(b'Z');
    Some(text)
}

/// Returns the text of a day, given by its number.
pub(super) fn date(day: i64) -> Option<Text> {
    if !DAYS.contains(&day) {
        return None;
    }
    let mut text = Text::new();
    text.push_date(day);
    Some(text)
}

impl Text {
    fn new() -> Self {
        Self { bytes: [0; 32], length: 0 }
    }

    pub(super) fn as_str(&self) -> &str {
        // It consists of ASCII characters.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    /// Appends a number below 100 as two digits.
    fn push_pair(&mut self, number: i64) {
        self.push(b'0' + (number / 10 % 10) as u8);
        self.push(b'0' + (number % 10) as u8);
    }

    /// Removes the zeros at the end. Something else precedes them.
    fn trim_zeros(&mut self) {
        while self.bytes[self.length - 1] == b'0' {
            self.length -= 1;
        }
    }

    /// Appends the date of a day. Years before 0 have a sign and six digits.
    fn push_date(&mut self, day: i64) {
        let (year, month, day_of_month) = civil_date(day);
        if year < 0 {
            for byte in *b"-00" {
                self.push(byte);
            }
        }
        self.push_pair(year.abs() / 100);
        self.push_pair(year.abs() % 100);
        for number in [month, day_of_month] {
            self.push(b'-');
            self.push_pair(number);
        }
    }
}

/// Returns the year, month and day of the month of a day in the Gregorian calendar. Years are counted from 1 March, so that a leap day is
/// the last day of its year, and 400 of them always have the same number of days.
fn civil_date(day: i64) -> (i64, i64, i64) {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    /// Days from 1 March of the year 0 to 1 January 1970.
    const EPOCH: i64 = 719_468;
    let day = day + EPOCH;
    let (era, day_of_era) = (day.div_euclid(DAYS_PER_400_YEARS), day.rem_euclid(DAYS_PER_400_YEARS));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Five months have 153 days, from March and again from August.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let year = era * 400 + year_of_era;
    match month_from_march {
        0..=9 => (year, month_from_march + 3, day_of_month),
        _ => (year + 1, month_from_march - 9, day_of_month),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = SECONDS_PER_DAY * MICROS_PER_SECOND;

    fn assert_as_jiff(micros: i64) {
        let expected = jiff::Timestamp::from_microsecond(micros).map(|at| at.to_string()).ok();
        let written = instant(micros);
        assert_eq!(written.as_ref().map(Text::as_str), expected.as_deref(), "{micros} us");
    }

    #[test]
    fn an_instant_is_written_as_jiff_writes_it() {
        let (first, last) = (*MICROS.start(), *MICROS.end());
        // A step that is no multiple of a day, so that the time of the day and the fraction change as well.
        let mut micros = first;
        while micros <= last {
            assert_as_jiff(micros);
            micros += 37 * DAY + 7_213_654_321;
        }
        // Every day of two centuries, at its first and its last microsecond.
        for day in -25_567..47_482 {
            assert_as_jiff(day * DAY);
            assert_as_jiff(day * DAY - 1);
        }
        // Each second of a day, and each number of digits of a fraction.
        for second in 0..SECONDS_PER_DAY {
            assert_as_jiff(1_772_323_200_000_000 + second * MICROS_PER_SECOND);
        }
        for fraction in (0..1_000).chain((0..MICROS_PER_SECOND).step_by(997)) {
            for scale in [1, 10, 100, 1_000] {
                assert_as_jiff(fraction * scale);
                assert_as_jiff(-fraction * scale);
            }
        }
    }

    #[test]
    fn the_ends_of_the_calendar_are_those_of_jiff() {
        let (first, last) = (*MICROS.start(), *MICROS.end());
        for edge in [first, last, i64::MIN, i64::MAX, 0] {
            for micros in [-1_000_001, -1_000_000, -1, 0, 1, 999_999, 1_000_000] {
                assert_as_jiff(edge.saturating_add(micros));
            }
        }
        assert!(instant(first - 1).is_none() && instant(last + 1).is_none());
        // The years around 0, and leap days of centuries.
        for year in [-9_999, -401, -400, -399, -100, -4, -1, 0, 1, 4, 100, 400, 1_900, 2_000, 2_100, 9_999] {
            for (month, day) in [(1, 2), (2, 28), (3, 1), (12, 30)] {
                let noon = jiff::civil::date(year, month, day).at(12, 0, 0, 0);
                let at = jiff::tz::TimeZone::UTC.to_timestamp(noon).unwrap().as_microsecond();
                for micros in [at - 1, at, at + DAY / 2, at + DAY] {
                    assert_as_jiff(micros);
                }
            }
        }
    }

    #[test]
    fn a_date_is_written_as_jiff_writes_it() {
        let epoch = jiff::civil::date(1970, 1, 1);
        let expected = |day: i64| {
            let days = jiff::Span::new().try_days(day).ok()?;
            epoch.checked_add(days).ok().map(|date| date.to_string())
        };
        let assert_as_jiff = |day: i64| {
            assert_eq!(date(day).as_ref().map(Text::as_str), expected(day).as_deref(), "day {day}");
        };
        let (first, last) = (*DAYS.start(), *DAYS.end());
        (first..=last).step_by(29).for_each(assert_as_jiff);
        (-25_567..47_482).for_each(assert_as_jiff);
        for edge in [first, last] {
            (edge - 3..=edge + 3).for_each(assert_as_jiff);
        }
        assert!(date(i64::MIN).is_none() && date(i64::MAX).is_none());
    }
}

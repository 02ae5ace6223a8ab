//! Local dates and times. Time zones are the caller's concern: here every day has 24 hours.

use std::fmt;

/// A calendar day from year 1 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1 January 1970.
    days: i32,
}

const MIN_DAYS: i32 = -719_162;
const MAX_DAYS: i32 = 2_932_896;

impl Date {
    /// Returns `None` if there is no such day.
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        if !(1..=9999).contains(&year)
            || !(1..=12).contains(&month)
            || day == 0
            || day > days_in_month(year, month)
        {
            return None;
        }
        Some(Self { days: days_from_civil(year, month, day) })
    }

    /// Takes the number of days since 1 January 1970, clamped to the supported range.
    #[must_use]
    pub fn from_days(days: i32) -> Self {
        Self { days: days.clamp(MIN_DAYS, MAX_DAYS) }
    }

    /// Returns the number of days since 1 January 1970.
    #[must_use]
    pub fn days(self) -> i32 {
        self.days
    }

    /// Returns year, month and day of the month.
    #[must_use]
    pub fn parts(self) -> (i32, u8, u8) {
        // Years begin in March here, so that the leap day is the last and months need no table.
        let shifted = self.days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i32::from(month <= 2);
        (year, month as u8, day as u8)
    }

    pub(crate) fn format(self, order: DateOrder) -> String {
        let (year, _, _) = self.parts();
        match order {
            DateOrder::DayMonthYear | DateOrder::MonthDayYear => {
                format!("{}/{year:04}", self.day_and_month(order))
            }
            DateOrder::YearMonthDay => format!("{year:04}-{}", self.day_and_month(order)),
        }
    }

    pub(crate) fn day_and_month(self, order: DateOrder) -> String {
        let (_, month, day) = self.parts();
        match order {
            DateOrder::DayMonthYear => format!("{day:02}/{month:02}"),
            DateOrder::MonthDayYear => format!("{month:02}/{day:02}"),
            DateOrder::YearMonthDay => format!("{month:02}-{day:02}"),
        }
    }

    /// Returns the number of months since year 0.
    pub(crate) fn month_number(self) -> i32 {
        let (year, month, _) = self.parts();
        year * 12 + i32::from(month) - 1
    }

    /// Returns the first day of a month numbered as by [`Date::month_number`].
    pub(crate) fn from_month_number(number: i32) -> Self {
        let number = number.clamp(12, 9999 * 12 + 11);
        Self { days: days_from_civil(number.div_euclid(12), number.rem_euclid(12) as u8 + 1, 1) }
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

fn days_from_civil(year: i32, month: u8, day: u8) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (i32::from(month) + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i32::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The order of year, month and day in a written date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// `DD/MM/YYYY`
    #[default]
    DayMonthYear,
    /// `MM/DD/YYYY`
    MonthDayYear,
    /// `YYYY-MM-DD`
    YearMonthDay,
}

/// The first day of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeekStart {
    #[default]
    Monday,
    Sunday,
    Saturday,
}

impl WeekStart {
    /// Returns the days since Monday.
    pub(crate) fn weekday(self) -> i32 {
        match self {
            Self::Monday => 0,
            Self::Saturday => 5,
            Self::Sunday => 6,
        }
    }
}

/// A local date and time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime {
    seconds: i64,
}

pub(crate) const HOUR_S: i64 = 3600;
pub(crate) const DAY_S: i64 = 24 * HOUR_S;

impl LocalTime {
    /// Takes a day and the seconds since its midnight, clamped to a day.
    #[must_use]
    pub fn new(date: Date, second_of_day: u32) -> Self {
        Self::from_seconds(i64::from(date.days) * DAY_S + i64::from(second_of_day).min(DAY_S))
    }

    /// Takes the seconds since 1 January 1970 by the local clock.
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Self {
        Self { seconds: seconds.clamp(i64::from(MIN_DAYS) * DAY_S, (i64::from(MAX_DAYS) + 1) * DAY_S) }
    }

    /// Returns the seconds since 1 January 1970 by the local clock.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    #[must_use]
    pub fn date(self) -> Date {
        Date::from_days(self.seconds.div_euclid(DAY_S) as i32)
    }

    pub(crate) fn format_clock(self) -> String {
        let minutes = self.seconds.rem_euclid(DAY_S) / 60;
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

impl From<Date> for LocalTime {
    fn from(date: Date) -> Self {
        Self::new(date, 0)
    }
}

/// The length of time that one value of a series covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interval {
    Hour,
    Day,
    /// Seven days from the given day on.
    Week,
    Month,
}

impl Interval {
    /// Returns the end of the interval that begins at `start`.
    pub(crate) fn end(self, start: LocalTime) -> LocalTime {
        match self {
            Self::Hour => LocalTime::from_seconds(start.seconds + HOUR_S),
            Self::Day => LocalTime::from_seconds(start.seconds + DAY_S),
            Self::Week => LocalTime::from_seconds(start.seconds + 7 * DAY_S),
            Self::Month => Date::from_month_number(start.date().month_number() + 1).into(),
        }
    }

    /// Returns the number of intervals between two times.
    pub(crate) fn count(self, from: LocalTime, to: LocalTime) -> i64 {
        let seconds = to.seconds - from.seconds;
        match self {
            Self::Hour => seconds.div_euclid(HOUR_S),
            Self::Day => seconds.div_euclid(DAY_S),
            Self::Week => seconds.div_euclid(7 * DAY_S),
            Self::Month => i64::from(to.date().month_number() - from.date().month_number()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_days_are_where_they_belong() {
        assert_eq!(Date::new(1970, 1, 1).unwrap().days(), 0);
        assert_eq!(Date::new(2000, 3, 1).unwrap().days(), 11_017);
        assert_eq!(Date::new(1, 1, 1).unwrap().days(), MIN_DAYS);
        assert_eq!(Date::new(9999, 12, 31).unwrap().days(), MAX_DAYS);
        assert_eq!(Date::new(2023, 2, 29), None);
        assert_eq!(Date::new(2024, 2, 29).unwrap().format(DateOrder::MonthDayYear), "02/29/2024");
        assert_eq!(Date::new(987, 2, 3).unwrap().format(DateOrder::YearMonthDay), "0987-02-03");
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let start = LocalTime::from(Date::new(2024, 12, 1).unwrap());
        assert_eq!(Interval::Month.end(start).date(), Date::new(2025, 1, 1).unwrap());
    }

    proptest! {
        #[test]
        fn every_day_has_parts_that_lead_back_to_it(days in MIN_DAYS..=MAX_DAYS) {
            let (year, month, day) = Date::from_days(days).parts();
            prop_assert_eq!(Date::new(year, month, day), Some(Date::from_days(days)));
        }

        #[test]
        fn no_number_of_seconds_is_out_of_reach(seconds in any::<i64>()) {
            let time = LocalTime::from_seconds(seconds);
            prop_assert_eq!(time.format_clock().len(), 5);
            prop_assert!(Interval::Month.end(time) >= LocalTime::from(Date::from_days(MIN_DAYS)));
        }
    }
}

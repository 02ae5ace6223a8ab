//! Weeks and months of a worksite's local calendar, as sortable numbers.

use crate::Day;

/// A calendar week, starting on Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Week(i64);

impl Week {
    pub const fn of(day: Day) -> Self {
        // 1 January 1970 was a Thursday.
        Self((day.number() + 3).div_euclid(7))
    }

    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number of weeks since the week of 1 January 1970.
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Returns its Monday.
    pub const fn first_day(self) -> Day {
        Day::from_number(self.0 * 7 - 3)
    }
}

/// A month of a particular year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i64);

impl Month {
    pub const fn of(day: Day) -> Self {
        // Counts from 1 March of the year 0, so that leap days come last; 400 years have 146,097 days.
        let days = day.number() + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        Self((era * 400 + year_of_era - 1_970) * 12 + month_from_march + 2)
    }

    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Returns the number of months since January 1970.
    pub const fn number(self) -> i64 {
        self.0
    }

    pub const fn year(self) -> i64 {
        1_970 + self.0.div_euclid(12)
    }

    /// Returns the month from 1 to 12.
    pub const fn month_of_year(self) -> i64 {
        self.0.rem_euclid(12) + 1
    }

    pub const fn first_day(self) -> Day {
        // The inverse of the calculation in `of`.
        let month = self.month_of_year();
        let year = if month <= 2 { self.year() - 1 } else { self.year() };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = (month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Day::from_number(era * 146_097 + day_of_era - 719_468)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_mondays() {
        let monday = Day::parse("2026-03-02").unwrap();
        assert_eq!(Week::of(monday).first_day(), monday);
        let sunday = Day::parse("2026-03-01").unwrap();
        assert_eq!(Week::of(sunday).number() + 1, Week::of(monday).number());
        assert_eq!(Week::of(Day::from_number(-4)).number(), -1);
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        for number in -800_000..800_000 {
            let day = Day::from_number(number);
            let month = Month::of(day);
            assert!(month.first_day() <= day, "{day}");
            assert!(Month::from_number(month.number() + 1).first_day() > day, "{day}");
        }
        for (text, year, of_year) in
            [("1970-01-31", 1970, 1), ("2024-02-29", 2024, 2), ("1969-12-31", 1969, 12)]
        {
            let month = Month::of(Day::parse(text).unwrap());
            assert_eq!((month.year(), month.month_of_year()), (year, of_year), "{text}");
            assert!(month.first_day().to_string().starts_with(&text[..7]));
        }
    }
}

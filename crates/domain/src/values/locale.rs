//! Languages, date formats, units and first days of the week, from which brands and users choose.

use std::fmt;

use serde::Serialize;

use crate::{Day, Invalid, LocalTime};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum DateFormat {
    #[serde(rename = "DD/MM/YYYY")]
    DayMonthYear,
    #[serde(rename = "MM/DD/YYYY")]
    MonthDayYear,
    #[serde(rename = "YYYY-MM-DD")]
    YearMonthDay,
}

impl DateFormat {
    pub const ALL: [Self; 3] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay];
    /// The formats that a brand can choose.
    pub const BRAND_CHOICES: [Self; 2] = [Self::DayMonthYear, Self::MonthDayYear];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DayMonthYear => "DD/MM/YYYY",
            Self::MonthDayYear => "MM/DD/YYYY",
            Self::YearMonthDay => "YYYY-MM-DD",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| {
            Invalid::new("invalid_date_format", "must be DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD")
        })
    }

    /// Parses a format that a brand can choose.
    pub fn parse_for_brand(text: &str) -> Result<Self, Invalid> {
        let found = Self::BRAND_CHOICES.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_date_format", "must be DD/MM/YYYY or MM/DD/YYYY"))
    }

    pub fn format_day(self, day: Day) -> String {
        self.reformat_iso(&day.to_string())
    }

    /// Formats a local time to the minute.
    pub fn format_minute(self, local: LocalTime) -> String {
        let minutes = local.second_of_day / 60;
        format!("{} {:02}:{:02}", self.format_day(Day::from_number(local.day)), minutes / 60, minutes % 60)
    }

    /// Formats a local time to the second.
    pub fn format_second(self, local: LocalTime) -> String {
        format!("{}:{:02}", self.format_minute(local), local.second_of_day % 60)
    }

    /// Reformats an ISO 8601 text such as `2026-03-01`, `2026-03-01T07:00` or `2026-03`; any other text is returned unchanged.
    pub fn reformat_iso(self, text: &str) -> String {
        if let (Self::DayMonthYear | Self::MonthDayYear, Some((day, clock))) = (self, text.split_once('T')) {
            return format!("{} {clock}", self.reformat_iso(day));
        }
        let parts: Vec<&str> = text.split('-').collect();
        match (self, &parts[..]) {
            (Self::DayMonthYear, [year, month, day]) => format!("{day}/{month}/{year}"),
            (Self::MonthDayYear, [year, month, day]) => format!("{month}/{day}/{year}"),
            (Self::DayMonthYear | Self::MonthDayYear, [year, month]) => format!("{month}/{year}"),
            _ => text.to_owned(),
        }
    }
}

/// Units of length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    #[default]
    Metric,
    Imperial,
}

impl Units {
    pub const ALL: [Self; 2] = [Self::Metric, Self::Imperial];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::Imperial => "imperial",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|units| units.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_units", "must be metric or imperial"))
    }
}

/// The first day of the week in displays. Weekly figures always start on Monday.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstDayOfWeek {
    #[default]
    Monday,
    Sunday,
    Saturday,
}

impl FirstDayOfWeek {
    pub const ALL: [Self; 3] = [Self::Monday, Self::Sunday, Self::Saturday];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Sunday => "sunday",
            Self::Saturday => "saturday",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|day| day.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_first_day_of_week", "must be monday, sunday or saturday"))
    }

    /// Returns the position of a weekday (0 for Monday) in a week that starts on this day.
    pub const fn index_of(self, weekday: i64) -> i64 {
        let first = match self {
            Self::Monday => 0,
            Self::Saturday => 5,
            Self::Sunday => 6,
        };
        (weekday - first).rem_euclid(7)
    }

    /// Returns the weekdays (0 for Monday) in display order.
    pub fn weekdays(self) -> [i64; 7] {
        let mut days = [0, 1, 2, 3, 4, 5, 6];
        days.sort_unstable_by_key(|day| self.index_of(*day));
        days
    }
}

/// A language tag such as `en`, `de-AT` or `zh-Hant-TW`: BCP 47 without extensions, in the recommended case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale(String);

impl Locale {
    /// The length that BCP 47 recommends to support (RFC 5646, 4.4.1).
    const MAX_CHARS: usize = 35;

    /// Parses a language tag in any case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::canonicalize(text).map(Self).ok_or_else(|| {
            Invalid::new("invalid_locale", "must be a BCP 47 language tag, such as en or de-AT")
        })
    }

    fn canonicalize(text: &str) -> Option<String> {
        let mut parts = text.split('-').peekable();
        let language = parts.next().filter(|part| is_letters(part) && (2..=3).contains(&part.len()))?;
        let mut written = language.to_ascii_lowercase();
        let script = parts.next_if(|part| part.len() == 4 && is_letters(part));
        if let Some(script) = script {
            let (first, rest) = script.split_at(1);
            written += &format!("-{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase());
        }
        if let Some(region) = parts.next_if(|part| is_region(part)) {
            written += &format!("-{}", region.to_ascii_uppercase());
        }
        for variant in parts {
            let variant = Some(variant).filter(|part| is_variant(part))?.to_ascii_lowercase();
            if written.split('-').any(|part| part == variant) {
                return None;
            }
            written += &format!("-{variant}");
        }
        (text.len() <= Self::MAX_CHARS).then_some(written)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the language without script and region.
    pub fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn is_letters(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_region(part: &str) -> bool {
    (part.len() == 2 && is_letters(part)) || (part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit()))
}

fn is_variant(part: &str) -> bool {
    let begins_with_digit = part.bytes().next().is_some_and(|b| b.is_ascii_digit());
    part.bytes().all(|b| b.is_ascii_alphanumeric())
        && ((5..=8).contains(&part.len()) || (part.len() == 4 && begins_with_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_languages_perhaps_with_script_region_and_variants() {
        for (given, written) in [
            ("DE-at", "de-AT"),
            ("en", "en"),
            ("ZH-hant-tw", "zh-Hant-TW"),
            ("es-419", "es-419"),
            ("sr-latn", "sr-Latn"),
            ("de-CH-1996", "de-CH-1996"),
            ("ca-ES-VALENCIA", "ca-ES-valencia"),
        ] {
            assert_eq!(Locale::parse(given).unwrap().as_str(), written);
        }
        let long = format!("de{}", "-abcdefgh".repeat(4));
        for bad in [
            "",
            "e",
            "english",
            "en_GB",
            "en-",
            "en-G8",
            "en-GBR",
            "é",
            "-en",
            "en--GB",
            "de-u-co-phonebk",
            "x-own",
            "de-1996-1996",
            "en-GB-Latn",
            &long,
        ] {
            assert!(Locale::parse(bad).is_err(), "{bad:?} was taken");
        }
        assert_eq!(Locale::parse("en-GB").unwrap().language(), "en");
    }

    #[test]
    fn dates_are_written_as_they_are_wanted() {
        let day = Day::parse("2026-03-01").unwrap();
        let written = DateFormat::ALL.map(|format| (format.format_day(day), format.reformat_iso("2026-03")));
        let expected = [("01/03/2026", "03/2026"), ("03/01/2026", "03/2026"), ("2026-03-01", "2026-03")];
        assert_eq!(written, expected.map(|(day, month)| (day.to_owned(), month.to_owned())));
        assert_eq!(DateFormat::DayMonthYear.reformat_iso("Unknown"), "Unknown");
        assert_eq!(DateFormat::MonthDayYear.reformat_iso("2026-03-01T07:00"), "03/01/2026 07:00");
        assert_eq!(DateFormat::YearMonthDay.reformat_iso("2026-03-01T07:00"), "2026-03-01T07:00");
        let local = LocalTime { day: day.number(), second_of_day: 7 * 3_600 + 65 };
        assert_eq!(DateFormat::DayMonthYear.format_second(local), "01/03/2026 07:01:05");
    }

    #[test]
    fn a_week_begins_where_it_is_wanted() {
        assert_eq!(FirstDayOfWeek::Monday.weekdays(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(FirstDayOfWeek::Sunday.weekdays(), [6, 0, 1, 2, 3, 4, 5]);
        assert_eq!(FirstDayOfWeek::Saturday.weekdays(), [5, 6, 0, 1, 2, 3, 4]);
    }
}

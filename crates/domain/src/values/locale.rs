//! How things are written for their readers: languages, dates, lengths, weeks. Brands and users choose among these.

use std::fmt;

use serde::Serialize;

use crate::{Day, Invalid, LocalTime};

/// How dates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum DateFormat {
    /// As most of the world does.
    #[serde(rename = "DD/MM/YYYY")]
    DayMonthYear,
    /// As the United States do.
    #[serde(rename = "MM/DD/YYYY")]
    MonthDayYear,
    /// As ISO 8601 does.
    #[serde(rename = "YYYY-MM-DD")]
    YearMonthDay,
}

impl DateFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay];
    /// Those that a brand can choose.
    pub const BRAND_CHOICES: [Self; 2] = [Self::DayMonthYear, Self::MonthDayYear];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DayMonthYear => "DD/MM/YYYY",
            Self::MonthDayYear => "MM/DD/YYYY",
            Self::YearMonthDay => "YYYY-MM-DD",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| {
            Invalid::new("invalid_date_format", "must be DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD")
        })
    }

    /// Reads the word of one that a brand can choose.
    pub fn parse_for_brand(text: &str) -> Result<Self, Invalid> {
        let found = Self::BRAND_CHOICES.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_date_format", "must be DD/MM/YYYY or MM/DD/YYYY"))
    }

    /// A day as it is written.
    pub fn format_day(self, day: Day) -> String {
        self.reformat_iso(&day.to_string())
    }

    /// What a clock and the calendar beside it show, to the minute.
    pub fn format_minute(self, local: LocalTime) -> String {
        let minutes = local.second_of_day / 60;
        format!("{} {:02}:{:02}", self.format_day(Day::from_number(local.day)), minutes / 60, minutes % 60)
    }

    /// The same, to the second.
    pub fn format_second(self, local: LocalTime) -> String {
        format!("{}:{:02}", self.format_minute(local), local.second_of_day % 60)
    }

    /// What ISO 8601 writes as `2026-03-01`, `2026-03-01T07:00` or `2026-03`; what is none of these stays as it is.
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

/// What lengths are told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Metres.
    #[default]
    Metric,
    /// Feet and miles.
    Imperial,
}

impl Units {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Metric, Self::Imperial];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::Imperial => "imperial",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|units| units.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_units", "must be metric or imperial"))
    }
}

/// The day with which a week is shown to begin. Weeks that are counted begin on Mondays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstDayOfWeek {
    /// As ISO 8601 has it.
    #[default]
    Monday,
    /// As in the Americas.
    Sunday,
    /// As in much of the Arab world.
    Saturday,
}

impl FirstDayOfWeek {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Monday, Self::Sunday, Self::Saturday];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Sunday => "sunday",
            Self::Saturday => "saturday",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|day| day.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_first_day_of_week", "must be monday, sunday or saturday"))
    }

    /// Where a weekday, 0 for Monday, stands in a week that begins so.
    pub const fn index_of(self, weekday: i64) -> i64 {
        let first = match self {
            Self::Monday => 0,
            Self::Saturday => 5,
            Self::Sunday => 6,
        };
        (weekday - first).rem_euclid(7)
    }

    /// The weekdays in their order, 0 for Monday.
    pub fn weekdays(self) -> [i64; 7] {
        let mut days = [0, 1, 2, 3, 4, 5, 6];
        days.sort_unstable_by_key(|day| self.index_of(*day));
        days
    }
}

/// A language, perhaps with a script, a region and variants, such as `en`, `de-AT` or `zh-Hant-TW`: a tag of BCP 47 without
/// extensions, in the case that BCP 47 recommends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale(String);

impl Locale {
    /// As long as tags of languages that are registered get (RFC 5646, 4.4.1).
    const MAX_CHARS: usize = 35;

    /// Reads a language tag, in any case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::canonicalize(text).map(Self).ok_or_else(|| {
            Invalid::new("invalid_locale", "must be a language such as en, or with a region de-AT (BCP 47)")
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

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The language alone, without script and region.
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

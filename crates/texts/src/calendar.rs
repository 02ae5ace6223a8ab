//! The names of weekdays and months.

use crate::Language;
use crate::values::UNKNOWN;

/// The names of a closed set, in all languages.
struct Names<const N: usize> {
    english: [&'static str; N],
    german: [&'static str; N],
}

impl<const N: usize> Names<N> {
    fn get(&self, language: Language, place: impl TryInto<usize>) -> &'static str {
        let names = match language {
            Language::English => &self.english,
            Language::German => &self.german,
        };
        let place = place.try_into().ok();
        place.and_then(|place: usize| names.get(place).copied()).unwrap_or(UNKNOWN.get(language))
    }
}

const WEEKDAYS: Names<7> = Names {
    english: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    german: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
};

const SHORT_WEEKDAYS: Names<7> = Names {
    english: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    german: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
};

const MONTHS: Names<12> = Names {
    english: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    german: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
};

const SHORT_MONTHS: Names<12> = Names {
    english: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    german: ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
};

/// Returns the name of a weekday, 0 for Monday.
pub fn weekday(language: Language, day: impl TryInto<usize>) -> &'static str {
    WEEKDAYS.get(language, day)
}

/// Returns the short name of a weekday, 0 for Monday.
pub fn weekday_short(language: Language, day: impl TryInto<usize>) -> &'static str {
    SHORT_WEEKDAYS.get(language, day)
}

/// Returns the name of a month, 0 for January.
pub fn month(language: Language, month: impl TryInto<usize>) -> &'static str {
    MONTHS.get(language, month)
}

/// Returns the short name of a month, 0 for January.
pub fn month_short(language: Language, month: impl TryInto<usize>) -> &'static str {
    SHORT_MONTHS.get(language, month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_are_found_by_their_numbers() {
        assert_eq!(weekday(Language::German, 0_i64), "Montag");
        assert_eq!(weekday_short(Language::English, 6_usize), "Sun");
        assert_eq!(month(Language::German, 2), "März");
        assert_eq!(month_short(Language::German, 11_u8), "Dez");
        assert_eq!(weekday(Language::English, 7), "Unknown");
        assert_eq!(month(Language::German, -1), "Unbekannt");
    }
}

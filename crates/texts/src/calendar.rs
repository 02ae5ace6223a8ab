//! The names of weekdays and months.

use crate::Language;

/// The names of a closed set, in all languages.
pub(crate) struct Names<const N: usize> {
    english: [&'static str; N],
    german: [&'static str; N],
}

impl<const N: usize> Names<N> {
    /// Returns the name at a place, if there is one.
    pub(crate) fn find(&self, language: Language, place: impl TryInto<usize>) -> Option<&'static str> {
        let names = match language {
            Language::English => &self.english,
            Language::German => &self.german,
        };
        let place = place.try_into().ok();
        place.and_then(|place: usize| names.get(place).copied())
    }
}

pub(crate) const WEEKDAYS: Names<7> = Names {
    english: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    german: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
};

pub(crate) const SHORT_WEEKDAYS: Names<7> = Names {
    english: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    german: ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"],
};

pub(crate) const MONTHS: Names<12> = Names {
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

pub(crate) const SHORT_MONTHS: Names<12> = Names {
    english: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    german: ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
};

//! The texts that people read, in every language: reports, mails, charts, alerts.
//!
//! Each is a constant with all languages side by side, so that a missing translation does not compile; tests compare the places
//! for values. The sections are modules: each lists its texts in `texts!` and those that depend on a number in `counted!`.

mod calendar;
mod language;
mod number;
mod text;

pub mod alerts;
pub mod charts;
pub mod documents;
pub mod mails;
pub mod narrative;
pub mod reasons;
pub mod reports;
pub mod schedules;
pub mod values;

pub use language::Language;
pub use number::{decimal, integer, percent, seconds, share, signed_decimal, signed_percent};
pub use text::{Counted, Piece, Text};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::text::places;

    const SECTIONS: &[(&str, &[Text], &[Counted])] = &[
        ("alerts", alerts::ALL, alerts::COUNTED),
        ("charts", charts::ALL, charts::COUNTED),
        ("documents", documents::ALL, documents::COUNTED),
        ("mails", mails::ALL, mails::COUNTED),
        ("narrative", narrative::ALL, narrative::COUNTED),
        ("reasons", reasons::ALL, reasons::COUNTED),
        ("reports", reports::ALL, reports::COUNTED),
        ("schedules", schedules::ALL, schedules::COUNTED),
        ("values", values::ALL, values::COUNTED),
    ];

    /// Words that are the same in English and German. A text may be the same in both only if it consists of them.
    const SAME_WORDS: &[&str] = &[
        "CSV",
        "E",
        "Format",
        "ID",
        "JSON",
        "Keepclear",
        "Mail",
        "Median",
        "Minute",
        "N",
        "Name",
        "PDF",
        "Person",
        "Position",
        "Problem",
        "Radius",
        "Status",
        "System",
        "Test",
        "Trend",
        "XLSX",
        "Zone",
        "cm",
        "ft",
        "h",
        "in",
        "km",
        "m",
        "min",
        "p",
        "s",
    ];

    /// Returns the words of a text without its places.
    fn words(text: &str) -> Vec<String> {
        let mut rest = text.to_owned();
        for place in places(text) {
            rest = rest.replace(&format!("{{{place}}}"), " ");
        }
        let words = rest.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }

    fn check(name: &str, english: &str, german: &str) {
        assert!(!english.trim().is_empty() && !german.trim().is_empty(), "{name} is empty");
        assert_eq!(places(english), places(german), "{name} has other places in German");
        let loan = words(english).iter().all(|word| SAME_WORDS.contains(&word.as_str()));
        assert!(loan || english != german, "{name} is not translated: {english}");
    }

    #[test]
    fn every_text_is_translated_and_has_the_same_places() {
        for (section, texts, counted) in SECTIONS {
            let mut keys = HashSet::new();
            for text in *texts {
                assert!(keys.insert(text.key), "{section}::{} is defined twice", text.key);
                check(&format!("{section}::{}", text.key), text.english, text.german);
            }
            for text in *counted {
                assert!(keys.insert(text.key), "{section}::{} is defined twice", text.key);
                let name = format!("{section}::{}", text.key);
                check(&name, text.english.1, text.german.1);
                // The form for one may leave the number out.
                let without_number = |form: &'static str| -> Vec<&'static str> {
                    places(form).into_iter().filter(|place| *place != "n").collect()
                };
                assert_eq!(without_number(text.english.0), without_number(text.german.0), "{name}");
                assert_eq!(without_number(text.english.0), without_number(text.english.1), "{name}");
                assert!(!text.english.0.is_empty() && !text.german.0.is_empty(), "{name}");
            }
        }
    }

    /// A text that is filled has no stray braces, and values cannot be mistaken for places.
    #[test]
    fn braces_are_only_used_for_places() {
        for (section, texts, counted) in SECTIONS {
            let forms = texts.iter().flat_map(|text| [text.english, text.german]);
            let counted = counted
                .iter()
                .flat_map(|text| [text.english.0, text.english.1, text.german.0, text.german.1]);
            for form in forms.chain(counted) {
                let places = places(form);
                assert_eq!(form.matches('{').count(), places.len(), "{section}: {form}");
                assert_eq!(form.matches('}').count(), places.len(), "{section}: {form}");
                let named = |place: &str| {
                    !place.is_empty() && place.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                };
                assert!(places.iter().all(|place| named(place)), "{section}: {form}");
            }
        }
    }

    #[test]
    fn words_of_the_api_have_texts_in_every_language() {
        for language in Language::ALL {
            assert_eq!(values::zone(language, "nowhere"), values::UNKNOWN.get(language));
            assert_eq!(values::reason(language, "internal"), reasons::OTHERWISE.get(language));
            assert_eq!(values::reason(language, "given_up"), reasons::GIVEN_UP.get(language));
        }
        assert_eq!(values::measure(Language::German, "exposure"), "Zeit in Zonen");
        assert_eq!(values::no_value(Language::German, "machine_kind"), "Keine Maschine");
        assert_eq!(values::dimension(Language::English, "hour_of_day"), "Hour of day");
    }
}

//! The texts that people read, in every language: the console, reports, mails, charts, alerts.
//!
//! Each is a constant with all languages side by side, so that a missing translation does not compile; tests compare the places
//! for values. The sections are modules: each lists its texts in `texts!` and those that depend on a number in `counted!`.

mod calendar;
mod language;
mod number;
mod text;

pub mod alerts;
pub mod charts;
pub mod console;
pub mod documents;
pub mod mails;
pub mod narrative;
pub mod reasons;
pub mod reports;
pub mod schedules;
pub mod values;

pub use language::Language;
pub use number::{
    decimal, exact, integer, parse_decimal, percent, seconds, share, signed_decimal, signed_percent,
};
pub use text::{Counted, Piece, Text};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::text::places;

    const SECTIONS: &[(&str, &[Text], &[Counted])] = &[
        ("alerts", alerts::ALL, alerts::COUNTED),
        ("charts", charts::ALL, charts::COUNTED),
        ("console::accounts", console::accounts::ALL, console::accounts::COUNTED),
        ("console::alert_words", console::alert_words::ALL, console::alert_words::COUNTED),
        ("console::alerts", console::alerts::ALL, console::alerts::COUNTED),
        ("console::explore", console::explore::ALL, console::explore::COUNTED),
        ("console::faults", console::faults::ALL, console::faults::COUNTED),
        ("console::incursions", console::incursions::ALL, console::incursions::COUNTED),
        ("console::machines", console::machines::ALL, console::machines::COUNTED),
        ("console::outliers", console::outliers::ALL, console::outliers::COUNTED),
        ("console::overview", console::overview::ALL, console::overview::COUNTED),
        ("console::parts", console::parts::ALL, console::parts::COUNTED),
        ("console::people", console::people::ALL, console::people::COUNTED),
        ("console::refusals", console::refusals::ALL, console::refusals::COUNTED),
        ("console::report_schedules", console::report_schedules::ALL, console::report_schedules::COUNTED),
        ("console::reports", console::reports::ALL, console::reports::COUNTED),
        ("console::settings", console::settings::ALL, console::settings::COUNTED),
        ("console::settings::access", console::settings::access::ALL, console::settings::access::COUNTED),
        (
            "console::settings::audit_log",
            console::settings::audit_log::ALL,
            console::settings::audit_log::COUNTED,
        ),
        (
            "console::settings::base_stations",
            console::settings::base_stations::ALL,
            console::settings::base_stations::COUNTED,
        ),
        ("console::settings::brand", console::settings::brand::ALL, console::settings::brand::COUNTED),
        (
            "console::settings::gateways",
            console::settings::gateways::ALL,
            console::settings::gateways::COUNTED,
        ),
        ("console::settings::imports", console::settings::imports::ALL, console::settings::imports::COUNTED),
        (
            "console::settings::machines",
            console::settings::machines::ALL,
            console::settings::machines::COUNTED,
        ),
        ("console::settings::people", console::settings::people::ALL, console::settings::people::COUNTED),
        (
            "console::settings::preferences",
            console::settings::preferences::ALL,
            console::settings::preferences::COUNTED,
        ),
        (
            "console::settings::projects",
            console::settings::projects::ALL,
            console::settings::projects::COUNTED,
        ),
        (
            "console::settings::service_accounts",
            console::settings::service_accounts::ALL,
            console::settings::service_accounts::COUNTED,
        ),
        (
            "console::settings::sessions",
            console::settings::sessions::ALL,
            console::settings::sessions::COUNTED,
        ),
        ("console::settings::tags", console::settings::tags::ALL, console::settings::tags::COUNTED),
        ("console::settings::users", console::settings::users::ALL, console::settings::users::COUNTED),
        ("console::shell", console::shell::ALL, console::shell::COUNTED),
        ("console::site_reports", console::site_reports::ALL, console::site_reports::COUNTED),
        ("console::sites", console::sites::ALL, console::sites::COUNTED),
        ("console::tester_devices", console::tester_devices::ALL, console::tester_devices::COUNTED),
        ("console::visitors", console::visitors::ALL, console::visitors::COUNTED),
        ("console::webhooks", console::webhooks::ALL, console::webhooks::COUNTED),
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

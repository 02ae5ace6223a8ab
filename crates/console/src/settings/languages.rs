//! The languages and date formats that a brand or a reader can choose.

use domain::Day;
use domain::locale::{DateFormat, Locale};

use crate::frame::Frame;
use crate::parts::Choice;

/// Languages in which the pages have texts, with regions. Each is called by its own name, so that everybody finds theirs.
const LANGUAGES: [(&str, &str); 7] = [
    ("en", "English"),
    ("en-GB", "English (United Kingdom)"),
    ("en-US", "English (United States)"),
    ("de", "Deutsch"),
    ("de-DE", "Deutsch (Deutschland)"),
    ("de-AT", "Deutsch (Österreich)"),
    ("de-CH", "Deutsch (Schweiz)"),
];

/// The languages, with the current one even if it is none of them: files may have it.
pub fn choices(current: Option<&Locale>) -> Vec<Choice> {
    let mut choices: Vec<Choice> = LANGUAGES.map(|(tag, name)| Choice::new(tag, name)).into_iter().collect();
    if let Some(current) = current
        && choices.iter().all(|choice| choice.value != current.as_str())
    {
        choices.push(Choice::new(current.as_str(), current.as_str()));
    }
    choices
}

/// The name of a language; the tag for one without texts.
pub fn name(language: &Locale) -> &str {
    let known = LANGUAGES.iter().find(|(tag, _)| *tag == language.as_str());
    known.map_or(language.as_str(), |(_, name)| *name)
}

/// The formats of dates, each as it writes today.
pub fn date_formats(frame: &Frame, formats: &[DateFormat]) -> Vec<Choice> {
    let choice = |format: &DateFormat| Choice::new(format.as_str(), date_example(frame, *format));
    formats.iter().map(choice).collect()
}

/// Today in a format, with the letters of the format.
pub fn date_example(frame: &Frame, format: DateFormat) -> String {
    let today = Day::from_number(frame.preferences.time_zone.local(frame.now).day);
    format!("{} ({})", format.format_day(today), format.as_str())
}

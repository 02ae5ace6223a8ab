//! The names of dimensions and of the groups that they make, in the reader's language.

use app::insights::{Labelled, LabelledId};
use domain::insights::Dimension;
use texts::values;

use crate::frame::Frame;

/// Returns the name of a dimension: the reader's own, or the usual one.
pub fn dimension(frame: &Frame, dimension: Dimension) -> String {
    match frame.preferences.dimensions.label(dimension) {
        Some(own) => own.as_str().to_owned(),
        None => values::dimension(frame.language, dimension.as_str()).to_owned(),
    }
}

/// Returns the name of a group. Names of records stay as they are.
pub fn group(frame: &Frame, dimension: Dimension, key: &Labelled) -> String {
    let language = frame.language;
    match &key.id {
        LabelledId::None => values::no_value(language, dimension.as_str()).to_owned(),
        LabelledId::Word(word) => match dimension {
            Dimension::WorksiteKind => values::worksite_kind(language, word).to_owned(),
            Dimension::MachineKind => values::machine_kind(language, word).to_owned(),
            Dimension::PersonKind => values::person_kind(language, word).to_owned(),
            Dimension::Zone => values::zone(language, word).to_owned(),
            Dimension::Review => values::review(language, word).to_owned(),
            Dimension::Acknowledged => values::acknowledged(language, word == "acknowledged").to_owned(),
            Dimension::Hour | Dimension::Day | Dimension::Week | Dimension::Month => {
                frame.preferences.date_format.reformat_iso(&key.label)
            }
            _ => key.label.clone(),
        },
        LabelledId::Number(number) => match dimension {
            // ISO 8601 numbers days from 1.
            Dimension::DayOfWeek => values::weekday(language, number - 1).to_owned(),
            // A record whose name is not known.
            _ if key.label == format!("{} {number}", dimension.label()) => {
                format!("{} {number}", values::dimension(language, dimension.as_str()))
            }
            _ => key.label.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn groups_are_named_in_the_readers_language() {
        let frame = crate::frame::sample(Language::German, "/explore");
        let word = |of, word: &str| {
            group(&frame, of, &Labelled { id: LabelledId::Word(word.to_owned()), label: word.to_owned() })
        };
        let number = |of, number, label: &str| {
            group(&frame, of, &Labelled { id: LabelledId::Number(number), label: label.to_owned() })
        };
        assert_eq!(word(Dimension::Zone, "danger"), "Gefahrenzone");
        assert_eq!(word(Dimension::Acknowledged, "unacknowledged"), "Nicht quittiert");
        assert_eq!(word(Dimension::Hour, "2026-03-01T08:00"), "01/03/2026 08:00");
        assert_eq!(number(Dimension::DayOfWeek, 1, "Monday"), "Montag");
        assert_eq!(number(Dimension::Machine, 7, "Machine 7"), "Maschine 7");
        assert_eq!(number(Dimension::Machine, 7, "Crane 7"), "Crane 7");
        let none = Labelled { id: LabelledId::None, label: "No worksite".to_owned() };
        assert_eq!(group(&frame, Dimension::Worksite, &none), "Kein Standort");
    }
}

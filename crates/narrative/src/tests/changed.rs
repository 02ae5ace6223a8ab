//! No number and no direction of a statement can be changed.

use super::sheets::{drop_reason, everything};
use crate::*;
use texts::Language::{English, German};

/// Returns the text once for each of its numbers, with the first digit of that number changed.
fn with_one_number_changed(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let begins = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit());
    let change = |at: usize| {
        let other = char::from(b'1' + (bytes[at] - b'0') % 9);
        format!("{}{other}{}", &text[..at], &text[at + 1..])
    };
    (0..bytes.len()).filter(begins).map(change).collect()
}

#[test]
fn every_number_and_every_direction_of_a_statement_matters() {
    let sheet = everything();
    let turns = [
        (English, "more", "fewer"),
        (English, "fewer", "more"),
        (English, "less", "more"),
        (English, "longer", "shorter"),
        (English, "larger", "smaller"),
        (German, "mehr", "weniger"),
        (German, "weniger", "mehr"),
        (German, "länger", "kürzer"),
        (German, "größer", "kleiner"),
    ];
    let mut changed = 0;
    for language in [English, German] {
        let roles = Roles::anonymous(&sheet, language);
        for fact in &sheet.facts {
            let text = describe_fact(&sheet, fact, language);
            let text = with_names(&text, |subject| roles.name(subject).to_owned());
            assert_eq!(drop_reason(language, &text, &[&fact.id]), None, "{text}");
            let turned =
                turns.iter().filter(|(of, from, _)| *of == language && text.contains(&format!(" {from} ")));
            let turned = turned.map(|(_, from, to)| text.replace(&format!(" {from} "), &format!(" {to} ")));
            for lie in turned.chain(with_one_number_changed(&text)) {
                assert_ne!(drop_reason(language, &lie, &[&fact.id]), None, "{lie}");
                changed += 1;
            }
        }
    }
    assert!(changed > 150, "{changed}");
}

//! The prompt shows only sentences that pass the check, and is not too long.

use super::sheets::{answer, everything, standing_out, with_gaps, without_runtime};
use crate::*;
use serde_json::Value;
use texts::Language;

/// Returns the sentences that a prompt shows: role, text and fact.
pub(super) fn shown(prompt: &Prompt) -> Vec<(&'static str, String, String)> {
    let document: Value = serde_json::from_str(&prompt.user).unwrap();
    let mut found = Vec::new();
    for fact in document["facts"].as_array().unwrap() {
        let id = fact["id"].as_str().unwrap();
        found.push(("finding", fact["text"].as_str().unwrap().to_owned(), id.to_owned()));
        for (role, member) in
            [("finding", "forms"), ("recommendation", "recommend"), ("limitation", "limits")]
        {
            let texts = fact[member].as_array().unwrap().iter();
            found.extend(texts.map(|text| (role, text.as_str().unwrap().to_owned(), id.to_owned())));
        }
    }
    found
}

#[test]
fn everything_that_is_shown_passes() {
    for sheet in [everything(), standing_out(), with_gaps(), without_runtime()] {
        for language in Language::ALL {
            let roles = Roles::anonymous(&sheet, language);
            for (role, text, fact) in shown(&Prompt::new(&sheet, language, &roles)) {
                let checked =
                    check_answer(&sheet, language, &roles, &answer(&[(role, &text, &[&fact])])).unwrap();
                assert_eq!(checked.dropped, [], "{role}: {text}");
            }
        }
    }
}

#[test]
fn prompts_show_several_forms_and_stay_short() {
    let sheet = everything();
    for language in Language::ALL {
        let roles = Roles::anonymous(&sheet, language);
        let prompt = Prompt::new(&sheet, language, &roles);
        let lines: Vec<String> =
            shown(&prompt).into_iter().map(|(role, text, fact)| format!("{fact} {role}: {text}")).collect();
        insta::assert_snapshot!(
            format!("forms_{}", language.as_str()),
            lines.join("\n").replace('\u{a0}', " ")
        );
        let length = prompt.user.len() + prompt.system.len();
        assert!(length < 18_000, "{length}");
    }
}

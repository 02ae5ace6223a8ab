//! Sentences that no fact supports are dropped, in both languages and whatever role they have.

mod english;
mod german;
mod named;

use super::sheets::{answer, everything};
use crate::*;
use texts::Language;

/// False sentences, and the facts that they cite.
type Lies = &'static [(&'static str, &'static [&'static str])];

/// Returns the sentences that pass, of any role.
fn passed(language: Language, lies: Lies) -> Vec<(SentenceRole, &'static str)> {
    let sheet = everything();
    let roles = Roles::anonymous(&sheet, language);
    let mut passed = Vec::new();
    for role in SentenceRole::ALL {
        for (text, facts) in lies {
            let checked = check_answer(&sheet, language, &roles, &answer(&[(role.as_str(), text, facts)]));
            if checked.unwrap().dropped.is_empty() {
                passed.push((role, *text));
            }
        }
    }
    passed
}

/// All of them at once are no report.
fn assert_no_report(language: Language, lies: Lies) {
    let sheet = everything();
    let roles = Roles::anonymous(&sheet, language);
    for some in lies.chunks(30) {
        let sentences: Vec<_> = some.iter().map(|(text, facts)| ("finding", *text, *facts)).collect();
        let checked = check_answer(&sheet, language, &roles, &answer(&sentences)).unwrap();
        assert!(!checked.is_enough() && checked.sentences.is_empty());
    }
}

#[test]
fn no_english_lie_passes() {
    for lies in english::ALL {
        assert_eq!(passed(Language::English, lies), []);
        assert_no_report(Language::English, lies);
    }
}

#[test]
fn no_german_lie_passes() {
    for lies in german::ALL {
        assert_eq!(passed(Language::German, lies), []);
        assert_no_report(Language::German, lies);
    }
}

//! What one fact says does not pass for another: with another direction, basis, certainty, zone, whole, subject or unit.

use super::sheets::{drop_reason, everything};
use crate::*;
use texts::Language;

/// Returns the fact with one thing changed.
fn altered(fact: &Fact) -> Vec<(&'static str, Fact)> {
    let mut found = Vec::new();
    if let Some(compared) = fact.comparison {
        for direction in Direction::ALL {
            let compared = FactComparison { direction, ..compared };
            found.push(("direction", Fact { comparison: Some(compared), ..fact.clone() }));
        }
        for with in ComparedWith::ALL {
            let compared = FactComparison { with, ..compared };
            found.push(("basis", Fact { comparison: Some(compared), ..fact.clone() }));
        }
        let change_percent = compared.change_percent.map(|change| change + 7.0);
        let compared = FactComparison { value: compared.value * 1.5, change_percent, ..compared };
        found.push(("compared", Fact { comparison: Some(compared), ..fact.clone() }));
    }
    for certainty in Certainty::ALL {
        found.push(("certainty", Fact { certainty, ..fact.clone() }));
    }
    for kind in FactKind::ALL {
        found.push(("kind", Fact { kind, ..fact.clone() }));
    }
    for zone in FactZone::ALL {
        found.push(("zone", Fact { zone: fact.zone.and(Some(zone)), ..fact.clone() }));
    }
    let subjects =
        fact.subjects.iter().map(|subject| Subject { id: if subject.id == 7 { 8 } else { 7 }, ..*subject });
    found.push(("subject", Fact { subjects: subjects.collect(), ..fact.clone() }));
    found.push(("hours", Fact { hours: fact.hours.map(|(from, to)| (from + 1, to + 1)), ..fact.clone() }));
    let (numerator, denominator) =
        (fact.numerator.map(|count| count + 10.0), fact.denominator.map(|all| all + 10.0));
    found.push(("numerator", Fact { numerator, ..fact.clone() }));
    found.push(("denominator", Fact { denominator, ..fact.clone() }));
    found.push(("value", Fact { value: fact.value + 20.0, ..fact.clone() }));
    found
}

#[test]
fn another_fact_is_not_told() {
    let sheet = everything();
    let mut tried = 0;
    for language in Language::ALL {
        let roles = Roles::anonymous(&sheet, language);
        let say = |fact: &Fact| {
            let text = describe_fact(&sheet, fact, language);
            with_names(&text, |subject| roles.name(subject).to_owned())
        };
        for fact in &sheet.facts {
            let own = say(fact);
            for (what, other) in altered(fact) {
                let text = say(&other);
                // Rounding and units may hide a change, and what is not known has no name.
                if text == own || text.contains("  ") || text.starts_with(' ') || tells_less(&text, &own) {
                    continue;
                }
                assert!(drop_reason(language, &text, &[&fact.id]).is_some(), "{what} of {}: {text}", fact.id);
                tried += 1;
            }
        }
    }
    assert!(tried > 800, "{tried}");
}

/// Returns whether a text is only shorter than another.
fn tells_less(text: &str, own: &str) -> bool {
    own.starts_with(text.trim_end_matches('.'))
}

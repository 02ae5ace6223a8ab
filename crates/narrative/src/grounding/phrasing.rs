//! What a fact may be reported with: the phrases that hold for it, and its values.

use texts::Language;

use super::grammar::{Grammar, Line};
use super::values::{Values, values_of};
use crate::written::whole;
use crate::{Direction, Fact, FactKind, FactSheet, FactUnit, FactZone, Roles, rules};

/// A fact with the phrases of a language and its values for their places.
pub(super) struct Phrasing<'a> {
    pub fact: &'a Fact,
    pub values: Values,
    pub grammar: &'static Grammar,
    /// What holds for the fact, in the words of the phrases.
    conditions: Vec<String>,
}

impl<'a> Phrasing<'a> {
    pub fn new(sheet: &FactSheet, fact: &'a Fact, language: Language, roles: &Roles) -> Self {
        Self {
            fact,
            values: values_of(sheet, fact, language, roles),
            grammar: Grammar::of(language),
            conditions: conditions_of(sheet, fact),
        }
    }

    /// Returns the lines of a section that hold for the fact; none if there is no such section.
    pub fn lines(&self, section: &str) -> Option<impl Iterator<Item = &'static Line>> {
        let lines = self.grammar.section(section)?.iter();
        Some(lines.filter(|line| line.conditions.iter().all(|condition| self.conditions.contains(condition))))
    }
}

/// Returns what holds for a fact, in the words of the phrases.
fn conditions_of(sheet: &FactSheet, fact: &Fact) -> Vec<String> {
    let is_one = |value: f64| whole(value) == 1;
    // What is counted is the value or, of a share, the numerator.
    let counted = match fact.unit {
        FactUnit::Percent => fact.numerator.unwrap_or(fact.value),
        _ => fact.value,
    };
    let mut found = vec![
        fact.kind.as_str(),
        fact.unit.as_str(),
        if fact.value == 0.0 { "none" } else { "some" },
        if is_one(counted) { "one" } else { "many" },
    ];
    if let Some(compared) = fact.comparison {
        found.push(compared.with.as_str());
        found.push(compared.direction.as_str());
        let ratio = fact.value / compared.value;
        if compared.direction == Direction::Up && (1.985..2.015).contains(&ratio) {
            found.push("doubled");
        }
        if compared.direction == Direction::Down && (0.495..0.505).contains(&ratio) {
            found.push("halved");
        }
    }
    if fact.kind == FactKind::ZoneSizeChanged {
        found.push(fact.zone.unwrap_or(FactZone::Danger).as_str());
    }
    if rules::is_too_few(fact) {
        found.push("too_few");
    }
    let mut found: Vec<String> = found.into_iter().map(str::to_owned).collect();
    found.push(rules::certainty(fact).map_or("plain".to_owned(), |text| text.key.to_lowercase()));
    found.extend(rules::advice_about(sheet, fact).map(|text| text.key.to_lowercase()));
    found
}

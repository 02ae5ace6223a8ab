//! The values of a fact that its phrases have places for, in every way in which they may be written.

use std::collections::BTreeMap;

use texts::values::month;
use texts::{Counted, Language, decimal, integer, narrative as t};

use super::tokens::{TokenKind, kinds_of};
use crate::written::{self, clock, whole};
use crate::{ComparedWith, Fact, FactSheet, FactUnit, Roles, Subject, SubjectKind};

/// The ways in which the value of a place may be written, the usual one first.
pub(super) type Values = BTreeMap<&'static str, Vec<Value>>;

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    pub tokens: Vec<TokenKind>,
}

/// Numbers that may be written as words, from zero on.
const ENGLISH_NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];
const GERMAN_NUMBERS: [&str; 13] = [
    "null", "eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
];

const fn number_words(language: Language) -> &'static [&'static str; 13] {
    match language {
        Language::English => &ENGLISH_NUMBERS,
        Language::German => &GERMAN_NUMBERS,
    }
}

/// Returns whether a word, which is given in lower case, is a number.
pub(super) fn is_number_word(word: &str, language: Language) -> bool {
    number_words(language).contains(&word)
}

/// Returns the values of all places that the fact has values for.
pub(super) fn values_of(sheet: &FactSheet, fact: &Fact, language: Language, roles: &Roles) -> Values {
    let mut found = Places { fact, language, values: Values::new() };
    found.add("value", found.amount(fact.value));
    if fact.numerator.is_some() {
        let count = written::numerator(fact, language);
        found.add("count", found.with_word(count, fact.numerator));
    }
    if let Some(denominator) = fact.denominator {
        found.add("all", vec![written::denominator(fact, language)]);
        found.add("days", found.days(&t::DAYS, denominator));
        found.add("working_days", found.days(&t::WORKING_DAYS, denominator));
    }
    found.add("period_days", found.days(&t::DAYS, sheet.days as f64));
    found.add_comparison();
    if let Some((low, high)) = fact.interval {
        found.add("low", vec![written::number(fact, language, low)]);
        found.add("high", vec![written::number(fact, language, high)]);
    }
    if let Some((from, to)) = fact.hours {
        found.add("from", found.hour(from));
        found.add("to", found.hour(to));
    }
    for (place, day) in [("first", first_day(&sheet.from)), ("last", last_day(&sheet.to))] {
        if let Some(day) = day {
            found.add(place, date(day, language));
        }
    }
    found.add_subjects(roles);
    found.values
}

struct Places<'a> {
    fact: &'a Fact,
    language: Language,
    values: Values,
}

impl Places<'_> {
    fn add(&mut self, place: &'static str, texts: Vec<String>) {
        let value = |text: String| Value { tokens: kinds_of(&text, self.language), text };
        self.values.insert(place, texts.into_iter().map(value).collect());
    }

    /// Writes a number in the unit of the fact, and in other forms of the same unit.
    fn amount(&self, value: f64) -> Vec<String> {
        let text = written::number(self.fact, self.language, value);
        match self.fact.unit {
            FactUnit::Count | FactUnit::Days => self.with_word(text, Some(value)),
            FactUnit::Seconds => durations(&text, self.language),
            FactUnit::Metres => metres(&text, self.language),
            FactUnit::Percent | FactUnit::Hours | FactUnit::PerHour | FactUnit::Times => vec![text],
        }
    }

    /// Adds the word of a small whole number.
    fn with_word(&self, text: String, value: Option<f64>) -> Vec<String> {
        let place =
            value.filter(|value| value.fract() == 0.0).and_then(|value| usize::try_from(whole(value)).ok());
        let word = place.and_then(|place| number_words(self.language).get(place));
        [Some(text), word.map(|word| (*word).to_owned())].into_iter().flatten().collect()
    }

    fn days(&self, text: &Counted, days: f64) -> Vec<String> {
        let dative = text.of(self.language, whole(days), &[]);
        match (self.language, dative.strip_suffix("gen")) {
            (Language::German, Some(stem)) => vec![dative.clone(), format!("{stem}ge")],
            _ => vec![dative],
        }
    }

    fn hour(&self, hour: u8) -> Vec<String> {
        match self.language {
            Language::English => vec![clock(hour)],
            Language::German => vec![clock(hour), hour.to_string()],
        }
    }

    fn add_comparison(&mut self) {
        let Some(compared) = self.fact.comparison else { return };
        let (language, value) = (self.language, self.fact.value);
        let other = match compared.with {
            ComparedWith::Peers => {
                vec![written::expected(language, compared.value), decimal(language, compared.value, 1)]
            }
            _ => self.amount(compared.value),
        };
        self.add("other", other);
        let change = match self.fact.unit {
            FactUnit::Percent => self.points(compared.value),
            _ => compared.change_percent.map_or(Vec::new(), |change| vec![written::change(language, change)]),
        };
        let signs: &[char] = if value < compared.value { &['−', '-'] } else { &['+'] };
        let signed = change.iter().flat_map(|change| signs.iter().map(move |sign| format!("{sign}{change}")));
        self.add("signed", signed.collect());
        self.add("change", change);
        if compared.value > 0.0 {
            self.add("ratio", vec![decimal(language, value / compared.value, 1)]);
        }
    }

    /// Writes the difference of two percentages: as it is, and as it is between the written ones.
    fn points(&self, other: f64) -> Vec<String> {
        let words: &[&str] = match self.language {
            Language::English => &["percentage points", "points"],
            Language::German => &["Prozentpunkte", "Prozentpunkten", "Punkte", "Punkten"],
        };
        let exact = (self.fact.value - other).abs().round();
        let between = (self.fact.value.round() - other.round()).abs();
        let numbers = [exact, between].map(|number| integer(self.language, whole(number)));
        let numbers = numbers.iter().filter(|number| *number != "1");
        numbers.flat_map(|number| words.iter().map(move |word| format!("{number} {word}"))).collect()
    }

    fn add_subjects(&mut self, roles: &Roles) {
        let value = |subject: Subject| Value {
            text: roles.name(subject).to_owned(),
            tokens: vec![TokenKind::Subject(subject)],
        };
        let fact = self.fact;
        let single = [
            ("subject", fact.subjects.first().copied()),
            ("machine", fact.subject(SubjectKind::Machine)),
            ("pedestrian", fact.subject(SubjectKind::Pedestrian)),
        ];
        for (place, subject) in single {
            if let Some(subject) = subject {
                self.values.insert(place, vec![value(subject)]);
            }
        }
        // All of them, or it would seem that the others are none.
        let is_all = !fact.subjects.is_empty() && whole(fact.value) == fact.subjects.len() as i64;
        if fact.unit == FactUnit::Count && is_all {
            let and = if self.language == Language::English { "and" } else { "und" };
            let mut all = value(fact.subjects[0]);
            for (place, subject) in fact.subjects.iter().enumerate().skip(1) {
                let is_last = place + 1 == fact.subjects.len();
                let next = value(*subject);
                all.text.push_str(&if is_last { format!(" {and} ") } else { ", ".to_owned() });
                all.text.push_str(&next.text);
                all.tokens.extend(is_last.then(|| TokenKind::Word(and.to_owned())));
                all.tokens.extend(next.tokens);
            }
            self.values.insert("subjects", vec![all]);
        }
    }
}

/// Adds forms of a duration with whole words.
fn durations(text: &str, language: Language) -> Vec<String> {
    let (and, words): (&str, [(&str, &str, &str); 3]) = match language {
        Language::English => {
            ("and", [("h", "hour", "hours"), ("min", "minute", "minutes"), ("s", "second", "seconds")])
        }
        Language::German => {
            ("und", [("h", "Stunde", "Stunden"), ("min", "Minute", "Minuten"), ("s", "Sekunde", "Sekunden")])
        }
    };
    let text = text.replace('\u{a0}', " ");
    let mut number = "";
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(' ') {
        match words.iter().find(|(short, ..)| *short == part) {
            Some((_, one, many)) => {
                parts.push(format!("{number} {}", if number == "1" { one } else { many }));
            }
            None => number = part,
        }
    }
    let long = [parts.join(" "), parts.join(&format!(" {and} "))];
    [text].into_iter().chain(long).collect()
}

fn metres(text: &str, language: Language) -> Vec<String> {
    let Some(number) = text.strip_suffix("\u{a0}m") else { return vec![text.to_owned()] };
    let whole = number.strip_suffix(&format!("{}0", language.separators().1));
    let numbers = [Some(number), whole].into_iter().flatten();
    let units: &[&str] = match language {
        Language::English => &["m", "metres", "meters"],
        Language::German => &["m", "Meter", "Metern"],
    };
    numbers.flat_map(|number| units.iter().map(move |unit| format!("{number} {unit}"))).collect()
}

/// Parses `2026-03-02`; instants are no days.
fn first_day(text: &str) -> Option<(i64, i64, i64)> {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let day = (parts.next()??, parts.next()??, parts.next()??);
    (parts.next().is_none() && (1..=12).contains(&day.1)).then_some(day)
}

/// Returns the day before the one at which a period ends.
fn last_day(text: &str) -> Option<(i64, i64, i64)> {
    let (year, month, day) = first_day(text)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |month: i64| match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    Some(match (month, day) {
        (1, 1) => (year - 1, 12, 31),
        (_, 1) => (year, month - 1, length(month - 1)),
        _ => (year, month, day - 1),
    })
}

fn date((year, number, day): (i64, i64, i64), language: Language) -> Vec<String> {
    let name = month(language, number - 1);
    match language {
        Language::English => {
            let day_first = format!("{day} {name}");
            vec![
                day_first.clone(),
                format!("{day_first} {year}"),
                format!("{name} {day}"),
                format!("{name} {day}, {year}"),
            ]
        }
        Language::German => vec![format!("{day}. {name}"), format!("{day}. {name} {year}")],
    }
}

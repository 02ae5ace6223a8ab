//! The document of a written site report: its sentences, and the facts that they rest on.

use documents::{Align, Block, Finding, Row, Table, Text, Tone};
use domain::insights::Dimension;
use narrative::{
    Certainty, ComparedWith, Direction, Fact, FactKind, FactUnit, Sentence, SentenceRole, Subject,
    SubjectKind, TextPart, parts_of,
};
use texts::{narrative as t, reports};

use super::composer::{Composer, and_names};
use super::formats::NO_VALUE;
use super::tables::{column, plain_row};
use super::worst::clock_hour;
use crate::reports::figures::WrittenFigure;

pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let Some(written) = &composer.figures().written else { return Vec::new() };
    let of = |role: SentenceRole| written.sentences.iter().filter(move |sentence| sentence.role == role);
    let findings: Vec<Finding> =
        of(SentenceRole::Finding).map(|sentence| finding(composer, written, sentence)).collect();
    let texts = |role: SentenceRole| -> Vec<Text> {
        of(role).map(|sentence| named(composer, &sentence.text)).collect()
    };
    let mut blocks = Vec::new();
    if !findings.is_empty() {
        blocks.push(composer.heading(t::FINDINGS));
        blocks.push(Block::Findings(findings));
    }
    for (heading, role) in
        [(t::RECOMMENDATIONS, SentenceRole::Recommendation), (t::LIMITATIONS, SentenceRole::Limitation)]
    {
        let sentences = texts(role);
        if !sentences.is_empty() {
            blocks.push(composer.heading(heading));
            blocks.push(Block::List(sentences));
        }
    }
    blocks.push(composer.heading(t::FACTS));
    blocks.push(facts(composer, written));
    blocks.push(composer.heading(t::WRITTEN_BY));
    blocks.push(Block::Paragraph(Text::plain(how_it_was_written(composer, written))));
    blocks
}

/// Puts names in place of tokens, each as a part of its own.
fn named(composer: &Composer<'_>, text: &str) -> Text {
    let parts = parts_of(text).into_iter().map(|part| match part {
        TextPart::Words(words) => words.to_owned(),
        TextPart::Subject(subject) => name(composer, subject),
    });
    parts.fold(Text::default(), Text::and)
}

fn name(composer: &Composer<'_>, subject: Subject) -> String {
    let dimension = match subject.kind {
        SubjectKind::Worksite => Dimension::Worksite,
        SubjectKind::Machine => Dimension::Machine,
        SubjectKind::Pedestrian => Dimension::Pedestrian,
        SubjectKind::Operator => Dimension::Operator,
        SubjectKind::BaseStation => Dimension::BaseStation,
        SubjectKind::Tag => Dimension::Tag,
    };
    composer.label(dimension, Some(subject.id))
}

fn finding(composer: &Composer<'_>, written: &WrittenFigure, sentence: &Sentence) -> Finding {
    let language = composer.language();
    let facts: Vec<&Fact> = sentence.facts.iter().filter_map(|id| written.facts.fact(id)).collect();
    let least = facts.iter().map(|fact| fact.certainty).min().unwrap_or(Certainty::Low);
    let values =
        [("facts", &*sentence.facts.join(", ")), ("certainty", t::certainty(language, least.as_str()))];
    Finding {
        tone: facts.first().map_or(Tone::Plain, |fact| tone(fact)),
        heading: facts.first().map_or(String::new(), |fact| t::kind(language, fact.kind.as_str()).to_owned()),
        text: named(composer, &sentence.text),
        evidence: composer.fill(t::EVIDENCE, &values),
    }
}

/// Returns the tone of a fact: what got worse and is sure is dangerous. Differences that may be chance are plain, and so is how long
/// machines ran, which is neither good nor bad.
fn tone(fact: &Fact) -> Tone {
    let worse = match fact.kind {
        FactKind::RuntimeHours => return Tone::Plain,
        FactKind::AcknowledgementRate | FactKind::TestCompliance => Direction::Down,
        _ => Direction::Up,
    };
    let is_compared_with_time = fact.comparison.is_some_and(|compared| {
        matches!(
            compared.with,
            ComparedWith::PreviousPeriod | ComparedWith::AfterInstallation | ComparedWith::Peers
        )
    });
    match (fact.comparison.map(|compared| compared.direction), fact.certainty) {
        (_, Certainty::Low) | (Some(Direction::Level), _) => Tone::Plain,
        (Some(direction), certainty) if is_compared_with_time && direction == worse => {
            if certainty == Certainty::High { Tone::Danger } else { Tone::Warning }
        }
        (Some(_), _) if is_compared_with_time => Tone::Good,
        (_, Certainty::Moderate | Certainty::High) => Tone::Warning,
    }
}

fn facts(composer: &Composer<'_>, written: &WrittenFigure) -> Block {
    let language = composer.language();
    let row = |fact: &Fact| -> Row {
        let mut about: Vec<String> = fact.subjects.iter().map(|subject| name(composer, *subject)).collect();
        about.extend(when_and_where(composer, fact));
        let kind = t::kind(language, fact.kind.as_str());
        let what = match about.is_empty() {
            true => Text::plain(kind),
            false => and_names(Text::plain(format!("{kind}: ")), &about, ", "),
        };
        let compared = fact.comparison.map_or(NO_VALUE.to_owned(), |compared| {
            let with = t::compared_with(language, compared.with.as_str());
            format!("{} ({with})", number(composer, fact, compared.value))
        });
        let interval = fact.interval.map_or(NO_VALUE.to_owned(), |(low, high)| {
            format!("{} – {}", number(composer, fact, low), number(composer, fact, high))
        });
        let certainty = t::certainty(language, fact.certainty.as_str());
        let value = with_denominator(composer, fact);
        plain_row(vec![
            Text::plain(fact.id.as_str()),
            what,
            Text::plain(value),
            Text::plain(compared),
            Text::plain(interval),
            Text::plain(certainty),
        ])
    };
    let title = composer.text(t::FACTS);
    Block::Table(Table {
        title,
        summary: composer.text(t::TABLE_OF_FACTS),
        columns: vec![
            column(composer.text(t::NUMBER), Align::Start, 0.6),
            column(composer.text(t::FACT), Align::Start, 3.0),
            column(composer.text(t::VALUE), Align::End, 1.8),
            column(composer.text(t::COMPARED_WITH), Align::End, 2.2),
            column(composer.text(t::INTERVAL), Align::End, 1.8),
            column(composer.text(t::HOW_SURE), Align::Start, 1.2),
        ],
        rows: written.facts.facts.iter().map(row).collect(),
        note: None,
    })
}

/// Returns the hours, weekdays, place and zone of a fact, without which nobody could act on it. Positions are written as maps read them.
fn when_and_where(composer: &Composer<'_>, fact: &Fact) -> Vec<String> {
    let language = composer.language();
    let clock = |hour: u8| clock_hour(i64::from(hour));
    let hours = fact.hours.map(|(from, to)| format!("{}–{}", clock(from), clock(to)));
    let weekday = |day: &u8| texts::values::weekday(language, i64::from(*day)).to_owned();
    let place = fact.place.as_ref().map(|place| format!("{:.5} {:.5}", place.lat, place.lon));
    let zone = fact.zone.map(|zone| texts::values::zone(language, zone.as_str()).to_owned());
    hours.into_iter().chain(fact.weekdays.iter().map(weekday)).chain(place).chain(zone).collect()
}

/// Writes the value of a fact with what it is a part of, or with the time in which it was counted.
fn with_denominator(composer: &Composer<'_>, fact: &Fact) -> String {
    let (formats, value) = (composer.formats, number(composer, fact, fact.value));
    let Some(all) = fact.denominator else { return value };
    let whole = |number: f64| formats.count(number.round() as i64);
    let count = whole(fact.numerator.unwrap_or(fact.value));
    match fact.kind {
        _ if fact.unit == FactUnit::Percent && fact.numerator.is_some() => {
            format!("{value} ({count}/{})", whole(all))
        }
        FactKind::IncursionRate | FactKind::Drift => {
            let hours = formats.hours(all);
            composer.fill(reports::RATE_OF_COUNT, &[("value", &value), ("n", &count), ("hours", &hours)])
        }
        FactKind::OutlierMachine | FactKind::OutlierOperator => {
            composer.fill(reports::COUNT_IN_HOURS, &[("n", &value), ("hours", &formats.hours(all))])
        }
        FactKind::OutlierPedestrian | FactKind::RepeatedPair => {
            let days = composer.counted(reports::DAYS, all.round() as i64, &[]);
            composer.fill(reports::COUNT_ON_DAYS, &[("n", &value), ("days", &days)])
        }
        FactKind::SilentStations | FactKind::DaysWithoutData => {
            composer.fill(reports::N_OF_TOTAL, &[("n", &value), ("total", &whole(all))])
        }
        _ => value,
    }
}

/// Writes a number in the unit of a fact.
fn number(composer: &Composer<'_>, fact: &Fact, value: f64) -> String {
    let (formats, digits) = (composer.formats, usize::from(fact.digits));
    match fact.unit {
        FactUnit::Percent => texts::percent(composer.language(), value / 100.0, digits),
        FactUnit::Seconds => texts::seconds(composer.language(), value),
        FactUnit::Hours => formats.hours(value),
        FactUnit::PerHour => format!("{}\u{a0}/\u{a0}h", formats.decimal(value, digits)),
        FactUnit::Metres => formats.distance((value * 100.0).round() as i64),
        // What is expected among peers is no whole number.
        FactUnit::Count | FactUnit::Days | FactUnit::Times => {
            let digits = if value.fract() == 0.0 { 0 } else { digits.max(1) };
            formats.decimal(value, digits)
        }
    }
}

/// Says what wrote the sentences, and why it was not the model if there is one.
fn how_it_was_written(composer: &Composer<'_>, written: &WrittenFigure) -> String {
    match (&written.fallback_reason, written.generator.as_str(), &written.model) {
        (Some(reason), ..) => {
            composer.fill(t::BY_RULES_INSTEAD, &[("reason", t::fallback(composer.language(), reason))])
        }
        (None, "model", Some(model)) => composer.fill(t::BY_MODEL, &[("model", model)]),
        _ => composer.text(t::BY_RULES),
    }
}

#[cfg(test)]
mod tests {
    use narrative::FactComparison;

    use super::*;

    fn fact(kind: FactKind, with: ComparedWith, direction: Direction, certainty: Certainty) -> Fact {
        Fact {
            id: "f1".to_owned(),
            kind,
            subjects: Vec::new(),
            value: 1.0,
            digits: 0,
            unit: FactUnit::Count,
            numerator: None,
            denominator: None,
            comparison: Some(FactComparison { with, value: 2.0, direction, change_percent: None }),
            interval: None,
            certainty,
            hours: None,
            weekdays: Vec::new(),
            place: None,
            zone: None,
        }
    }

    #[test]
    fn the_tone_follows_from_direction_and_certainty() {
        let before = ComparedWith::PreviousPeriod;
        for (kind, with, direction, certainty, expected) in [
            (FactKind::Incursions, before, Direction::Up, Certainty::High, Tone::Danger),
            (FactKind::Incursions, before, Direction::Up, Certainty::Moderate, Tone::Warning),
            (FactKind::Incursions, before, Direction::Up, Certainty::Low, Tone::Plain),
            (FactKind::Incursions, before, Direction::Level, Certainty::High, Tone::Plain),
            (FactKind::Incursions, before, Direction::Down, Certainty::High, Tone::Good),
            (FactKind::AcknowledgementRate, before, Direction::Down, Certainty::High, Tone::Danger),
            (FactKind::OutlierOperator, ComparedWith::Peers, Direction::Down, Certainty::High, Tone::Good),
            (FactKind::RuntimeHours, before, Direction::Up, Certainty::High, Tone::Plain),
            (FactKind::RuntimeHours, before, Direction::Down, Certainty::High, Tone::Plain),
            (FactKind::TestCompliance, before, Direction::Down, Certainty::High, Tone::Danger),
            (FactKind::BusiestHours, ComparedWith::Runtime, Direction::Up, Certainty::High, Tone::Warning),
        ] {
            assert_eq!(tone(&fact(kind, with, direction, certainty)), expected, "{kind:?} {direction:?}");
        }
    }
}

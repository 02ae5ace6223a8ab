//! The facts of a written site report, as they are shown below the sentences that rest on them.

use app::FactView;
use app::reports::narrative::{Fact, FactUnit, SubjectKind};
use texts::narrative as words;
use texts::values;

use crate::frame::Frame;
use crate::parts::{Cell, Details};

/// A fact with its number, what it is compared with, and how sure it is.
pub struct ShownFact {
    pub text: String,
    pub details: Details,
}

pub fn show(frame: &Frame, view: &FactView) -> ShownFact {
    let (fact, language) = (&view.fact, frame.language);
    let mut rows = vec![
        (frame.text(words::FACT), Cell::text(words::kind(language, fact.kind.as_str()))),
        (frame.text(words::VALUE), value_cell(frame, fact)),
    ];
    if let Some(compared) = fact.comparison {
        let with = words::compared_with(language, compared.with.as_str());
        let cell = Cell::text(number(frame, fact, compared.value)).note(with);
        rows.push((frame.text(words::COMPARED_WITH), cell));
    }
    if let Some((low, high)) = fact.interval {
        let range = format!("{} – {}", number(frame, fact, low), number(frame, fact, high));
        rows.push((frame.text(words::INTERVAL), Cell::text(range)));
    }
    rows.push((frame.text(words::HOW_SURE), Cell::text(words::certainty(language, fact.certainty.as_str()))));
    for (subject, name) in &view.subjects {
        let label = values::dimension(language, subject.kind.as_str());
        let cell = match page_of(subject.kind, subject.id) {
            Some(page) => Cell::link(name.as_str(), frame.link(&page)),
            None => Cell::text(name.as_str()),
        };
        rows.push((label, cell));
    }
    rows.extend(when_and_where(frame, fact));
    let rows = rows.into_iter().map(|(label, cell)| (label.to_owned(), cell)).collect();
    ShownFact { text: view.text.clone(), details: Details { rows } }
}

/// The page of whom or what a fact is about.
fn page_of(kind: SubjectKind, id: i64) -> Option<String> {
    match kind {
        SubjectKind::Worksite => Some(format!("/sites/{id}")),
        SubjectKind::Machine => Some(format!("/machines/{id}")),
        SubjectKind::Pedestrian | SubjectKind::Operator => Some(format!("/people/{id}")),
        SubjectKind::BaseStation | SubjectKind::Tag => None,
    }
}

/// The value with what it is a part of.
fn value_cell(frame: &Frame, fact: &Fact) -> Cell {
    let cell = Cell::text(number(frame, fact, fact.value));
    let whole = |number: f64| frame.formats().decimal(number, 0);
    match (fact.unit, fact.numerator, fact.denominator) {
        (FactUnit::Percent, Some(part), Some(all)) => cell.note(format!("{}/{}", whole(part), whole(all))),
        _ => cell,
    }
}

/// Writes a number in the unit of a fact.
fn number(frame: &Frame, fact: &Fact, value: f64) -> String {
    let (formats, digits) = (frame.formats(), usize::from(fact.digits));
    match fact.unit {
        FactUnit::Percent => texts::percent(frame.language, value / 100.0, digits),
        FactUnit::Seconds => formats.seconds(value),
        FactUnit::Hours => formats.hours(value),
        FactUnit::PerHour => format!("{}\u{a0}/\u{a0}h", formats.decimal(value, digits)),
        FactUnit::Metres => format!("{}\u{a0}m", formats.decimal(value, digits)),
        // What is expected among peers is no whole number.
        FactUnit::Count | FactUnit::Days | FactUnit::Times => {
            let digits = if value.fract() == 0.0 { 0 } else { digits.max(1) };
            formats.decimal(value, digits)
        }
    }
}

/// The hours, weekdays, place and zone of a fact.
fn when_and_where(frame: &Frame, fact: &Fact) -> Vec<(&'static str, Cell)> {
    let language = frame.language;
    let mut rows = Vec::new();
    if let Some((from, to)) = fact.hours {
        let label = values::dimension(language, "hour_of_day");
        rows.push((label, Cell::text(format!("{from:02}:00–{to:02}:00"))));
    }
    if !fact.weekdays.is_empty() {
        let days = fact.weekdays.iter().map(|day| values::weekday(language, i64::from(*day)));
        let days = days.collect::<Vec<_>>().join(", ");
        rows.push((values::dimension(language, "day_of_week"), Cell::text(days)));
    }
    if let Some(place) = &fact.place {
        let position = format!("{:.5} {:.5}", place.lat, place.lon);
        rows.push((values::dimension(language, "cell"), Cell::text(position)));
    }
    if let Some(zone) = fact.zone {
        rows.push((values::dimension(language, "zone"), Cell::text(values::zone(language, zone.as_str()))));
    }
    rows
}

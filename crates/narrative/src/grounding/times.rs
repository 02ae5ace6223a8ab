//! Compares times of the day and dates with the cited facts and the period.

use super::Statement;
use super::numerals::{day_number, parse_date};
use super::tokens::TokenKind;
use crate::FactSheet;

const DAY_MINUTES: u32 = 24 * 60;

/// Returns the first time or date that is none of the cited facts and not of the period.
pub(super) fn wrong_time(statement: &Statement<'_>, sheet: &FactSheet) -> Option<String> {
    let mut previous: Option<u32> = None;
    for token in &statement.tokens {
        let is_right = match token.kind {
            TokenKind::Clock(minutes) => {
                let is_right = is_hour(statement, minutes, previous);
                previous = Some(minutes);
                is_right
            }
            TokenKind::Date(year, month, day) => is_of_period(sheet, (year, month, day)),
            _ => true,
        };
        if !is_right {
            return Some(token.text.to_owned());
        }
    }
    None
}

/// Returns whether a time begins or ends the hours of a cited fact. The end stands after the beginning.
fn is_hour(statement: &Statement<'_>, minutes: u32, previous: Option<u32>) -> bool {
    statement.facts.iter().filter_map(|fact| fact.hours).any(|(from, to)| {
        let (from, to) = (u32::from(from) * 60 % DAY_MINUTES, u32::from(to) * 60 % DAY_MINUTES);
        match previous.map(|previous| previous % DAY_MINUTES) {
            Some(before) if before == from => minutes % DAY_MINUTES == to,
            Some(_) => false,
            None => minutes % DAY_MINUTES == from,
        }
    })
}

/// Returns whether a date is the first day of the period, its last, or the day at which it ends.
fn is_of_period(sheet: &FactSheet, (year, month, day): (Option<i64>, i64, i64)) -> bool {
    let date = |text: &str| text.get(..10).and_then(parse_date);
    let is_same = |known: (i64, i64, i64)| {
        let written = (year.unwrap_or(known.0), month, day);
        written == known
    };
    let is_before = |end: (i64, i64, i64)| {
        // Without a year, it is the year of the day before.
        let years = year.map_or(vec![end.0, end.0 - 1], |year| vec![year]);
        years.into_iter().any(|year| day_number((year, month, day)) + 1 == day_number(end))
    };
    date(&sheet.from).is_some_and(is_same)
        || date(&sheet.to).is_some_and(|end| is_same(end) || is_before(end))
}

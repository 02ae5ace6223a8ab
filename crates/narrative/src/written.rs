//! Numbers of facts as they are written. Units that the sentences name themselves are left out.

use texts::{Language, decimal, integer, percent, seconds};

use crate::{Fact, FactUnit};

/// Writes a number in the unit of the fact.
pub(crate) fn number(fact: &Fact, language: Language, value: f64) -> String {
    let digits = usize::from(fact.digits);
    match fact.unit {
        FactUnit::Percent => percent(language, value / 100.0, digits),
        FactUnit::Seconds => seconds(language, value),
        FactUnit::Metres => format!("{}\u{a0}m", decimal(language, value, digits)),
        FactUnit::Count | FactUnit::Hours | FactUnit::PerHour | FactUnit::Days | FactUnit::Times => {
            decimal(language, value, digits)
        }
    }
}

pub(crate) fn numerator(fact: &Fact, language: Language) -> String {
    integer(language, whole(fact.numerator.unwrap_or(0.0)))
}

pub(crate) fn denominator(fact: &Fact, language: Language) -> String {
    let denominator = fact.denominator.unwrap_or(0.0);
    let is_hours = fact.kind.denominator_unit() == FactUnit::Hours;
    decimal(language, denominator, usize::from(is_hours && denominator < 10.0))
}

/// Writes the number that others of the same kind let expect.
pub(crate) fn expected(language: Language, value: f64) -> String {
    decimal(language, value, usize::from(value < 10.0))
}

/// Writes a difference in percent without its sign.
pub(crate) fn change(language: Language, change: f64) -> String {
    percent(language, change.abs() / 100.0, 0)
}

/// Writes an hour of the day.
pub(crate) fn clock(hour: u8) -> String {
    format!("{hour:02}:00")
}

/// Returns a count as a whole number.
pub(crate) fn whole(value: f64) -> i64 {
    value.round() as i64
}

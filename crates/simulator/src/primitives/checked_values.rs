//! Domain values built from texts of this crate, which are known to be valid: short, and of plain letters.

#![expect(
    clippy::expect_used,
    reason = "the texts are constants of this crate, and a test over many seeds covers them all"
)]

use domain::{Colour, Name, PartName, Percent, Serial, TimeZone, Timestamp, Uid, Year};

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).expect("a generated name is valid")
}

pub(crate) fn part(text: &str) -> PartName {
    PartName::parse(text).expect("a generated part name is valid")
}

pub(crate) fn serial(text: &str) -> Serial {
    Serial::parse(text).expect("a generated serial is valid")
}

pub(crate) fn colour(text: &str) -> Colour {
    Colour::parse(text).expect("a generated colour is valid")
}

pub(crate) fn time_zone(text: &str) -> TimeZone {
    TimeZone::parse(text).expect("the zone is in the database")
}

pub(crate) fn year(number: i64) -> Year {
    Year::new(number).expect("a year near the end of a plan is valid")
}

pub(crate) fn percent(number: f64) -> Percent {
    Percent::new(number.round().clamp(0.0, 100.0) as i64).expect("it was clamped")
}

pub(crate) fn at_ms(millis: i64) -> Timestamp {
    Timestamp::from_micros(millis * 1_000)
}

/// Combines the day with a number that counts within it.
pub(crate) fn uid(day_stamp: &str, number: u32) -> Uid {
    Uid::parse(&format!("{day_stamp}-{number:04}")).expect("digits and a hyphen are valid")
}

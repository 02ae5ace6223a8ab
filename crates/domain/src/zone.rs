//! Time zones, by which a day is a place's own day.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Invalid;

/// A zone of the IANA database that is compiled in, in the spelling of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone(jiff::tz::TimeZone);

impl TimeZone {
    /// Reads the name of a zone, such as `Europe/Berlin`, whatever its case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let invalid = || {
            Invalid::new("invalid_time_zone", "must be a zone of the IANA database, such as Europe/Berlin")
        };
        // Anything longer is none, and need not be looked up.
        if text.len() > 64 {
            return Err(invalid());
        }
        let zone = jiff::tz::db().get(text).map_err(|_| invalid())?;
        zone.iana_name().is_some().then_some(Self(zone.clone())).ok_or_else(invalid)
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// The zone itself, to compute with.
    pub fn rules(&self) -> &jiff::tz::TimeZone {
        &self.0
    }
}

impl fmt::Display for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Serialize for TimeZone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_those_of_the_database_in_its_spelling() {
        assert_eq!(TimeZone::parse("europe/berlin").unwrap().as_str(), "Europe/Berlin");
        assert_eq!(TimeZone::parse("UTC").unwrap().as_str(), "UTC");
        for bad in ["", "Mars/Olympus", "Europe", "+02:00", "../etc/passwd", "Etc/Unknown", &"x".repeat(100)]
        {
            assert_eq!(
                TimeZone::parse(bad).map_err(|invalid| invalid.code),
                Err("invalid_time_zone"),
                "{bad}"
            );
        }
    }
}

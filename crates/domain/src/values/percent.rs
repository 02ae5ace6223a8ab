//! Percentages.

use serde::Serialize;

use crate::Invalid;

/// A percentage, such as the charge of a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Percent(i64);

impl Percent {
    /// Accepts a whole number from 0 to 100.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        if (0..=100).contains(&number) {
            return Ok(Self(number));
        }
        Err(Invalid::new("out_of_range", "must be a whole number from 0 to 100"))
    }

    pub const fn get(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_bounded() {
        assert_eq!(Percent::new(100).map(Percent::get), Ok(100));
        assert!(Percent::new(-1).is_err() && Percent::new(101).is_err());
    }
}

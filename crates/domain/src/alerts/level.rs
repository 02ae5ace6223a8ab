//! Thresholds and values of alerts as whole numbers, so that both database engines and the dry run decide alike.

use std::cmp::Ordering;
use std::fmt;

/// A threshold or a value in millionths of the metric's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AlertLevel(i64);

impl AlertLevel {
    const MILLION: i64 = 1_000_000;
    /// Far above every threshold, and so small that calculations cannot overflow.
    const LARGEST: f64 = 1e9;

    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// Returns the level of a whole number. One that is too large for any metric becomes the largest level.
    pub const fn whole(value: i64) -> Self {
        Self(value.saturating_mul(Self::MILLION))
    }

    /// Rounds to six decimals; none if it is not finite or larger than a thousand million.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !(-Self::LARGEST..=Self::LARGEST).contains(&value) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 1e15, which an i64 holds")]
        Some(Self((value * 1e6).round() as i64))
    }

    #[expect(clippy::cast_precision_loss, reason = "thresholds are at most 1e12 millionths, far below 2^53")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub const fn is_whole(self) -> bool {
        self.0 % Self::MILLION == 0
    }
}

impl fmt::Display for AlertLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_f64().fmt(f)
    }
}

/// A measured value, in whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    pub numerator: i64,
    /// Positive.
    pub denominator: i64,
    /// Per what the quotient counts: 3,600,000 for rates per hour of a denominator in milliseconds, else 1.
    pub scale: i64,
}

impl Measurement {
    pub const fn count(value: i64) -> Self {
        Self { numerator: value, denominator: 1, scale: 1 }
    }

    /// Compares the exact value with a level.
    pub fn compare(&self, level: AlertLevel) -> Ordering {
        self.compare_quotient(i128::from(level.0), 1)
    }

    /// Compares the exact value with some millionths divided by a positive number. The numbers of a threshold and of a count are so small
    /// that nothing overflows.
    pub(super) fn compare_quotient(&self, millionths: i128, divisor: i128) -> Ordering {
        let value = i128::from(self.numerator) * i128::from(self.scale) * i128::from(AlertLevel::MILLION);
        (value * divisor).cmp(&(millionths * i128::from(self.denominator)))
    }

    #[expect(clippy::cast_precision_loss, reason = "counts and milliseconds of years are far below 2^53")]
    pub fn as_f64(&self) -> f64 {
        self.numerator as f64 * self.scale as f64 / self.denominator as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_six_decimals() {
        for (given, millionths) in [
            (0.0, 0),
            (0.1, 100_000),
            (0.95, 950_000),
            (3.0, 3_000_000),
            (0.000_000_4, 0),
            (0.000_000_6, 1),
            (-1.5, -1_500_000),
            (1e9, 1_000_000_000_000_000),
        ] {
            let level = AlertLevel::from_f64(given).unwrap();
            assert_eq!(level.millionths(), millionths, "{given}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 1_000_000_001.0] {
            assert_eq!(AlertLevel::from_f64(bad), None, "{bad}");
        }
    }

    #[test]
    fn levels_show_what_was_given() {
        for (given, shown) in [(0.01, "0.01"), (12.0, "12"), (0.7, "0.7"), (10_000.0, "10000")] {
            let level = AlertLevel::from_f64(given).unwrap();
            assert_eq!((level.as_f64(), level.to_string()), (given, shown.to_owned()));
        }
        assert!(AlertLevel::whole(7).is_whole() && !AlertLevel::from_millionths(7_000_001).is_whole());
        assert_eq!(AlertLevel::whole(i64::MAX), AlertLevel::from_millionths(i64::MAX));
    }

    #[test]
    fn values_are_compared_exactly() {
        let level = |value| AlertLevel::from_f64(value).unwrap();
        let third = Measurement { numerator: 1, denominator: 3, scale: 1 };
        assert_eq!(third.compare(level(0.333_333)), Ordering::Greater);
        assert_eq!(third.compare(level(0.333_334)), Ordering::Less);
        assert_eq!(Measurement::count(10).compare(level(10.0)), Ordering::Equal);
        // Seven in two hours.
        let rate = Measurement { numerator: 7, denominator: 7_200_000, scale: 3_600_000 };
        assert_eq!((rate.compare(level(3.5)), rate.as_f64()), (Ordering::Equal, 3.5));
        let largest = Measurement { numerator: i64::MAX, denominator: i64::MAX, scale: 3_600_000 };
        assert_eq!(largest.compare(AlertLevel::from_millionths(i64::MAX)), Ordering::Less);
    }
}

//! Value scales with ticks at round numbers.

use crate::svg::number::NumberFormat;

/// The range of the value axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ValueScale {
    /// From zero to a round number above the largest value; below zero only if there are negative values.
    #[default]
    FromZero,
    /// From 0 to 100, for rates in percent.
    Percent,
}

/// A scale with ticks at round numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    /// Tick labels are multiplied by ten to this power where two decimals could not distinguish them.
    exponent: i32,
}

impl Scale {
    /// Fits a scale to values, with about `ticks` steps; the steps are whole numbers if all values are.
    pub(crate) fn fit(values: impl Iterator<Item = f64>, ticks: f64) -> Self {
        let (mut low, mut high, mut whole) = (0.0f64, 0.0f64, true);
        for value in values {
            low = low.min(value);
            high = high.max(value);
            whole &= value.fract() == 0.0;
        }
        if high <= low {
            high = low + 1.0;
        }
        let mut step = nice_above((high - low) / ticks.max(1.0));
        if whole {
            step = step.max(1.0);
        }
        let low = (low / step).floor() * step;
        let high = ((high / step) - 1e-9).ceil().max(low / step + 1.0) * step;
        let thousandths = if step < 0.01 { (-step.log10()).ceil() as i32 } else { 0 };
        Self { low, high, step, exponent: thousandths }
    }

    pub(crate) fn percent(ticks: f64) -> Self {
        let step = match ticks {
            t if t >= 5.0 => 20.0,
            t if t >= 4.0 => 25.0,
            _ => 50.0,
        };
        Self { low: 0.0, high: 100.0, step, exponent: 0 }
    }

    pub(crate) fn for_values(scale: ValueScale, values: impl Iterator<Item = f64>, ticks: f64) -> Self {
        match scale {
            ValueScale::FromZero => Self::fit(values, ticks),
            ValueScale::Percent => {
                // A rate outside its range is an error in the data, and is shown rather than cut off.
                let beyond: Vec<f64> = values.filter(|value| !(0.0..=100.0).contains(value)).collect();
                if beyond.is_empty() {
                    Self::percent(ticks)
                } else {
                    Self::fit(beyond.into_iter().chain([100.0]), ticks)
                }
            }
        }
    }

    /// Returns the position of a value between the ends, 0 to 1.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub(crate) fn ticks(&self, numbers: NumberFormat) -> Vec<(f64, String)> {
        let count = ((self.high - self.low) / self.step).round().clamp(1.0, 100.0) as i32;
        let factor = 10f64.powi(self.exponent);
        (0..=count)
            .map(|index| {
                let value = self.low + f64::from(index) * self.step;
                let value = if value.abs() < self.step * 1e-6 { 0.0 } else { value };
                (value, numbers.number(value * factor))
            })
            .collect()
    }

    /// Adds the power of ten to the unit, if tick labels are scaled by one.
    pub(crate) fn unit(&self, unit: &str) -> String {
        if self.exponent == 0 {
            return unit.to_owned();
        }
        let exponent: String = self.exponent.to_string().chars().map(superscript).collect();
        format!("{unit} (×10⁻{exponent})")
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten.
pub(crate) fn nice_above(rough: f64) -> f64 {
    if !rough.is_finite() || rough <= 1e-12 {
        return 1e-12;
    }
    let power = 10f64.powf(rough.log10().floor());
    let lead = rough / power;
    let rounded = match lead {
        l if l <= 1.0 + 1e-9 => 1.0,
        l if l <= 2.0 + 1e-9 => 2.0,
        l if l <= 5.0 + 1e-9 => 5.0,
        _ => 10.0,
    };
    rounded * power
}

/// Rounds down to 1, 2 or 5 times a power of ten.
pub(crate) fn nice_below(max: f64) -> f64 {
    if !max.is_finite() || max <= 1e-12 {
        return 1e-12;
    }
    let power = 10f64.powf(max.log10().floor());
    let lead = max / power;
    let rounded = match lead {
        l if l >= 5.0 => 5.0,
        l if l >= 2.0 => 2.0,
        _ => 1.0,
    };
    rounded * power
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(values: &[f64], ticks: f64) -> Vec<String> {
        let scale = Scale::fit(values.iter().copied(), ticks);
        scale.ticks(NumberFormat::default()).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_from_zero() {
        assert_eq!(labels(&[3.0, 7.4, 9.1], 5.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(&[0.3, 0.42], 5.0), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(labels(&[-3.0, 6.5], 4.0), ["−5", "0", "5", "10"]);
    }

    #[test]
    fn counts_have_no_half_ticks() {
        assert_eq!(labels(&[1.0, 2.0], 8.0), ["0", "1", "2"]);
        assert_eq!(labels(&[0.0], 8.0), ["0", "1"]);
        assert_eq!(labels(&[], 8.0), ["0", "1"]);
    }

    #[test]
    fn tiny_values_are_labelled_in_a_power_of_ten() {
        let scale = Scale::fit([0.0042].into_iter(), 5.0);
        assert_eq!(scale.unit("per hour"), "per hour (×10⁻³)");
        assert_eq!(scale.ticks(NumberFormat::default()).last().unwrap().1, "5");
    }

    proptest! {
        #[test]
        fn every_value_lies_between_the_ends(values in prop::collection::vec(-1e12..1e12f64, 0..20), ticks in 1.0..12.0f64) {
            let scale = Scale::fit(values.iter().copied(), ticks);
            let shown = scale.ticks(NumberFormat::default());
            prop_assert!(shown.len() <= 16, "{}", shown.len());
            for value in values {
                prop_assert!(value >= scale.low - 1e-3 && value <= scale.high * (1.0 + 1e-9) + 1e-3);
            }
            for pair in shown.windows(2) {
                prop_assert_ne!(&pair[0].1, &pair[1].1);
            }
        }
    }
}

//! Classes of values for shades, chosen so that a single outlier does not dominate.

use crate::layout::legend::{LegendEntry, Mark};
use crate::svg::colour::{Paint, STEPS};
use crate::svg::number::NumberFormat;
use crate::svg::style::Fill;

/// The upper bounds of the classes, chosen so that each contains about as many values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Classes {
    ends: Vec<f64>,
    /// The smallest and largest value of each class.
    ranges: Vec<(f64, f64)>,
    suffix: &'static str,
}

impl Classes {
    /// Splits positive values into at most five classes.
    pub(crate) fn quantiles(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.filter(|value| *value > 0.0).collect();
        values.sort_by(f64::total_cmp);
        let mut ends: Vec<f64> = Vec::new();
        for step in 1..=STEPS {
            let place = (values.len() * step).div_ceil(STEPS).saturating_sub(1);
            if let Some(&end) = values.get(place)
                && ends.last().is_none_or(|last| *last < end)
            {
                ends.push(end);
            }
        }
        let spans = (0..ends.len())
            .map(|step| {
                let above = if step == 0 { 0.0 } else { ends[step - 1] };
                let first = values.iter().copied().find(|value| *value > above).unwrap_or(above);
                (first, ends[step])
            })
            .collect();
        Self { ends, ranges: spans, suffix: "" }
    }

    /// Returns five classes of twenty percent each.
    pub(crate) fn percent() -> Self {
        let ends: Vec<f64> = (1..=STEPS).map(|step| 100.0 * step as f64 / STEPS as f64).collect();
        let spans = ends.iter().map(|end| (end - 100.0 / STEPS as f64, *end)).collect();
        Self { ends, ranges: spans, suffix: "\u{2009}%" }
    }

    /// Returns the shade of a value: the higher, the darker; zero has the lightest.
    pub(crate) fn paint(&self, value: f64) -> Paint {
        if value <= 0.0 {
            return Paint::Step(if self.suffix.is_empty() { 0 } else { 1 });
        }
        let place =
            self.ends.iter().position(|end| value <= *end).unwrap_or(self.ends.len().saturating_sub(1));
        Paint::Step(self.shade(place))
    }

    /// Spreads the classes over the available shades if there are fewer classes than shades.
    fn shade(&self, place: usize) -> u8 {
        match self.ends.len() {
            0 | 1 => 3,
            count => (1 + place * (STEPS - 1) / (count - 1)) as u8,
        }
    }

    pub(crate) fn entries(&self, zero: bool, numbers: NumberFormat) -> Vec<LegendEntry> {
        let mut entries = Vec::new();
        if zero {
            entries.push(LegendEntry::new(Mark::Swatch(Fill::Solid(Paint::Step(0))), "0"));
        }
        for (place, (low, high)) in self.ranges.iter().enumerate() {
            let (low, high) = (numbers.number(*low), numbers.number(*high));
            let label = if low == high {
                format!("{high}{}", self.suffix)
            } else {
                format!("{low}–{high}{}", self.suffix)
            };
            entries.push(LegendEntry::new(Mark::Swatch(Fill::Solid(Paint::Step(self.shade(place)))), label));
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_outlier_does_not_make_all_others_pale() {
        let classes = Classes::quantiles([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 5000.0].into_iter());
        assert_eq!(classes.paint(8.0), Paint::Step(4));
        assert_eq!(classes.paint(5000.0), Paint::Step(5));
        assert_eq!(classes.paint(1.0), Paint::Step(1));
        assert_eq!(classes.paint(0.0), Paint::Step(0));
    }

    #[test]
    fn few_different_values_make_few_steps() {
        let labels: Vec<String> = Classes::quantiles([1.0, 1.0, 4.0].into_iter())
            .entries(true, NumberFormat::default())
            .into_iter()
            .map(|entry| entry.label)
            .collect();
        assert_eq!(labels, ["0", "1", "4"]);
        let nothing = Classes::quantiles(std::iter::empty());
        assert!(nothing.entries(false, NumberFormat::default()).is_empty());
    }
}

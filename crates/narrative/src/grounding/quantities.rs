//! The numbers that a fact consists of, each with its unit and what it stands for.

use super::numerals::Numeral;
use crate::sheet::CountedThing;
use crate::{Fact, FactUnit};

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Value,
    Numerator,
    Denominator,
    /// What the value is compared with.
    Comparison,
    /// The difference between the two, in percent or in the unit of the value.
    Change,
    /// The value divided by the compared one.
    Ratio,
    Low,
    High,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Quantity {
    pub part: Part,
    pub value: f64,
    pub unit: FactUnit,
    /// What it counts, if it is a count.
    pub counted: Option<CountedThing>,
    /// Half of the unit of the last digit with which the fact is written.
    precision: f64,
}

impl Quantity {
    /// Returns whether a written number is this quantity, rounded no more than the fact is, or hardly.
    pub fn equals(&self, written: &Numeral) -> bool {
        // Hours that are written for a time in seconds.
        let scale = match (self.unit, written.unit) {
            (FactUnit::Seconds, Some(FactUnit::Hours)) => 3_600.0,
            _ => 1.0,
        };
        let difference = (written.value * scale - self.value).abs();
        let tolerance = self.value.abs() * 1e-9 + 1e-9;
        let is_rounded = difference <= written.step * scale / 2.0 + tolerance;
        is_rounded && (difference <= self.value.abs() * 0.05 || difference <= self.precision + tolerance)
    }
}

/// Returns all quantities of a fact.
pub(super) fn quantities(fact: &Fact) -> Vec<Quantity> {
    let counted = |unit| (unit == FactUnit::Count).then(|| fact.kind.counted());
    let digits = |digits: u8| 0.5 / 10_f64.powi(i32::from(digits));
    let of = |part, value, unit, precision| Quantity { part, value, unit, counted: counted(unit), precision };
    let own = |part, value| of(part, value, fact.unit, digits(fact.digits));
    let mut all = vec![own(Part::Value, fact.value)];
    all.extend(fact.numerator.map(|count| of(Part::Numerator, count, FactUnit::Count, 0.5)));
    all.extend(
        fact.denominator.map(|number| of(Part::Denominator, number, fact.kind.denominator_unit(), 0.5)),
    );
    if let Some((low, high)) = fact.interval {
        all.extend([own(Part::Low, low), own(Part::High, high)]);
    }
    if let Some(compared) = fact.comparison {
        all.push(own(Part::Comparison, compared.value));
        all.push(own(Part::Change, (fact.value - compared.value).abs()));
        let change =
            compared.change_percent.map(|change| of(Part::Change, change.abs(), FactUnit::Percent, 0.5));
        all.extend(change);
        if compared.value > 0.0 {
            all.push(of(Part::Ratio, fact.value / compared.value, FactUnit::Times, digits(1)));
        }
    }
    all
}

//! Figures for groups without facts, such as a bucket of a trend or a cell of a pivot.

use domain::insights::{Figure, Measure};

/// Returns the figures of an empty group: counts are zero, and so is runtime where the filter allows runtime at all.
pub(crate) fn empty_figures(measures: &[Measure], grand_total: &[Figure], has_runtime: bool) -> Vec<Figure> {
    let of = |(place, measure): (usize, &Measure)| {
        let known = |number: Option<i64>| number.filter(|_| has_runtime).map(|_| 0);
        let whole = grand_total.get(place).copied().unwrap_or_default();
        match measure {
            Measure::RuntimeHours => Figure { numerator: known(whole.numerator), ..Figure::default() },
            Measure::IncursionsPerRuntimeHour => {
                Figure { numerator: Some(0), denominator: known(whole.denominator), incursions: 0 }
            }
            Measure::MedianDuration | Measure::P95Duration | Measure::LongestDuration => {
                Figure { numerator: None, denominator: Some(0), incursions: 0 }
            }
            _ => Figure { numerator: Some(0), denominator: whole.denominator.map(|_| 0), incursions: 0 },
        }
    };
    measures.iter().enumerate().map(of).collect()
}

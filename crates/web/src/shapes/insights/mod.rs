//! Metrics, trends and breakdowns of incursions, which both API versions have with the same parameters.

pub(crate) mod breakdown;
pub(crate) mod totals;
pub(crate) mod trends;

use domain::Invalid;
use domain::insights::Dimension;

fn parse_split_dimension(text: &str) -> Result<Dimension, Invalid> {
    let found = Dimension::SPLITTABLE.into_iter().find(|dimension| dimension.as_str() == text);
    found.ok_or_else(|| {
        let words = Dimension::SPLITTABLE.map(Dimension::as_str).join(", ");
        Invalid::new("invalid_dimension", format!("must be one of {words}"))
    })
}

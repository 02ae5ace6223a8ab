//! The order of the tables of sites and machines.

use domain::Invalid;
use domain::insights::{GroupOrder, Measure};

/// The measures of the tables, in the order of their columns.
pub const MEASURES: [Measure; 5] = [
    Measure::IncursionsPerRuntimeHour,
    Measure::Incursions,
    Measure::AcknowledgementRate,
    Measure::AverageDuration,
    Measure::RuntimeHours,
];

/// By one of [`MEASURES`]; the highest rate comes first unless the reader asks for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOrder {
    place: usize,
    is_descending: bool,
}

impl Default for TableOrder {
    fn default() -> Self {
        Self { place: 0, is_descending: true }
    }
}

impl TableOrder {
    /// Parses the name of a measure, with a leading minus for the descending order.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (name, is_descending) = match text.strip_prefix('-') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let place = MEASURES.iter().position(|measure| measure.as_str() == name);
        place.map(|place| Self { place, is_descending }).ok_or_else(|| {
            let words = MEASURES.map(Measure::as_str).join(", ");
            let text = format!("must be one of {words}, with a leading minus for the descending order");
            Invalid::new("invalid_sort", text)
        })
    }

    /// Returns the text that [`TableOrder::parse`] reads.
    pub fn word(self) -> String {
        let name = MEASURES[self.place].as_str();
        if self.is_descending { format!("-{name}") } else { name.to_owned() }
    }

    pub const fn groups(self) -> GroupOrder {
        match self.is_descending {
            true => GroupOrder::Descending(self.place),
            false => GroupOrder::Ascending(self.place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for measure in MEASURES {
            for word in [measure.as_str().to_owned(), format!("-{}", measure.as_str())] {
                assert_eq!(TableOrder::parse(&word).map(TableOrder::word), Ok(word));
            }
        }
        assert_eq!(TableOrder::default().word(), "-incursions_per_runtime_hour");
        for word in ["", "-", "machines", "--incursions"] {
            assert_eq!(TableOrder::parse(word).map_err(|invalid| invalid.code), Err("invalid_sort"));
        }
    }
}

//! The parameters of the list, which the pages of its incursions keep, so that each knows the next.

use app::Error;
use domain::IncursionOrder;
use domain::insights::IncursionFilter;
use web::{FromParams, ListParams, Query, Result};

use crate::address::Address;
use crate::frame::Frame;
use crate::parts::read_csv_format;
use crate::pickers::Pickers;

/// What the parameters of the fields begin with in which people, tags and base stations are looked for. Only the list has them.
pub const SEARCH_PREFIX: &str = "find_";

pub struct IncursionQuery {
    pub pickers: Pickers,
    /// The pickers and all other filters.
    pub filter: IncursionFilter,
    pub order: IncursionOrder,
    pub list: ListParams,
    /// Whether the rows are taken along as CSV.
    pub csv: bool,
}

impl FromParams for IncursionQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let pickers = Pickers::read(query)?;
        let filter = pickers.with(IncursionFilter::read(query)?);
        let order = query.one("sort", IncursionOrder::parse)?.unwrap_or(IncursionOrder::NEWEST_FIRST);
        let csv = read_csv_format(query)?;
        Ok(Self { pickers, filter, order, list: ListParams::read(query)?, csv })
    }
}

impl IncursionQuery {
    /// Returns the same with a preset as the days that it means now.
    pub fn resolved(mut self, frame: &Frame) -> Self {
        self.pickers = self.pickers.resolved(frame);
        self.filter = self.pickers.with(self.filter);
        self
    }
}

/// Whether a parameter says which part of the list is shown and how, not what it contains.
fn is_of_page(name: &str) -> bool {
    matches!(name, "cursor" | "limit" | "include_total" | "format") || name.starts_with(SEARCH_PREFIX)
}

/// Returns the filters and the order of this address.
pub fn kept_pairs(frame: &Frame) -> impl Iterator<Item = (&str, &str)> {
    let pairs = frame.address.pairs().iter().map(|(name, value)| (name.as_str(), value.as_str()));
    pairs.filter(|(name, _)| !is_of_page(name))
}

/// Returns the address of another page with the filters and the order of this one.
pub fn with_query(frame: &Frame, path: &str) -> String {
    kept_pairs(frame).fold(Address::new(path), |address, (name, value)| address.and(name, value)).to_string()
}

#[cfg(test)]
mod tests {
    use texts::Language;

    use super::*;

    #[test]
    fn the_filters_are_kept_and_the_page_is_not() {
        let address =
            "/incursions?zone=danger&machine_id=3&machine_id=4&cursor=a&sort=-duration_ms&limit=5&find_tag=T";
        let frame = crate::frame::sample(Language::English, address);
        assert_eq!(
            with_query(&frame, "/incursions/7"),
            "/incursions/7?zone=danger&machine_id=3&machine_id=4&sort=-duration_ms"
        );
    }
}

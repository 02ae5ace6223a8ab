//! Where a saved view opens.

use app::{Error, ViewQuery};
use domain::SavedView;

use super::query::{filter_pairs, table_pairs};
use crate::frame::Frame;

/// Returns the path of a view.
pub fn path(view: &SavedView) -> String {
    format!("/explore/views/{}", view.id)
}

/// Returns the address of the table of a view, or of the incursions that it selects. What the view leaves open is as it was picked.
pub fn address(frame: &Frame, view: &SavedView) -> Result<String, Error> {
    let (page, pairs) = match web::parse_stored_view(view)? {
        ViewQuery::Pivot(filter, request) => {
            let table = table_pairs(&request).into_iter().map(|(name, value)| (name.to_owned(), value));
            let mut pairs: Vec<(String, String)> = table.chain(filter_pairs(&filter)).collect();
            pairs.push(("view".to_owned(), view.id.to_string()));
            ("/explore", pairs)
        }
        ViewQuery::Filter(filter) => ("/incursions", filter_pairs(&filter)),
    };
    let pairs: Vec<(&str, &str)> =
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Ok(frame.link_with(page, &pairs))
}

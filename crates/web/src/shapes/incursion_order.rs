//! Lists of incursions in an order that no index has.

use domain::IncursionOrder;

/// Whether the query of a list of incursions names an order that no index has, for which all matching rows are read. Such a call counts as
/// analytics.
pub fn reads_all_incursions(query: Option<&str>) -> bool {
    let parameters = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let orders = parameters.filter(|(name, _)| name == "sort");
    orders
        .filter_map(|(_, text)| IncursionOrder::parse_list(&text).ok())
        .any(|order| order.of_start().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_by_start_has_an_index() {
        for query in
            ["sort=duration_ms", "limit=1&sort=-ack_ms", "sort=started_at,ack_ms", "%73ort=duration%5Fms"]
        {
            assert!(reads_all_incursions(Some(query)), "{query}");
        }
        for query in ["", "sort=started_at", "sort=-started_at", "sort=zone", "q=sort%3Dduration_ms"] {
            assert!(!reads_all_incursions(Some(query)), "{query}");
        }
        assert!(!reads_all_incursions(None));
    }
}

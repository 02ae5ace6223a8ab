//! The filters and the pivot of a schedule, as a body has them, so that they can be sent back.

use app::insights::{PivotRequest, Subtotals};
use domain::insights::{GroupOrder, IncursionFilter};
use domain::{Review, Span};
use serde_json::{Map, Value, json};

/// Returns the filters that are set, without the period.
pub fn shown_filters(filter: &IncursionFilter) -> Value {
    let mut shown = Map::new();
    let mut show = |name: &str, values: Vec<Value>| {
        if !values.is_empty() {
            shown.insert(name.to_owned(), values.into());
        }
    };
    show("project_id", filter.projects.iter().map(|id| id.0.into()).collect());
    show("worksite_id", filter.worksites.iter().map(|id| id.0.into()).collect());
    show("worksite_kind", filter.worksite_kinds.iter().map(|kind| kind.as_str().into()).collect());
    show("machine_id", filter.machines.iter().map(|id| id.0.into()).collect());
    show("machine_kind", filter.machine_kinds.iter().map(|kind| kind.as_str().into()).collect());
    show("base_station_id", filter.base_stations.iter().map(|id| id.0.into()).collect());
    show("person_id", filter.people.iter().map(|id| id.0.into()).collect());
    show("pedestrian_id", filter.pedestrians.iter().map(|id| id.0.into()).collect());
    show("operator_id", filter.operators.iter().map(|id| id.0.into()).collect());
    show("tag_id", filter.tags.iter().map(|id| id.0.into()).collect());
    show("zone", filter.zones.iter().map(|zone| zone.as_str().into()).collect());
    if filter.reviews != Review::COUNTED {
        show("review", filter.reviews.iter().map(|review| review.as_str().into()).collect());
    }
    if let Some(acknowledged) = filter.acknowledged {
        shown.insert("acknowledged".to_owned(), acknowledged.into());
    }
    let durations = [("min_duration_s", filter.min_duration), ("max_duration_s", filter.max_duration)];
    for (name, duration) in durations {
        if let Some(seconds) = duration.map(Span::whole_seconds) {
            shown.insert(name.to_owned(), seconds.into());
        }
    }
    Value::Object(shown)
}

/// Returns a pivot with its filters, without the period.
pub fn shown_pivot(filter: &IncursionFilter, pivot: &PivotRequest) -> Value {
    let measure = |place: usize| pivot.measures.get(place).map(|measure| measure.as_str());
    let sort = match pivot.order {
        GroupOrder::ByKeys => None,
        GroupOrder::Ascending(place) => measure(place).map(str::to_owned),
        GroupOrder::Descending(place) => measure(place).map(|measure| format!("-{measure}")),
    };
    json!({
        "rows": pivot.rows.iter().map(|dimension| dimension.as_str()).collect::<Vec<_>>(),
        "columns": pivot.columns.iter().map(|dimension| dimension.as_str()).collect::<Vec<_>>(),
        "measures": pivot.measures.iter().map(|measure| measure.as_str()).collect::<Vec<_>>(),
        "filters": shown_filters(filter),
        "sort": sort,
        "limit": pivot.limit,
        "totals": pivot.subtotals == Subtotals::Shown,
    })
}

#[cfg(test)]
mod tests {
    use web::{FromFields, PivotFields, read_fields, read_filters};

    use super::*;

    #[test]
    fn what_is_shown_can_be_sent_back() {
        let filters = json!({
            "project_id": [1], "worksite_id": [2, 3], "worksite_kind": ["rail_maintenance"], "machine_id": [4],
            "machine_kind": ["excavator"], "base_station_id": [5], "person_id": [6], "pedestrian_id": [7],
            "operator_id": [8], "tag_id": [9], "zone": ["danger"], "review": ["confirmed"], "acknowledged": false,
            "min_duration_s": 0, "max_duration_s": 60,
        });
        for sent in [json!({}), filters.clone()] {
            let Value::Object(object) = sent.clone() else { panic!("an object") };
            assert_eq!(shown_filters(&read_fields(object, read_filters).unwrap()), sent);
        }
        for (sort, totals) in [(json!("-incursions"), true), (json!("machines"), false), (json!(null), true)]
        {
            let sent = json!({
                "rows": ["worksite", "machine"], "columns": ["zone"], "measures": ["incursions", "machines"],
                "filters": filters, "sort": sort, "limit": 100, "totals": totals,
            });
            let Value::Object(object) = sent.clone() else { panic!("an object") };
            let PivotFields(filter, pivot) = read_fields(object, PivotFields::read).unwrap();
            assert_eq!(shown_pivot(&filter, &pivot), sent);
        }
    }
}

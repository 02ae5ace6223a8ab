//! POST /api/v2/advanced_insights/pivot

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

use super::busy_yard;
use crate::v1::insights::Yard;

on_both_engines!(
    rows_are_nested_with_subtotals_and_totals,
    columns_stand_beside_one_another,
    cells_can_be_objects,
    steps_that_are_not_complete_say_so,
    what_is_left_off_is_counted,
    totals_can_be_left_out,
    both_versions_agree_on_every_number,
    every_dimension_can_be_a_row,
    filters_are_those_of_queries,
    a_wrong_body_is_refused_by_its_fields,
    a_restricted_user_gets_only_theirs,
);

const PATH: &str = "/api/v2/advanced_insights/pivot";

async fn post(yard: &Yard, user: &Account, body: &Value) -> Reply {
    yard.app.post(PATH).bearer(&user.jwt).json(body).send().await
}

async fn pivot(yard: &Yard, body: Value) -> Value {
    post(yard, &yard.admin, &body).await.expect(200).json()
}

/// Returns the keys and total values of each row.
fn rows(pivot: &Value) -> Vec<Value> {
    let labels = |row: &Value| -> Vec<Value> {
        row["keys"].as_array().unwrap().iter().map(|key| key["label"].clone()).collect()
    };
    let values = |row: &Value| -> Vec<Value> {
        row["total"].as_array().unwrap().iter().map(|cell| cell[0].clone()).collect()
    };
    pivot["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["level"], labels(row), values(row)]))
        .collect()
}

async fn rows_are_nested_with_subtotals_and_totals(app: TestApp) {
    let yard = busy_yard(app).await;
    let answer = pivot(
        &yard,
        json!({ "rows": ["worksite", "zone"], "measures": ["incursions", "average_duration", "pedestrians"], "sort": "-incursions" }),
    )
    .await;
    assert_eq!(
        rows(&answer),
        [
            json!([1, ["Site 1"], [3, 20, 1]]),
            json!([2, ["Site 1", "Warning"], [2, 15, 1]]),
            json!([2, ["Site 1", "Danger"], [1, 30, 1]]),
            json!([1, ["Site 2"], [1, 30, 1]]),
            json!([2, ["Site 2", "Danger"], [1, 30, 1]]),
        ]
    );
    // The number of distinct people is not the sum over the rows.
    assert_eq!(answer["totals"]["total"], json!([[4, 4, null], [22.5, 90, 4], [1, 1, null]]));
    assert_eq!(answer["column_keys"], json!([[]]));
    let labels = json!({ "worksite": "Worksite", "zone": "Zone" });
    assert_eq!(
        answer["dimensions"],
        json!({ "rows": ["worksite", "zone"], "columns": [], "labels": labels })
    );
    assert_eq!(answer["measures"][1], json!({ "name": "average_duration", "unit": "seconds" }));
    assert_eq!((&answer["more"], &answer["time_zones"]), (&json!(0), &json!(["UTC"])));
}

async fn columns_stand_beside_one_another(app: TestApp) {
    let yard = busy_yard(app).await;
    let measures = json!(["incursions", "acknowledgement_rate"]);
    let answer = pivot(&yard, json!({ "rows": ["machine"], "columns": ["day"], "measures": measures })).await;
    let columns: Vec<&Value> =
        answer["column_keys"].as_array().unwrap().iter().map(|column| &column[0]["id"]).collect();
    assert_eq!(columns, ["2026-02-24", "2026-02-25"]);
    assert_eq!(answer["rows"][0]["cells"], json!([[[2, 2, null], [0.5, 1, 2]], [[1, 1, null], [0, 0, 1]]]));
    // Nothing happened there on that day, so there is no rate.
    assert_eq!(answer["rows"][1]["cells"][1], json!([[0, 0, null], [null, 0, 0, "no_incursions"]]));
    assert_eq!(answer["totals"]["cells"][0][0], json!([3, 3, null]));
    // Without row dimensions there are only totals.
    let answer = pivot(&yard, json!({ "columns": ["zone"], "measures": ["incursions"] })).await;
    assert_eq!(answer["rows"], json!([]));
    assert_eq!(answer["totals"]["cells"], json!([[[2, 2, null]], [[2, 2, null]]]));
}

async fn cells_can_be_objects(app: TestApp) {
    let yard = busy_yard(app).await;
    let measures = json!(["incursions", "acknowledgement_rate"]);
    let body = json!({ "rows": ["machine"], "columns": ["day"], "measures": measures });
    let send = |query: &str| {
        let call = yard.app.post(&format!("{PATH}{query}")).bearer(&yard.admin.jwt);
        call.json(&body).send()
    };
    let compact = send("").await.expect(200).json();
    assert_eq!(send("?cells=compact").await.expect(200).json(), compact);
    let objects = send("?cells=objects").await.expect(200).json();
    assert_eq!(
        objects["rows"][1]["cells"][1][1],
        json!({
            "measure": "acknowledgement_rate", "value": null, "numerator": 0, "denominator": 0,
            "reason": "no_incursions",
        })
    );
    assert_eq!(
        objects["rows"][0]["total"][0],
        json!({ "measure": "incursions", "value": 3, "numerator": 3, "denominator": null, "reason": null })
    );
    // Both forms have the same numbers, and all else is the same.
    fn compacted(value: &Value) -> Value {
        match value {
            Value::Object(members) if members.contains_key("measure") => {
                let mut cell = vec![&members["value"], &members["numerator"], &members["denominator"]];
                cell.extend(Some(&members["reason"]).filter(|reason| !reason.is_null()));
                json!(cell)
            }
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), compacted(value))).collect()
            }
            Value::Array(items) => items.iter().map(compacted).collect(),
            other => other.clone(),
        }
    }
    assert_eq!(compacted(&objects), compact);
    for query in ["?cells=rows", "?cells=", "?cells=objects&cells=objects"] {
        let refused = send(query).await.expect(400).json();
        assert_eq!(refused["errors"][0]["source"], json!({ "parameter": "cells" }), "{query}");
    }
}

async fn steps_that_are_not_complete_say_so(app: TestApp) {
    let yard = busy_yard(app).await;
    let key = async |dimension: &str, filters: Value| {
        let body = json!({ "rows": [dimension], "measures": ["incursions"], "filters": filters });
        let answer = pivot(&yard, body).await;
        answer["rows"].as_array().unwrap().last().unwrap()["keys"][0].clone()
    };
    let cut = json!({ "from": "2026-02-24", "to": "2026-02-25T10:30:00Z" });
    let whole = json!({ "from": "2026-02-24", "to": "2026-02-26" });
    assert_eq!(
        key("day", cut.clone()).await,
        json!({ "id": "2026-02-25", "label": "2026-02-25", "partial": true })
    );
    assert_eq!(key("day", whole.clone()).await, json!({ "id": "2026-02-25", "label": "2026-02-25" }));
    assert_eq!(key("hour", cut.clone()).await["partial"], true);
    assert_eq!(key("hour", whole.clone()).await["partial"], json!(null));
    assert_eq!(key("week", whole.clone()).await["partial"], true);
    assert_eq!(key("month", whole.clone()).await["partial"], true);
    let month = json!({ "from": "2026-02-01", "to": "2026-03-01" });
    assert_eq!(key("month", month).await["partial"], json!(null));
    // What is no step of time is never cut.
    assert_eq!(key("hour_of_day", cut.clone()).await["partial"], json!(null));
    assert_eq!(key("machine", cut).await["partial"], json!(null));
}

async fn what_is_left_off_is_counted(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = json!({ "rows": ["worksite", "zone"], "measures": ["incursions"], "sort": "-incursions", "limit": 1 });
    let answer = pivot(&yard, body).await;
    assert_eq!(rows(&answer), [json!([1, ["Site 1"], [3]]), json!([2, ["Site 1", "Warning"], [2]])]);
    assert_eq!((&answer["rows"][0]["more"], &answer["more"]), (&json!(1), &json!(1)));
    assert_eq!(answer["totals"]["total"], json!([[4, 4, null]]));
}

async fn totals_can_be_left_out(app: TestApp) {
    let yard = busy_yard(app).await;
    let body =
        json!({ "rows": ["worksite", "zone"], "measures": ["incursions"], "totals": false, "limit": 1 });
    let answer = pivot(&yard, body).await;
    let keys: Vec<&Value> =
        answer["rows"].as_array().unwrap().iter().map(|row| &row["keys"][1]["label"]).collect();
    assert_eq!(keys, ["Warning"]);
    assert_eq!((&answer["totals"], &answer["rows"][0]["total"]), (&json!(null), &json!(null)));
    assert_eq!(answer["rows"][0]["cells"], json!([[[2, 2, null]]]));
    // One zone of the first worksite, and the second worksite.
    assert_eq!(answer["more"], json!(2));
    // Without row dimensions, the totals are always returned.
    let answer = pivot(&yard, json!({ "measures": ["incursions"], "totals": false })).await;
    assert_eq!(answer["totals"]["total"], json!([[4, 4, null]]));
}

async fn both_versions_agree_on_every_number(app: TestApp) {
    let yard = busy_yard(app).await;
    let measures: Vec<&str> = domain::insights::Measure::ALL.map(domain::insights::Measure::as_str).to_vec();
    for by in ["machine", "worksite", "operator", "zone", "day_of_week", "pedestrian"] {
        let answer = pivot(&yard, json!({ "rows": [by], "measures": measures, "sort": "-incursions" })).await;
        let query: String = measures.iter().map(|measure| format!("&metric={measure}")).collect();
        let path = format!("/api/v1/insights/breakdown?by={by}&sort=-incursions{query}");
        let other = yard.app.get(&path).cookie(&yard.admin.cookie).send().await.expect(200).json();
        assert_eq!(answer["rows"].as_array().unwrap().len(), other["rows"].as_array().unwrap().len(), "{by}");
        for (row, part) in answer["rows"].as_array().unwrap().iter().zip(other["rows"].as_array().unwrap()) {
            assert_eq!(row["keys"][0], part["part"]);
            for (place, measure) in measures.iter().enumerate() {
                let (cell, metric) = (&row["total"][place], &part["metrics"][measure]);
                let reason = cell.get(3).cloned().unwrap_or(Value::Null);
                let found = json!([cell[0], cell[1], cell[2], reason]);
                let wanted =
                    json!([metric["value"], metric["numerator"], metric["denominator"], metric["reason"]]);
                assert_eq!(found, wanted, "{by} {measure}");
            }
        }
    }
}

async fn every_dimension_can_be_a_row(app: TestApp) {
    let yard = busy_yard(app).await;
    for dimension in domain::insights::Dimension::PIVOTABLE {
        let answer = pivot(&yard, json!({ "rows": [dimension.as_str()], "measures": ["incursions"] })).await;
        let sum: f64 = rows(&answer).iter().map(|row| row[2][0].as_f64().unwrap()).sum();
        assert!((sum - 4.0).abs() < 1e-9, "{dimension:?}");
    }
}

async fn filters_are_those_of_queries(app: TestApp) {
    let yard = busy_yard(app).await;
    for (filters, count) in [
        (json!({}), 4),
        (json!(null), 4),
        (json!({ "zone": ["danger"] }), 2),
        (json!({ "machine_id": [1], "acknowledged": false }), 2),
        (json!({ "from": "2026-02-25", "to": "2026-02-26" }), 1),
        (json!({ "min_duration_s": 20, "max_duration_s": 20 }), 1),
        (json!({ "operator_id": [4] }), 1),
        (json!({ "review": ["dismissed"] }), 0),
    ] {
        let answer = pivot(&yard, json!({ "measures": ["incursions"], "filters": filters })).await;
        assert_eq!(answer["totals"]["total"][0][0], json!(count), "{filters}");
    }
}

async fn a_wrong_body_is_refused_by_its_fields(app: TestApp) {
    let yard = busy_yard(app).await;
    for (body, pointer) in [
        (json!({}), "measures"),
        (json!({ "measures": [] }), "measures"),
        (json!({ "measures": ["speed"] }), "measures.0"),
        (json!({ "measures": ["incursions"], "rows": ["colour"] }), "rows.0"),
        (json!({ "measures": ["incursions"], "rows": vec!["day"; 5] }), "rows"),
        (json!({ "measures": ["incursions"], "rows": ["day", "day"] }), "rows"),
        (json!({ "measures": ["incursions"], "rows": ["day"], "columns": ["day"] }), "columns"),
        (json!({ "measures": ["incursions"], "sort": "-exposure" }), "sort"),
        (json!({ "measures": ["incursions"], "limit": 0 }), "limit"),
        (json!({ "measures": ["incursions"], "totals": "no" }), "totals"),
        (json!({ "measures": ["incursions"], "row": ["day"] }), "row"),
        (json!({ "measures": ["incursions"], "filters": { "machine": [1] } }), "filters.machine"),
        (json!({ "measures": ["incursions"], "filters": { "machine_id": 1 } }), "filters.machine_id"),
        (json!({ "measures": ["incursions"], "filters": { "zone": ["near"] } }), "filters.zone.0"),
        (
            json!({ "measures": ["incursions"], "filters": { "machine_id": (0..101).collect::<Vec<i64>>() } }),
            "filters.machine_id",
        ),
    ] {
        let refused = post(&yard, &yard.admin, &body).await.expect(422).json();
        let source = refused["errors"][0]["source"]["pointer"].as_str().unwrap();
        assert_eq!(source.trim_start_matches('/').replace('/', "."), pointer, "{body}");
    }
    // A period in a body is part of the body.
    for (filters, pointer) in [
        (json!({ "from": "2026-03-02", "to": "2026-03-01" }), "/filters/to"),
        (json!({ "from": "2019-01-01" }), "/filters/from"),
        (json!({ "from": "2026-03-03" }), "/filters/from"),
        (json!({ "from": "2019-01-01", "to": "2025-01-01" }), "/filters/from"),
    ] {
        let body = json!({ "measures": ["incursions"], "filters": filters });
        let refused = post(&yard, &yard.admin, &body).await.expect(422).json();
        assert_eq!(refused["errors"][0]["source"]["pointer"], pointer, "{body}");
    }
    // All faults at once.
    let body = json!({ "rows": ["day", "day"], "columns": ["day", "zone"], "measures": [], "limit": 0, "sort": 7,
        "filters": { "from": "2026-03-02", "to": "2026-03-01", "min_duration_s": 9, "max_duration_s": 3, "zone": ["near"] } });
    let refused = post(&yard, &yard.admin, &body).await.expect(422).json();
    let errors = refused["errors"].as_array().unwrap().iter();
    let mut named: Vec<_> = errors.map(|error| error["source"]["pointer"].as_str().unwrap()).collect();
    named.sort_unstable();
    let expected = [
        "/columns",
        "/filters/max_duration_s",
        "/filters/to",
        "/filters/zone/0",
        "/limit",
        "/measures",
        "/rows",
        "/sort",
    ];
    assert_eq!(named, expected);
    // More cells than the limit.
    let body = json!({ "rows": ["hour", "machine", "pedestrian", "zone"], "measures": ["incursions"], "filters": { "from": "2019-01-01" } });
    post(&yard, &yard.admin, &body).await.expect(422);
    yard.app.post(PATH).json(&json!({ "measures": ["incursions"] })).send().await.expect(401);
}

async fn a_restricted_user_gets_only_theirs(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.restricted("viewer@example.com", Role::Viewer, &[2]).await;
    let body = json!({ "rows": ["worksite", "pedestrian"], "measures": ["incursions", "runtime_hours"] });
    let answer = post(&yard, &viewer, &body).await.expect(200).json();
    assert_eq!(rows(&answer)[0], json!([1, ["Site 2"], [1, 0]]));
    assert_eq!(answer["totals"]["total"][0], json!([1, 1, null]));
    assert_eq!(answer["rows"][1]["keys"][1]["label"], "Person 1");
}

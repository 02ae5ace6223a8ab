//! Pivots as reports.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::super::february;
use super::languages::prefer;
use super::reading::{csv, sheet, sheets};
use super::{document, file, month, refill_quota, spread_over_time_zones, time_zones};

on_both_engines!(
    a_pivot_is_a_table_with_subtotals,
    its_first_page_says_what_changed_where_it_is_worst_and_what_to_do,
    the_table_has_the_numbers_of_the_pivot,
    without_subtotals_each_row_names_all_of_its_keys,
    days_are_those_of_the_worksites_of_people_and_tags,
);

fn body() -> Value {
    json!({ "pivot": {
        "rows": ["worksite", "machine"], "columns": ["zone"], "measures": ["incursions", "acknowledgement_rate"],
        "sort": "-incursions", "filters": february(),
    } })
}

async fn a_pivot_is_a_table_with_subtotals(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "pivot", &body()).await;
    report.says(&[
        "Pivot",
        "Rows Worksite and Machine",
        "Columns Zone",
        "Measures Incursions and Acknowledgement rate",
        "Site 1",
        "Crane 1",
        "Total",
    ]);
    insta::assert_snapshot!("text", report.text);
}

async fn its_first_page_says_what_changed_where_it_is_worst_and_what_to_do(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "pivot", &body()).await;
    let (first, _) = report.text.split_once('\u{c}').unwrap();
    for heading in ["What changed", "Where it is worst", "What to do"] {
        assert!(first.contains(heading), "{heading}: {first}");
    }
    report.says(&[
        "Incursions per runtime hour rose from 2.40 to 9.80.",
        "Incursions: 49 in 5.0 h of runtime; previous period: 12 in 5.0 h.",
        "Crane 1 was involved in 34 of 49 incursions.",
        "Check the zone sizes and the working area of Crane 1.",
        "Previous period 04/01/2026 to 31/01/2026",
    ]);
    // Whatever a pivot shows, its findings name nobody.
    report.does_not_say(&["Ada", "Cyd"]);
}

async fn the_table_has_the_numbers_of_the_pivot(app: TestApp) {
    let yard = month(app).await;
    let table = csv(&file(&yard, &yard.admin, "pivot", &body(), "csv").await);
    let asked = &body()["pivot"];
    let answer = yard.app.post("/api/v2/advanced_insights/pivot").bearer(&yard.admin.jwt).json(asked);
    let answer = answer.send().await.expect(200).json();
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(table.len(), rows.len() + 2, "{table:?}");
    let titles: Vec<&str> = table[0].iter().map(String::as_str).collect();
    assert_eq!(
        titles[..7],
        [
            "Level",
            "Worksite id",
            "Worksite",
            "Machine id",
            "Machine",
            "Warning / Incursions",
            "Warning / Acknowledgement rate"
        ]
    );
    for (line, row) in table[1..].iter().zip(rows) {
        assert_eq!(line[0], row["level"].to_string());
        assert_eq!(line[2], row["keys"][0]["label"].as_str().unwrap());
        let number = |cell: &Value| cell[0].as_f64();
        assert_eq!(line[5].parse().ok(), number(&row["cells"][0][0]), "{row}");
        assert_eq!(line[7].parse().ok(), number(&row["cells"][1][0]), "{row}");
        assert_eq!(line[9].parse().ok(), number(&row["total"][0]), "{row}");
    }
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "pivot", &body(), "xlsx").await;
    assert_eq!(sheets(&bytes), ["Pivot", "About"]);
    let rows = sheet(&bytes, "Pivot");
    let last = rows.last().unwrap();
    assert_eq!(last[0].to_string(), "Total");
    assert_eq!(last.iter().rev().nth(1).unwrap().to_string(), "49");
    // In the language of the author, also where two words are put together, and the name of the second sheet.
    prefer(&yard, &json!({ "language": "de" })).await;
    refill_quota(&yard);
    let table = csv(&file(&yard, &yard.admin, "pivot", &body(), "csv").await);
    assert_eq!(table[0][..5], ["Ebene", "Standort-ID", "Standort", "Maschine-ID", "Maschine"]);
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "pivot", &body(), "xlsx").await;
    assert_eq!(sheets(&bytes)[1], "Über den Bericht");
}

async fn without_subtotals_each_row_names_all_of_its_keys(app: TestApp) {
    let yard = month(app).await;
    let mut body = body();
    body["pivot"]["totals"] = json!(false);
    let report = document(&yard, &yard.admin, "pivot", &body).await;
    report.says(&["Site 1 / Crane 1", "Site 2 / Crane 1"]);
}

async fn days_are_those_of_the_worksites_of_people_and_tags(app: TestApp) {
    let yard = month(app).await;
    spread_over_time_zones(&yard).await;
    let everywhere = json!(["Asia/Tokyo", "Pacific/Auckland", "UTC"]);
    for (filter, values, zones) in [
        ("operator_id", json!([4]), json!(["UTC"])),
        // The days of the month before are not those of the report.
        ("pedestrian_id", json!([3]), json!(["UTC"])),
        ("tag_id", json!([2]), json!(["UTC"])),
        ("person_id", json!([1]), json!(["Pacific/Auckland", "UTC"])),
        ("person_id", json!([2]), everywhere.clone()),
        // It names nobody.
        ("zone", json!(["warning"]), everywhere),
    ] {
        let mut body = body();
        (body["kind"], body["format"]) = (json!("pivot"), json!("json"));
        body["pivot"]["filters"][filter] = values.clone();
        assert_eq!(time_zones(&yard, &body).await, zones, "{filter} {values}");
    }
}

//! Lists of incursions.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::languages::prefer;
use super::reading::{csv, sheet, sheets};
use super::{document, february, file, month, refill_quota, rename, spread_over_time_zones, time_zones};
use crate::v1::insights::set_time_zone;

on_both_engines!(
    every_incursion_is_a_row,
    the_table_reads_back_as_the_list_shows_it,
    times_of_several_time_zones_name_their_clock,
    days_are_those_of_the_worksites_of_people_and_tags,
    a_period_ends_by_the_days_of_the_worksites_where_someone_was,
    formulas_are_escaped_where_a_spreadsheet_would_evaluate_them,
);

async fn every_incursion_is_a_row(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "incursions", &json!({})).await;
    report.says(&[
        "Single incursions",
        "02/02/2026 07:00",
        "20/02/2026 15:00",
        "2.5 m",
        "Crane 3",
        "Unreviewed",
        "Single incursions (continued)",
    ]);
    let times = report.in_order.matches("/02/2026 07:").count();
    assert_eq!(times, 30, "{}", report.text);
    insta::assert_snapshot!("text", report.text);
}

async fn the_table_reads_back_as_the_list_shows_it(app: TestApp) {
    let yard = month(app).await;
    let table = csv(&file(&yard, &yard.admin, "incursions", &json!({}), "csv").await);
    let path = "/api/v1/incursions?limit=200&from=2026-02-01&to=2026-03-01";
    let list = yard.app.get(path).cookie(&yard.admin.cookie).send().await.expect(200).json();
    let listed: Vec<&Value> = list["data"].as_array().unwrap().iter().rev().collect();
    assert_eq!((table.len(), listed.len()), (50, 49));
    for (line, shown) in table[1..].iter().zip(listed) {
        let value = |key: &str| &line[table[0].iter().position(|heading| heading == key).unwrap()];
        for key in ["id", "started_at", "duration_ms", "acknowledged", "zone", "closest_cm"] {
            let expected = match &shown[key] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(value(key), &expected, "{key} of {shown}");
        }
        let named = [("machine", "name"), ("pedestrian", "name"), ("worksite", "name"), ("tag", "serial")];
        for (named, name) in named {
            let expected = shown[named][name].as_str().unwrap_or_default();
            assert_eq!(value(named), expected, "{named} of {shown}");
        }
    }
}

async fn times_of_several_time_zones_name_their_clock(app: TestApp) {
    let yard = month(app).await;
    let bytes = file(&yard, &yard.admin, "incursions", &json!({}), "xlsx").await;
    assert_eq!(sheet(&bytes, "Incursions")[0][2].to_string(), "Started");
    // Worksite 2 has incursions, too.
    set_time_zone(&yard, "2", "Australia/Brisbane").await;
    prefer(&yard, &json!({ "time_zone": "Europe/Berlin" })).await;
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "incursions", &json!({}), "xlsx").await;
    let headings: Vec<String> = sheet(&bytes, "Incursions")[0].iter().map(ToString::to_string).collect();
    for heading in ["Started (Europe/Berlin)", "Ended (Europe/Berlin)", "Acknowledged at (Europe/Berlin)"] {
        assert!(headings.iter().any(|found| found == heading), "{headings:?}");
    }
    let about: Vec<String> =
        sheet(&bytes, "About").iter().map(|row| format!("{} | {}", row[0], row[1])).collect();
    assert!(about.contains(&"Time zone of times | Europe/Berlin".to_owned()), "{about:?}");
}

async fn days_are_those_of_the_worksites_of_people_and_tags(app: TestApp) {
    let yard = month(app).await;
    spread_over_time_zones(&yard).await;
    let everywhere = json!(["Asia/Tokyo", "Pacific/Auckland", "UTC"]);
    for (filter, id, zones) in [
        ("person_id", 4, json!(["UTC"])),
        ("operator_id", 4, json!(["UTC"])),
        // The days of the month before are not those of the report.
        ("pedestrian_id", 3, json!(["UTC"])),
        ("tag_id", 2, json!(["UTC"])),
        ("pedestrian_id", 1, json!(["Pacific/Auckland", "UTC"])),
        ("tag_id", 1, json!(["Pacific/Auckland", "UTC"])),
        ("person_id", 2, everywhere.clone()),
    ] {
        let mut body = json!({ "kind": "incursions", "format": "json", "filters": february() });
        body["filters"][filter] = json!([id]);
        assert_eq!(time_zones(&yard, &body).await, zones, "{filter} {id}");
    }
    // Without people and tags, they are those of all worksites, also of those that were quiet.
    let body = json!({ "kind": "incursions", "format": "json", "filters": february() });
    assert_eq!(time_zones(&yard, &body).await, everywhere);
}

/// The 1st of March is over in Auckland, where Cyd has not been.
async fn a_period_ends_by_the_days_of_the_worksites_where_someone_was(app: TestApp) {
    let yard = month(app).await;
    spread_over_time_zones(&yard).await;
    let filters = json!({ "from": "2026-02-02", "to": "2026-03-02", "pedestrian_id": [3] });
    let report = document(&yard, &yard.admin, "incursions", &json!({ "filters": filters })).await;
    report.says(&[
        "The period is not over: the figures end at 01/03/2026 12:00 UTC. They are compared with the \
         same part of the previous period.",
        "Time zones UTC",
        "05/01/2026 to 01/02/2026 12:00 UTC",
    ]);
    report.does_not_say(&["in all time zones", "Asia/Tokyo", "Pacific/Auckland"]);
}

async fn formulas_are_escaped_where_a_spreadsheet_would_evaluate_them(app: TestApp) {
    let yard = month(app).await;
    let (plain, escaped) = ("@SUM(1+1)*cmd", "'@SUM(1+1)*cmd");
    rename(&yard, "/api/v1/machines/1", plain).await;
    let cells = csv(&file(&yard, &yard.admin, "incursions", &json!({}), "csv").await).concat();
    assert!(cells.iter().any(|cell| cell == escaped) && !cells.iter().any(|cell| cell == plain));
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "incursions", &json!({}), "xlsx").await;
    assert_eq!(sheets(&bytes), ["Incursions", "About"]);
    let cells = sheet(&bytes, "Incursions").concat();
    let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
    assert!(cells.iter().any(|cell| cell == escaped) && !cells.iter().any(|cell| cell == plain));
}

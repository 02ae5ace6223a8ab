//! The effect of preferences on pivots.

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::{set_preferences, yard_in_two_zones};
use crate::v1::insights::Yard;

on_both_engines!(
    dimensions_are_called_as_their_reader_calls_them,
    weekdays_come_in_the_order_of_their_readers_week,
    numbers_are_the_same_whatever_is_preferred,
);

async fn pivot(yard: &Yard, user: &Account, rows: &[&str], columns: &[&str]) -> Value {
    let body = json!({
        "rows": rows, "columns": columns, "measures": ["incursions"],
        "filters": { "from": "2026-02-01", "to": "2026-03-01" },
    });
    let call = yard.app.post("/api/v2/advanced_insights/pivot").bearer(&user.jwt).json(&body);
    call.send().await.expect(200).json()
}

/// Returns the label and count of each row.
fn rows(pivot: &Value) -> Vec<(String, f64)> {
    let row = |row: &Value| {
        let label = row["keys"].as_array().unwrap().last().unwrap()["label"].as_str().unwrap();
        (label.to_owned(), row["total"][0][0].as_f64().unwrap())
    };
    pivot["rows"].as_array().unwrap().iter().map(row).collect()
}

async fn dimensions_are_called_as_their_reader_calls_them(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let labels = async |user| pivot(&yard, user, &["worksite_kind"], &["zone"]).await["dimensions"].clone();
    let usual = json!({
        "rows": ["worksite_kind"], "columns": ["zone"],
        "labels": { "worksite_kind": "Worksite kind", "zone": "Zone" },
    });
    assert_eq!(labels(&yard.admin).await, usual);
    // A dimension that is not offered can still be requested.
    let dimensions = json!([{ "dimension": "worksite_kind", "label": "Sort of site", "shown": false }]);
    set_preferences(&yard.app, &yard.admin, json!({ "dimensions": dimensions })).await;
    let mut own = usual.clone();
    own["labels"]["worksite_kind"] = json!("Sort of site");
    assert_eq!(labels(&yard.admin).await, own);
    let other = yard.app.sign_in_new_user("other@example.com", Role::Viewer).await;
    assert_eq!(labels(&other).await, usual);
}

async fn weekdays_come_in_the_order_of_their_readers_week(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let days = async || rows(&pivot(&yard, &yard.admin, &["day_of_week"], &[]).await);
    let day = |name: &str, count: f64| (name.to_owned(), count);
    let (tuesday, wednesday, sunday) = (day("Tuesday", 2.0), day("Wednesday", 1.0), day("Sunday", 1.0));
    assert_eq!(days().await, [tuesday.clone(), wednesday.clone(), sunday.clone()]);
    set_preferences(&yard.app, &yard.admin, json!({ "first_day_of_week": "sunday" })).await;
    assert_eq!(days().await, [sunday.clone(), tuesday.clone(), wednesday.clone()]);
    // Also in columns, and nested.
    let across = pivot(&yard, &yard.admin, &[], &["day_of_week"]).await;
    let labels: Vec<&Value> =
        across["column_keys"].as_array().unwrap().iter().map(|keys| &keys[0]["label"]).collect();
    assert_eq!(json!(labels), json!(["Sunday", "Tuesday", "Wednesday"]));
    let cells: Vec<&Value> =
        across["totals"]["cells"].as_array().unwrap().iter().map(|cell| &cell[0][0]).collect();
    assert_eq!(json!(cells), json!([1, 2, 1]));
    let nested = rows(&pivot(&yard, &yard.admin, &["worksite", "day_of_week"], &[]).await);
    let nested: Vec<&str> = nested.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(nested, ["Site 1", "Sunday", "Tuesday", "Wednesday", "Site 2", "Tuesday"]);
    // Weeks are still counted from Monday.
    let weeks = rows(&pivot(&yard, &yard.admin, &["week"], &[]).await);
    assert_eq!(weeks, [day("2026-02-16", 1.0), day("2026-02-23", 3.0)]);
}

async fn numbers_are_the_same_whatever_is_preferred(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let all = async || {
        let mut answers = Vec::new();
        for rows in [&["worksite", "day"][..], &["hour"], &["hour_of_day"], &["week"], &["month"]] {
            answers.push(pivot(&yard, &yard.admin, rows, &["zone"]).await);
        }
        answers
    };
    let before = all().await;
    let preferences = json!({
        "language": "de", "time_zone": "Asia/Tokyo", "date_format": "MM/DD/YYYY", "units": "imperial",
        "first_day_of_week": "saturday",
    });
    set_preferences(&yard.app, &yard.admin, preferences).await;
    assert_eq!(all().await, before);
}

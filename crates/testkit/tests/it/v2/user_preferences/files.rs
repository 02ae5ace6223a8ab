//! The effect of preferences on exported files.

use calamine::Data;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{change_brand, set_preferences, yard_in_two_zones};
use crate::v1::insights::Yard;
use crate::v2::advanced_insights::exports::reading::{csv, ndjson, parquet, sheet};
use crate::v2::advanced_insights::exports::{download, export_file, post};

on_both_engines!(
    a_pivots_sheet_has_the_readers_labels_and_dates,
    a_csv_has_other_dates_only_for_those_who_chose_them,
    moments_of_several_clocks_are_told_by_the_readers_own,
    lengths_are_in_the_readers_units,
    what_programs_read_is_the_same_for_everyone,
    a_file_is_made_as_it_was_wanted_when_it_was_asked_for,
);

const FILTERS: &str = r#"{ "from": "2026-02-01", "to": "2026-03-01" }"#;

fn filters() -> Value {
    serde_json::from_str(FILTERS).unwrap()
}

fn incursions_body(format: &str) -> Value {
    json!({ "kind": "incursions", "format": format, "filters": filters() })
}

fn pivot_body(format: &str, rows: &[&str], columns: &[&str]) -> Value {
    let pivot = json!({ "rows": rows, "columns": columns, "measures": ["incursions"], "filters": filters() });
    json!({ "kind": "pivot", "format": format, "pivot": pivot })
}

/// Returns the cells of a sheet as text.
async fn sheet_of(yard: &Yard, body: &Value, name: &str) -> Vec<Vec<String>> {
    let rows = sheet(&export_file(yard, &yard.admin, body).await, name);
    rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

/// Returns the values of a column, by its heading.
fn column<'a>(table: &'a [Vec<String>], heading: &str) -> Vec<&'a str> {
    let place = table[0].iter().position(|cell| cell == heading);
    let place = place.unwrap_or_else(|| panic!("{heading} is not among {:?}", table[0]));
    table[1..].iter().map(|row| row[place].as_str()).collect()
}

async fn a_pivots_sheet_has_the_readers_labels_and_dates(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let days = pivot_body("xlsx", &["day"], &[]);
    let usual = sheet_of(&yard, &days, "Pivot").await;
    // The brand's date format has the day first.
    assert_eq!(column(&usual, "Day"), ["22/02/2026", "24/02/2026", "25/02/2026", "Total"]);
    let dimensions =
        json!([{ "dimension": "day", "label": "Shift" }, { "dimension": "month", "label": "Pay month" }]);
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "MM/DD/YYYY", "dimensions": dimensions }))
        .await;
    let own = sheet_of(&yard, &days, "Pivot").await;
    assert_eq!(column(&own, "Shift"), ["02/22/2026", "02/24/2026", "02/25/2026", "Total"]);
    assert_eq!(column(&own, "Incursions"), column(&usual, "Incursions"));
    // Also in columns and on the information sheet.
    let bytes = export_file(&yard, &yard.admin, &pivot_body("xlsx", &["hour"], &["month"])).await;
    let rows = sheet(&bytes, "Pivot");
    assert_eq!(rows[0][1], Data::String("02/2026".to_owned()));
    assert_eq!(rows[2][0], Data::String("02/22/2026 11:00".to_owned()));
    let about = sheet(&bytes, "About");
    let says = |name: &str| about.iter().find(|line| line[0] == name).unwrap()[1].to_string();
    assert_eq!((says("Rows"), says("Columns")), ("Hour".to_owned(), "Pay month".to_owned()));
    assert!(says("From").starts_with("02/01/2026,"), "{}", says("From"));
}

async fn a_csv_has_other_dates_only_for_those_who_chose_them(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    change_brand(&yard.app, &yard.admin, json!({ "date_format": "MM/DD/YYYY" })).await;
    let table = async |body: &Value| csv(&export_file(&yard, &yard.admin, body).await);
    let days = pivot_body("csv", &["day"], &[]);
    assert_eq!(column(&table(&days).await, "Day"), ["2026-02-22", "2026-02-24", "2026-02-25", ""]);
    let usual = table(&incursions_body("csv")).await;
    assert_eq!(column(&usual, "local_day")[0], "2026-02-22");
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "DD/MM/YYYY", "time_zone": "UTC" })).await;
    let own = table(&days).await;
    assert_eq!(column(&own, "Day"), ["22/02/2026", "24/02/2026", "25/02/2026", ""]);
    // Ids are for programs and stay in ISO format.
    assert_eq!(column(&own, "Day id"), ["2026-02-22", "2026-02-24", "2026-02-25", ""]);
    let own = table(&incursions_body("csv")).await;
    assert_eq!(column(&own, "local_day")[0], "22/02/2026");
    assert_eq!(column(&own, "started_at")[0], "22/02/2026 10:00:00Z");
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "YYYY-MM-DD" })).await;
    assert_eq!(column(&table(&incursions_body("csv")).await, "started_at")[0], "2026-02-22T10:00:00Z");
}

async fn moments_of_several_clocks_are_told_by_the_readers_own(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    set_preferences(&yard.app, &yard.admin, json!({ "time_zone": "Asia/Tokyo" })).await;
    let table = csv(&export_file(&yard, &yard.admin, &incursions_body("csv")).await);
    let started = column(&table, "started_at");
    assert_eq!((started[0], started[2]), ("2026-02-22T19:00:00+09:00", "2026-02-24T20:00:00+09:00"));
    // Days stay in the local time of the worksites.
    assert_eq!(column(&table, "local_day"), ["2026-02-22", "2026-02-24", "2026-02-24", "2026-02-25"]);
    let bytes = export_file(&yard, &yard.admin, &incursions_body("xlsx")).await;
    let about = sheet(&bytes, "About");
    let line = about.iter().find(|line| line[0] == "Time zone of timestamps").unwrap();
    assert_eq!(line[1], Data::String("Asia/Tokyo".to_owned()));
    // A sheet stores a time as a number of days: here 22 February, 19:00.
    let Data::DateTime(started) = sheet(&bytes, "Incursions")[1][3] else { panic!("no moment") };
    assert_eq!(((started.as_f64() - 46_075.0) * 24.0).round() as i64, 19);
    // With a single worksite, times are in its time zone.
    let mut body = incursions_body("csv");
    body["filters"]["worksite_id"] = json!([2]);
    let table = csv(&export_file(&yard, &yard.admin, &body).await);
    assert_eq!(column(&table, "started_at"), ["2026-02-24T06:00:00-05:00"]);
}

async fn lengths_are_in_the_readers_units(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let closest = async |format: &str, heading: &str| {
        let table = match format {
            "csv" => csv(&export_file(&yard, &yard.admin, &incursions_body("csv")).await),
            _ => sheet_of(&yard, &incursions_body("xlsx"), "Incursions").await,
        };
        column(&table, heading)[1].to_owned()
    };
    assert_eq!(closest("xlsx", "Closest (cm)").await, "250");
    assert_eq!(closest("csv", "closest_cm").await, "250");
    set_preferences(&yard.app, &yard.admin, json!({ "units": "imperial" })).await;
    assert_eq!(closest("xlsx", "Closest (ft)").await, "8.2");
    assert_eq!(closest("csv", "closest_ft").await, "8.2");
}

async fn what_programs_read_is_the_same_for_everyone(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let all = async || {
        let of = |format| {
            [
                incursions_body(format),
                pivot_body(format, &["day", "zone"], &["month"]),
                pivot_body(format, &["day_of_week"], &[]),
            ]
        };
        let (mut lines, mut rows) = (Vec::new(), Vec::new());
        for body in of("ndjson") {
            lines.push(ndjson(&export_file(&yard, &yard.admin, &body).await));
        }
        for body in of("parquet") {
            rows.push(parquet(&export_file(&yard, &yard.admin, &body).await));
        }
        (lines, rows)
    };
    let before = all().await;
    assert_eq!(before.0[0][0]["started_at"], "2026-02-22T11:00:00+01:00");
    let preferences = json!({
        "time_zone": "Asia/Tokyo", "date_format": "MM/DD/YYYY", "units": "imperial", "first_day_of_week": "sunday",
        "dimensions": [{ "dimension": "day", "label": "Shift" }],
    });
    set_preferences(&yard.app, &yard.admin, preferences).await;
    assert_eq!(all().await, before);
}

async fn a_file_is_made_as_it_was_wanted_when_it_was_asked_for(app: TestApp) {
    let yard = yard_in_two_zones(app).await;
    let dimensions = json!([{ "dimension": "day", "label": "Shift" }]);
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "MM/DD/YYYY", "dimensions": dimensions }))
        .await;
    let asked = post(&yard, &yard.admin, &pivot_body("csv", &["day"], &[])).await.expect(201).json();
    set_preferences(&yard.app, &yard.admin, json!({ "date_format": "DD/MM/YYYY", "dimensions": null })).await;
    yard.app.run_jobs().await;
    let table = csv(&download(&yard, &yard.admin, &asked["id"]).await.expect(200).body);
    assert_eq!(column(&table, "Shift")[0], "02/22/2026");
}

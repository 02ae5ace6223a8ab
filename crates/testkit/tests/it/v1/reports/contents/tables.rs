//! Every kind of table, with all of its cells.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::documents::{first_of_march, full_month, pivot};
use super::languages::prefer;
use super::reading::{csv, workbook};
use super::{file, refill_quota};

on_both_engines!(every_cell_of_a_workbook_is_known, every_cell_of_a_csv_file_is_known);

/// The kinds that have tables.
fn tables() -> [(&'static str, Value); 5] {
    [
        ("project_summary", json!({ "project_id": 1 })),
        ("tag_test_compliance", json!({})),
        ("visitor_log", first_of_march()),
        ("incursions", json!({})),
        ("pivot", pivot()),
    ]
}

async fn every_cell_of_a_workbook_is_known(app: TestApp) {
    let yard = full_month(app).await;
    for (kind, more) in tables() {
        refill_quota(&yard);
        let cells = workbook(&file(&yard, &yard.admin, kind, &more, "xlsx").await);
        insta::assert_snapshot!(format!("workbook_{kind}"), cells);
    }
    // Its headings are in the language of the author.
    prefer(&yard, &json!({ "language": "de" })).await;
    refill_quota(&yard);
    let cells = workbook(&file(&yard, &yard.admin, "incursions", &json!({}), "xlsx").await);
    insta::assert_snapshot!("german_workbook_incursions", cells);
}

async fn every_cell_of_a_csv_file_is_known(app: TestApp) {
    let yard = full_month(app).await;
    for (kind, more) in tables() {
        refill_quota(&yard);
        let lines = csv(&file(&yard, &yard.admin, kind, &more, "csv").await);
        let lines: Vec<String> = lines.iter().map(|line| line.join(" | ")).collect();
        insta::assert_snapshot!(format!("csv_{kind}"), lines.join("\n"));
    }
}

//! Reports about tests of tags.

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::reading::{csv, sheet, sheets};
use super::{document, file, kiosk, month, refill_quota, test_tag};
use crate::v1::insights::Yard;

on_both_engines!(
    days_and_incursions_are_covered_by_tests,
    the_table_has_a_tag_in_each_row,
    the_tags_of_one_person_are_those_that_they_wore,
);

/// Ada has worn T-1 since 2 February; it was tested on the 2nd and, without success, on the 4th. The interval is seven days.
async fn tested_month(app: TestApp) -> Yard {
    let yard = month(app).await;
    let brand = json!({ "test_interval_days": 7 });
    let call = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie).json(&brand);
    call.send().await.expect(200);
    let kiosk = kiosk(&yard).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-02T06:30:00Z", true).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-04T06:30:00Z", false).await;
    yard
}

async fn days_and_incursions_are_covered_by_tests(app: TestApp) {
    let yard = tested_month(app).await;
    let report = document(&yard, &yard.admin, "tag_test_compliance", &json!({})).await;
    report.says(&[
        "Tag test compliance",
        // Worn on 27 days, of which the 2nd and the 3rd were covered.
        "2 of 27 worn days covered",
        "1 of 2 failed",
        // On the 2nd and the 3rd there were twelve of all 49.
        "12 of 49 incursions",
        "T-1 (Ada) was worn without a valid test on 25 of 27 days.",
        "Have tags tested before the shift begins, at least every 7 days.",
        "Compliance by week",
        "Overdue at the end of the period",
        "All tags",
        "A tag is in test at a time if its last test until then was passed less than 7 days before.",
    ]);
    insta::assert_snapshot!("text", report.text);
}

async fn the_table_has_a_tag_in_each_row(app: TestApp) {
    let yard = tested_month(app).await;
    let table = csv(&file(&yard, &yard.admin, "tag_test_compliance", &json!({}), "csv").await);
    let row: Vec<(&str, &str)> =
        table[0].iter().map(String::as_str).zip(table[1].iter().map(String::as_str)).collect();
    for expected in [
        ("tag", "T-1"),
        ("person", "Ada"),
        ("worn_days", "27"),
        ("covered_days", "2"),
        ("tests", "2"),
        ("failed", "1"),
        ("last_passed", "false"),
        ("incursions", "34"),
        ("incursions_in_test", "12"),
    ] {
        assert!(row.contains(&expected), "{expected:?} is not in {row:?}");
    }
    assert_eq!(table.len(), 4, "all three tags: {table:?}");
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "tag_test_compliance", &json!({}), "xlsx").await;
    assert_eq!(sheets(&bytes), ["Tags", "About"]);
    assert_eq!(sheet(&bytes, "Tags")[1][1].to_string(), "T-1");
}

async fn the_tags_of_one_person_are_those_that_they_wore(app: TestApp) {
    let yard = tested_month(app).await;
    let more = json!({ "person_id": 1 });
    let bytes = file(&yard, &yard.admin, "tag_test_compliance", &more, "json").await;
    let data: Value = serde_json::from_slice(&bytes).unwrap();
    let tags = data["figures"]["tags"].as_array().unwrap();
    assert_eq!(tags.len(), 1, "{tags:?}");
    assert_eq!((&tags[0]["tag"], &tags[0]["person"]), (&json!(1), &json!(1)));
    let weeks = data["figures"]["test_weeks"].as_array().unwrap();
    let days: Vec<[i64; 2]> = weeks
        .iter()
        .map(|week| [&week["worn_days"], &week["covered_days"]].map(|number| number.as_i64().unwrap()))
        .collect();
    assert_eq!(days, [[7, 2], [7, 0], [7, 0], [6, 0]]);
}

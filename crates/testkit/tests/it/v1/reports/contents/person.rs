//! Reports about a person.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::super::create_ready_report;
use super::{document, february, kiosk, month, test_tag};
use crate::v1::insights::set_time_zone;

on_both_engines!(
    someone_on_foot_is_shown_with_their_tag,
    someone_who_drives_is_shown_with_whom_they_met,
    days_are_those_of_the_worksites_where_someone_was,
);

async fn someone_on_foot_is_shown_with_their_tag(app: TestApp) {
    let yard = month(app).await;
    let kiosk = kiosk(&yard).await;
    test_tag(&yard, &kiosk, "T-1", "2026-02-02T06:30:00Z", true).await;
    let report = document(&yard, &yard.admin, "person", &json!({ "person_id": 1 })).await;
    report.says(&[
        "Person report: Ada",
        "On foot: Incursions",
        "Driving: Incursions",
        "On foot: What changed",
        "The number of incursions rose from 12 to 34.",
        "On foot: Where it is worst",
        "Nothing stands out among",
        "Talk with the operators about acknowledging alarms in the cab.",
        "Acknowledged: 15 of 34, 44 %; previous period: 50 %; goal: 80 %.",
        "On foot: When",
        "On foot: How long",
        "Machines met on foot",
        "Crane 1",
        "Tag tests",
        "T-1",
    ]);
    report.does_not_say(&["Driving: What changed", "People met while driving"]);
    insta::assert_snapshot!("on_foot", report.text);
}

async fn someone_who_drives_is_shown_with_whom_they_met(app: TestApp) {
    let yard = month(app).await;
    let report = document(&yard, &yard.admin, "person", &json!({ "person_id": 4 })).await;
    report.says(&[
        "Dan",
        "Driving: What changed",
        "The number of incursions rose from 0 to 30.",
        // The report is about the operator.
        "Talk with Dan about acknowledging alarms in the cab.",
        "Acknowledged: 15 of 30, 50 %; previous period: –; goal: 80 %.",
        "People met while driving",
        "Driving: When",
        "Ada",
    ]);
    report.does_not_say(&["Machines met on foot", "On foot: When", "Talk with the operators"]);
}

async fn days_are_those_of_the_worksites_where_someone_was(app: TestApp) {
    let yard = month(app).await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    set_time_zone(&yard, "3", "Asia/Tokyo").await;
    // Dan was at worksite 1 only, Ada at worksite 2 as well, and nothing is known of Bob.
    for (person, zones) in [
        (4, json!(["UTC"])),
        (1, json!(["Pacific/Auckland", "UTC"])),
        (2, json!(["Asia/Tokyo", "Pacific/Auckland", "UTC"])),
    ] {
        let body = json!({ "kind": "person", "format": "json", "person_id": person, "filters": february() });
        let made = create_ready_report(&yard, &yard.admin, &body).await;
        assert_eq!(made["time_zones"], zones, "person {person}");
    }
}

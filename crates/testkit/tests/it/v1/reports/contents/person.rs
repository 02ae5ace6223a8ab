//! Reports about a person.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{document, kiosk, month, test_tag};

on_both_engines!(someone_on_foot_is_shown_with_their_tag, someone_who_drives_is_shown_with_whom_they_met);

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

//! Reports about a person.

use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{document, february, kiosk, month, refill_quota, spread_over_time_zones, test_tag, time_zones};
use crate::v1::insights::runtime;

on_both_engines!(
    someone_on_foot_is_shown_with_their_tag,
    someone_who_drives_is_shown_with_whom_they_met,
    nobody_on_foot_before_is_a_zero_and_no_gap,
    someone_on_foot_is_not_compared_with_a_period_without_any_facts,
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

/// The machines ran in January, and Cyd met none of them. No runtime can say that of someone on foot.
async fn nobody_on_foot_before_is_a_zero_and_no_gap(app: TestApp) {
    let yard = month(app).await;
    let rise = ["The number of incursions rose from 0 to 10.", "Incursions: 10; previous period: 0."];
    let report = document(&yard, &yard.admin, "person", &json!({ "person_id": 3 })).await;
    report.says(&["On foot: What changed", "previously 0"]);
    report.says(&rise);
    report.does_not_say(&["neither incursions nor runtime"]);
    let mut filters = february();
    filters["pedestrian_id"] = json!([3]);
    refill_quota(&yard);
    let report = document(&yard, &yard.admin, "incursions", &json!({ "filters": filters })).await;
    report.says(&rise);
    report.does_not_say(&["neither incursions nor runtime"]);
}

async fn someone_on_foot_is_not_compared_with_a_period_without_any_facts(app: TestApp) {
    let yard = month(app).await;
    // The facts begin on 5 January. The whole year before has none.
    let year = json!({ "from": "2025-03-03", "to": "2026-03-01" });
    let mut of_cyd = year.clone();
    of_cyd["pedestrian_id"] = json!([3]);
    let asked = [
        ("person", json!({ "filters": year, "person_id": 3 })),
        ("incursions", json!({ "filters": of_cyd })),
    ];
    for (kind, body) in &asked {
        refill_quota(&yard);
        let report = document(&yard, &yard.admin, kind, body).await;
        report.says(&[
            "neither incursions nor runtime were recorded in the previous period",
            "Incursions: 10.",
        ]);
        report.does_not_say(&["rose from"]);
    }
    // A machine ran, wherever Cyd was.
    yard.facts.put_runtime(&[runtime("2024-06-03T07:00:00Z", 60)]).await;
    for (kind, body) in &asked {
        refill_quota(&yard);
        let report = document(&yard, &yard.admin, kind, body).await;
        report.says(&["The number of incursions rose from 0 to 10."]);
    }
}

async fn days_are_those_of_the_worksites_where_someone_was(app: TestApp) {
    let yard = month(app).await;
    spread_over_time_zones(&yard).await;
    for (person, zones) in [
        (4, json!(["UTC"])),
        // The days of the month before are not those of the report.
        (3, json!(["UTC"])),
        (1, json!(["Pacific/Auckland", "UTC"])),
        (2, json!(["Asia/Tokyo", "Pacific/Auckland", "UTC"])),
    ] {
        let body = json!({ "kind": "person", "format": "json", "person_id": person, "filters": february() });
        assert_eq!(time_zones(&yard, &body).await, zones, "person {person}");
    }
}

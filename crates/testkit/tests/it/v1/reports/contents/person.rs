//! Reports about a person.

use domain::{PersonId, ProjectId, WorksiteId};
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::super::create_ready_report;
use super::{document, february, kiosk, month, refill_quota, test_tag};
use crate::v1::insights::{incursion, set_time_zone};

on_both_engines!(
    someone_on_foot_is_shown_with_their_tag,
    someone_who_drives_is_shown_with_whom_they_met,
    nobody_on_foot_before_is_a_zero_and_no_gap,
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

async fn days_are_those_of_the_worksites_where_someone_was(app: TestApp) {
    let yard = month(app).await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    set_time_zone(&yard, "3", "Asia/Tokyo").await;
    // Cyd was at worksite 3 in the month before, whose days are not those of the report.
    let mut earlier = incursion(&yard, "2026-01-20T10:00:00Z", 10);
    earlier.attribution.pedestrian = Some(PersonId(3));
    earlier.attribution.worksite = Some(WorksiteId(3));
    earlier.attribution.project = Some(ProjectId(2));
    yard.facts.add_incursions(vec![earlier]).await;
    // Dan was at worksite 1 only, Ada at worksite 2 as well, and nothing is known of Bob.
    for (person, zones) in [
        (4, json!(["UTC"])),
        (3, json!(["UTC"])),
        (1, json!(["Pacific/Auckland", "UTC"])),
        (2, json!(["Asia/Tokyo", "Pacific/Auckland", "UTC"])),
    ] {
        let body = json!({ "kind": "person", "format": "json", "person_id": person, "filters": february() });
        let made = create_ready_report(&yard, &yard.admin, &body).await;
        assert_eq!(made["time_zones"], zones, "person {person}");
    }
}

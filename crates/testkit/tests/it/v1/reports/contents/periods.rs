//! The periods of reports: usual ones, and ones that are not over.

use domain::{MachineId, ProjectId, Role, WorksiteId};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::super::create_ready_report;
use super::{document, file, month, refill_quota};
use crate::v1::insights::{Yard, incursion, runtime, set_time_zone};

on_both_engines!(
    the_usual_period_has_28_days_where_the_subject_is,
    without_worksites_a_day_begins_by_the_clock_of_the_brand,
    a_period_that_is_not_over_says_so,
    a_period_that_is_over_only_in_the_east_is_not_compared,
    a_period_after_one_without_data_is_not_compared,
    a_period_that_has_not_begun_says_so,
);

/// Makes a report without a period and returns its first day.
async fn first_day(yard: &Yard, mut body: Value) -> String {
    refill_quota(yard);
    body["format"] = json!("json");
    create_ready_report(yard, &yard.admin, &body).await["from"].as_str().unwrap().to_owned()
}

/// It is noon on 1 March in UTC, and 2 March in Auckland already, where worksite 2 is.
async fn the_usual_period_has_28_days_where_the_subject_is(app: TestApp) {
    let yard = month(app).await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    // Machine 2 has been at worksite 1 only, machine 3 at worksite 2 as well.
    let mut row = incursion(&yard, "2026-02-20T10:00:00Z", 10);
    row.attribution.machine = Some(MachineId(3));
    row.attribution.worksite = Some(WorksiteId(2));
    row.attribution.project = Some(ProjectId(2));
    yard.facts.add_incursions(vec![row]).await;
    for (body, expected) in [
        (json!({ "kind": "site_safety", "worksite_id": 1 }), "2026-02-02"),
        (json!({ "kind": "machine", "machine_id": 2 }), "2026-02-02"),
        (json!({ "kind": "person", "person_id": 3 }), "2026-02-02"),
        (json!({ "kind": "project_summary", "project_id": 1 }), "2026-02-02"),
        (json!({ "kind": "site_safety", "worksite_id": 2 }), "2026-02-03"),
        (json!({ "kind": "machine", "machine_id": 3 }), "2026-02-03"),
        // Everything: the latest of all days.
        (json!({ "kind": "incursions" }), "2026-02-03"),
    ] {
        assert_eq!(first_day(&yard, body.clone()).await, expected, "{body}");
    }
}

/// It is noon on 1 March in UTC, and the night to 2 March in Auckland.
async fn without_worksites_a_day_begins_by_the_clock_of_the_brand(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let zone = json!({ "time_zone": "Pacific/Auckland" });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&zone).send().await.expect(200);
    for (from, status) in [("2026-03-02", 201), ("2026-03-03", 422)] {
        let body = json!({ "kind": "incursions", "format": "json", "filters": { "from": from } });
        app.post("/api/v1/reports").cookie(&admin.cookie).json(&body).send().await.expect(status);
    }
    app.run_jobs().await;
}

async fn a_period_that_is_not_over_says_so(app: TestApp) {
    let yard = month(app).await;
    let filters = json!({ "filters": { "from": "2026-02-02", "to": "2026-03-02" }, "worksite_id": 1 });
    let report = document(&yard, &yard.admin, "site_safety", &filters).await;
    let notice = "The period is not over: the figures end at 01/03/2026 12:00 UTC. They are compared with the \
        same part of the previous period.";
    let (first, _) = report.text.split_once('\u{c}').unwrap();
    assert!(first.contains("The period is not over"), "{first}");
    report.says(&[notice, &format!("End of the figures {notice}"), "05/01/2026 to 01/02/2026 12:00 UTC"]);
    // A period that is over says nothing of the kind.
    refill_quota(&yard);
    let over = document(&yard, &yard.admin, "site_safety", &json!({ "worksite_id": 1 })).await;
    over.does_not_say(&["is not over", "End of the figures"]);
}

async fn a_period_that_is_over_only_in_the_east_is_not_compared(app: TestApp) {
    let yard = month(app).await;
    set_time_zone(&yard, "2", "Pacific/Auckland").await;
    // The 1st of March is over in Auckland.
    let filters = json!({ "filters": { "from": "2026-02-01", "to": "2026-03-02" } });
    let report = document(&yard, &yard.admin, "incursions", &filters).await;
    report.says(&[
        "The period is not over in all time zones",
        "No change is given, because the previous period is not equally long everywhere.",
        "A change cannot be given before the period is over in all time zones.",
        "Incursions: 49; previous period: 12.",
    ]);
    // Neither a share, nor points, nor a column.
    report.does_not_say(&["+308 %", "points", "zones Change", "rose from"]);
    refill_quota(&yard);
    let bytes = file(&yard, &yard.admin, "visitor_log", &filters, "pdf").await;
    let text = crate::pdf::text_in_order(&bytes);
    assert!(!text.contains("after 0 in the previous period"), "{text}");
}

async fn a_period_after_one_without_data_is_not_compared(app: TestApp) {
    let yard = month(app).await;
    // The facts begin on 5 January. The whole year before has none.
    let filters = json!({ "filters": { "from": "2025-03-03", "to": "2026-03-01" }, "worksite_id": 1 });
    let report = document(&yard, &yard.admin, "site_safety", &filters).await;
    report.says(&[
        "No change can be given: neither incursions nor runtime were recorded in the previous period.",
        "Incursions: 57.",
        "previously –",
        // Longer than a few months: the bars are weeks.
        "Week by week",
        "incursions per week",
    ]);
    report.does_not_say(&["rose from", "previously 0", "Change +", "zones Change", "Day by day"]);
    // In the weeks before the first incursion machines ran: zero is one.
    yard.facts.put_runtime(&[runtime("2024-06-03T07:00:00Z", 60)]).await;
    refill_quota(&yard);
    let report = document(&yard, &yard.admin, "site_safety", &filters).await;
    report.says(&["The number of incursions rose from 0 to 57."]);
}

async fn a_period_that_has_not_begun_says_so(app: TestApp) {
    let yard = month(app).await;
    let filters = json!({ "filters": { "from": "2030-01-01", "to": "2030-02-01" }, "worksite_id": 1 });
    let report = document(&yard, &yard.admin, "site_safety", &filters).await;
    report.says(&[
        "The period has not begun: there are no figures yet.",
        "There are no data to judge by yet.",
        "Neither incursions nor runtime were recorded.",
    ]);
    // The previous period is empty, and would end before it begins.
    report.does_not_say(&[
        "Nothing calls for a change",
        "Check that machines ran",
        "Previous period",
        "27/11/2029",
    ]);
}

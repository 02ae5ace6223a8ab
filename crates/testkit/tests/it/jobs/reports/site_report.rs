//! The job that writes a site report: what happens when things change while it runs.

use app::jobs::{Job as _, SiteReportBuild};
use domain::{BrandId, Day, Role, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::report_build::{Meanwhile, attempts};
use crate::v1::insights::Yard;
use crate::v1::reports::busy_yard;

on_both_engines!(
    access_that_changes_meanwhile_starts_it_again,
    a_retention_that_is_shortened_meanwhile_counts,
    a_site_report_waits_for_the_history,
);

const PATH: &str = "/api/v2/advanced_insights/site_reports";

async fn post(yard: &Yard, user: &Account) {
    let body = json!({ "data": {
        "type": "site_reports", "attributes": { "from": "2026-02-01", "to": "2026-03-01" },
        "relationships": { "worksite": { "data": { "type": "worksites", "id": "1" } } },
    } });
    let call = yard.app.post(PATH).bearer(&user.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201);
}

async fn get(yard: &Yard) -> Value {
    let reply = yard.app.get(&format!("{PATH}/1")).bearer(&yard.admin.jwt).send().await.expect(200);
    reply.json()["data"]["attributes"].take()
}

async fn access_that_changes_meanwhile_starts_it_again(app: TestApp) {
    let yard = busy_yard(app).await;
    let member = yard.app.sign_in_new_user("member@example.com", Role::Member).await;
    post(&yard, &member).await;
    // When the facts are known.
    Meanwhile::after(
        yard.app.database(),
        "update of percent on site_reports",
        "new.percent = 50",
        "update users set role = 'viewer' where email = 'member@example.com'",
    )
    .await;
    assert_eq!(yard.app.run_jobs().await, 2, "it is run again at once");
    assert_eq!(get(&yard).await["state"], "ready");
    assert_eq!(attempts(yard.app.database(), SiteReportBuild::KIND).await, ["1"]);
}

async fn a_retention_that_is_shortened_meanwhile_counts(app: TestApp) {
    let yard = busy_yard(app).await;
    post(&yard, &yard.admin).await;
    // When the brand is locked, which is the last moment.
    Meanwhile::after(
        yard.app.database(),
        "update of last_seq on brand_counters",
        "new.brand_id > 0",
        "update brands set keep_incursions_days = 30",
    )
    .await;
    yard.app.run_jobs().await;
    let written = get(&yard).await;
    let at = |field: &str| Timestamp::parse(written[field].as_str().unwrap()).unwrap().seconds();
    assert_eq!((at("expires_at") - at("finished_at")) / (24 * 60 * 60), 30);
}

async fn a_site_report_waits_for_the_history(app: TestApp) {
    let yard = busy_yard(app).await;
    let loaded = app::LoadingHistory { complete_from: Day::parse("2026-02-22").unwrap(), percent: 8 };
    yard.app.app.note_loading_history(BrandId(1), loaded);
    post(&yard, &yard.admin).await;
    // More often than one that fails is tried, and without its waits, which become longer.
    for _ in 0..6 {
        assert_eq!(yard.app.run_jobs().await, 1);
        assert_eq!(get(&yard).await["state"], "queued");
        yard.app.clock.advance(Span::seconds(5));
    }
    yard.app.app.note_complete_history(BrandId(1));
    yard.app.run_jobs().await;
    assert_eq!(get(&yard).await["state"], "ready");
    assert_eq!(attempts(yard.app.database(), SiteReportBuild::KIND).await, ["1"]);
}

//! How long reports are kept.

use blobs::{Key, Upload};
use domain::{BrandId, Random, ReportId, Span, Timestamp};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, Reply, TestApp, on_both_engines};

use super::{
    PATH, blobs, busy_yard, count_objects, create_ready_report, download, figures_key, incursions_body,
    remake,
};
use crate::v1::insights::Yard;

on_both_engines!(
    figures_and_files_go_when_they_were_kept_long_enough,
    a_brand_that_keeps_incursions_for_less_keeps_reports_for_less,
    a_shorter_time_applies_to_reports_that_exist,
    a_remake_does_not_keep_a_report_longer,
    objects_that_belong_to_nothing_go_after_a_day,
    a_report_whose_figures_are_missing_has_expired,
    a_remake_whose_figures_are_missing_ends,
);

const DAY: Span = Span::minutes(24 * 60);

/// Starts an application that keeps reports for this long.
async fn yard_with_retention(engine: Engine, days: u32) -> Yard {
    busy_yard(TestApp::start_with(engine, |config| config.reports.retention_days = days).await).await
}

async fn wait_days(yard: &Yard, days: i64) {
    yard.app.clock.advance(Span::from_micros(DAY.micros() * days));
    yard.app.runner().reconcile().await.unwrap();
}

/// Reads as the admin, whose session has expired meanwhile.
async fn read(yard: &Yard, path: &str) -> Reply {
    let cookie = yard.app.log_in_v1("admin@example.com", PASSWORD).await.expect(201).session_cookie();
    yard.app.get(path).cookie(&cookie).send().await
}

/// Returns for how many days a report is kept after its figures were computed.
fn days_kept(report: &Value) -> i64 {
    let at = |field: &str| Timestamp::parse(report[field].as_str().unwrap()).unwrap().seconds();
    (at("expires_at") - at("finished_at")) / (24 * 60 * 60)
}

async fn figures_and_files_go_when_they_were_kept_long_enough(engine: Engine) {
    let yard = yard_with_retention(engine, 30).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    assert_eq!(days_kept(&done), 30);
    download(&yard, &yard.admin, &done["id"], "?format=json").await.expect(200);
    assert_eq!(count_objects(&yard), 3);
    wait_days(&yard, 29).await;
    assert_eq!(count_objects(&yard), 3);
    wait_days(&yard, 1).await;
    assert_eq!(count_objects(&yard), 0);
    let path = format!("{PATH}/{}", done["id"]);
    let shown = read(&yard, &path).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &Value::Null));
    assert_eq!((&shown["download"], &shown["seq"]), (&Value::Null, &done["seq"]));
    for query in ["", "?format=json"] {
        let gone = read(&yard, &format!("{path}/download{query}")).await.expect(404);
        assert_eq!(gone.code(), "report_expired");
    }
    // The record of it stays for a while.
    wait_days(&yard, 89).await;
    read(&yard, &path).await.expect(200);
    wait_days(&yard, 2).await;
    read(&yard, &path).await.expect(404);
}

async fn a_brand_that_keeps_incursions_for_less_keeps_reports_for_less(engine: Engine) {
    let yard = yard_with_retention(engine, 365).await;
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    change.json(&json!({ "keep_incursions_days": 40 })).send().await.expect(200);
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    assert_eq!(days_kept(&done), 40);
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    change.json(&json!({ "keep_incursions_days": 4000 })).send().await.expect(200);
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    assert_eq!(days_kept(&done), 365);
    wait_days(&yard, 40).await;
    assert_eq!(count_objects(&yard), 2, "the first has expired");
}

async fn a_shorter_time_applies_to_reports_that_exist(engine: Engine) {
    let yard = yard_with_retention(engine, 365).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let path = format!("{PATH}/{}", done["id"]);
    for (days, kept) in [(40, 40), (50, 40), (30, 30)] {
        let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
        change.json(&json!({ "keep_incursions_days": days })).send().await.expect(200);
        assert_eq!(days_kept(&read(&yard, &path).await.expect(200).json()), kept);
    }
    wait_days(&yard, 30).await;
    assert_eq!(read(&yard, &path).await.expect(200).json()["state"], "expired");
    assert_eq!(count_objects(&yard), 0);
}

async fn a_remake_does_not_keep_a_report_longer(engine: Engine) {
    let yard = yard_with_retention(engine, 30).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    yard.app.clock.advance(Span::minutes(60));
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    yard.app.run_jobs().await;
    let remade = read(&yard, &format!("{PATH}/{}", done["id"])).await.expect(200).json();
    assert_eq!(remade["expires_at"], done["expires_at"]);
    assert_ne!(remade["finished_at"], done["finished_at"]);
}

async fn objects_that_belong_to_nothing_go_after_a_day(engine: Engine) {
    let yard = yard_with_retention(engine, 30).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    let bytes = download(&yard, &yard.admin, &done["id"], "").await.expect(200).body;
    // Leftovers: of another attempt at the same report, and of a report that never existed.
    for report in [1, 987] {
        let upload = Upload::begin(yard.app.clock.now(), &Random::System);
        let mut writer = blobs(&yard).writer(&Key::Report(BrandId(1), ReportId(report), upload));
        writer.write(b"x").await.unwrap();
        writer.finish().await.unwrap();
    }
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 4, "they may belong to a report that is being made");
    yard.app.clock.advance(Span::from_micros(DAY.micros() * 2));
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 2);
    let path = format!("{PATH}/{}/download", done["id"]);
    assert_eq!(read(&yard, &path).await.expect(200).body, bytes);
    assert_eq!(read(&yard, &format!("{path}?format=json")).await.expect(200).json()["report"]["id"], 1);
}

async fn a_report_whose_figures_are_missing_has_expired(engine: Engine) {
    let yard = yard_with_retention(engine, 30).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    blobs(&yard).delete(&figures_key(&yard, 1).await).await.unwrap();
    download(&yard, &yard.admin, &done["id"], "").await.expect(200);
    let gone = download(&yard, &yard.admin, &done["id"], "?format=json").await.expect(404);
    assert_eq!(gone.code(), "report_expired");
    let shown = read(&yard, &format!("{PATH}/{}", done["id"])).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &json!("figures_missing")));
    assert_eq!(shown["reason_text"], "The stored figures of the report are missing.");
    assert_eq!((&shown["download"], &shown["expires_at"]), (&Value::Null, &shown["updated_at"]));
    assert_eq!(download(&yard, &yard.admin, &done["id"], "").await.expect(404).code(), "report_expired");
    assert_eq!(remake(&yard, &yard.admin, &done["id"]).await.expect(409).code(), "no_figures");
    // Its file belongs to nothing any more.
    yard.app.clock.advance(Span::from_micros(DAY.micros() * 2));
    yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(count_objects(&yard), 0);
}

async fn a_remake_whose_figures_are_missing_ends(engine: Engine) {
    let yard = yard_with_retention(engine, 30).await;
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("csv")).await;
    remake(&yard, &yard.admin, &done["id"]).await.expect(200);
    blobs(&yard).delete(&figures_key(&yard, 1).await).await.unwrap();
    assert_eq!(yard.app.run_jobs().await, 1);
    let shown = read(&yard, &format!("{PATH}/{}", done["id"])).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("expired"), &json!("figures_missing")));
}

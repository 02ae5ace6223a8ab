//! /reports/new: each kind with its fields, and what is refused

use domain::Role;
use serde_json::json;
use testkit::{TestApp, on_both_engines};

use super::{done, get};
use crate::console::{open, submit};
use crate::v1::reports::busy_yard;

on_both_engines!(
    every_kind_has_a_form_with_its_own_fields,
    what_the_reader_came_from_is_filled_in,
    a_form_that_is_sent_twice_orders_once,
    filters_and_formats_reach_the_report,
    a_saved_view_is_ordered_with_other_days,
    faults_stand_beside_their_fields,
    viewers_order_reports_too,
);

/// The kinds, and for each a field that it has and one that it does not have.
const KINDS: [(&str, &str, &str); 9] = [
    ("site_safety", "filters.zone", "saved_view_id"),
    ("project_summary", "filters.review", "site_report_id"),
    ("machine", "filters.machine_kind", "saved_view_id"),
    ("person", "filters.acknowledged", "site_report_id"),
    ("tag_test_compliance", "filters.from", "filters.acknowledged"),
    ("visitor_log", "filters.to", "filters.acknowledged"),
    ("incursions", "filters.min_duration_s", "saved_view_id"),
    ("pivot", "saved_view_id", "filters.acknowledged"),
    ("site_report", "site_report_id", "worksite_id"),
];

async fn every_kind_has_a_form_with_its_own_fields(app: TestApp) {
    let yard = busy_yard(app).await;
    let cookie = &yard.admin.cookie;
    let links = open(&yard.app, cookie, "/reports/new").await.expect(200).links();
    for (kind, has, lacks) in KINDS {
        let path = format!("/reports/new?kind={kind}");
        assert!(links.contains(&path), "{kind}: {links:?}");
        let form = open(&yard.app, cookie, &path).await.expect(200);
        let html = form.reply.text();
        assert!(html.contains(&format!("name=\"{has}\"")), "{kind} has {has}");
        assert!(!html.contains(&format!("name=\"{lacks}\"")), "{kind} has {lacks}");
        assert_eq!(form.field("format").as_deref(), Some("pdf"), "{kind}");
        let has_table = !matches!(kind, "site_safety" | "machine" | "person" | "site_report");
        assert_eq!(html.contains("value=\"xlsx\""), has_table, "{kind}");
    }
    open(&yard.app, cookie, "/reports/new?kind=poem").await.expect(400);
}

async fn what_the_reader_came_from_is_filled_in(app: TestApp) {
    let yard = busy_yard(app).await;
    let path =
        "/reports/new?kind=machine&machine_id=2&period=custom&from=2026-02-01&to=2026-03-01&worksite_id=1";
    let form = open(&yard.app, &yard.admin.cookie, path).await.expect(200);
    for (name, value) in [
        ("machine_id", "2"),
        ("worksite_id", "1"),
        ("filters.from", "2026-02-01"),
        ("filters.to", "2026-02-28"),
    ] {
        assert_eq!(form.field(name).as_deref(), Some(value), "{name}");
    }
    assert!(form.says("Crane 2") && form.says("Site 1") && form.says("Ada"));
}

async fn a_form_that_is_sent_twice_orders_once(app: TestApp) {
    let yard = busy_yard(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/reports/new?kind=project_summary");
    let once = open(&yard.app, cookie, path).await.expect(200).field("_once").unwrap();
    let fields = [("project_id", "1"), ("format", "json"), ("_once", once.as_str())];
    for _ in 0..2 {
        let answer = submit(&yard.app, cookie, path, &fields).await.expect(303);
        assert_eq!((answer.location().as_str(), done(&answer)), ("/reports/1", "report-ordered"));
    }
    assert_eq!(get(&yard, "/api/v1/reports").await["data"].as_array().map(Vec::len), Some(1));
    yard.app.run_jobs().await;
}

async fn filters_and_formats_reach_the_report(app: TestApp) {
    let yard = busy_yard(app).await;
    let fields = [
        ("format", "csv"),
        ("worksite_id", "1"),
        ("machine_id", ""),
        ("filters.from", "2026-02-24"),
        ("filters.to", "2026-02-24"),
        ("filters.zone", "danger"),
        ("filters.acknowledged", "false"),
        ("filters.min_duration_s", "5"),
        ("paper", "letter"),
    ];
    let path = "/reports/new?kind=incursions";
    submit(&yard.app, &yard.admin.cookie, path, &fields).await.expect(303);
    yard.app.run_jobs().await;
    let report = get(&yard, "/api/v1/reports/1").await;
    assert_eq!((&report["from"], &report["to"]), (&json!("2026-02-24"), &json!("2026-02-25")));
    assert_eq!((&report["format"], &report["worksite_id"]), (&json!("csv"), &json!(1)));
    let file = yard.app.get("/reports/1/file").cookie(&yard.admin.cookie).send().await.expect(200);
    // The head, and the only danger at worksite 1.
    assert_eq!(file.text().lines().count(), 2, "{}", file.text());
}

async fn a_saved_view_is_ordered_with_other_days(app: TestApp) {
    let yard = busy_yard(app).await;
    let definition =
        json!({ "rows": ["machine"], "measures": ["incursions"], "filters": { "zone": ["danger"] } });
    let attributes = json!({ "name": "By machine", "kind": "pivot", "definition": definition });
    let body = json!({ "data": { "type": "saved_views", "attributes": attributes } });
    let call = yard.app.post("/api/v2/saved_views").bearer(&yard.admin.jwt);
    call.bytes("application/vnd.api+json", body.to_string()).send().await.expect(201);
    let (cookie, path) = (&yard.admin.cookie, "/reports/new?kind=pivot");
    assert!(open(&yard.app, cookie, path).await.expect(200).says("By machine"));
    let missing = submit(&yard.app, cookie, path, &[("saved_view_id", "")]).await.expect(422);
    assert!(missing.fault("saved_view_id").is_some());
    let unknown = submit(&yard.app, cookie, path, &[("saved_view_id", "9")]).await.expect(422);
    assert!(unknown.fault("saved_view_id").is_some());
    let fields = [
        ("saved_view_id", "1"),
        ("format", "json"),
        ("filters.from", "2026-02-01"),
        ("filters.to", "2026-02-28"),
    ];
    submit(&yard.app, cookie, path, &fields).await.expect(303);
    yard.app.run_jobs().await;
    let report = get(&yard, "/api/v1/reports/1").await;
    assert_eq!((&report["state"], &report["to"]), (&json!("ready"), &json!("2026-03-01")));
}

async fn faults_stand_beside_their_fields(app: TestApp) {
    let yard = busy_yard(app).await;
    let (cookie, path) = (&yard.admin.cookie, "/reports/new?kind=machine");
    let fields = [("machine_id", ""), ("format", "csv"), ("filters.min_duration_s", "5")];
    let page = submit(&yard.app, cookie, path, &fields).await.expect(422);
    assert_eq!(page.fault("machine_id").as_deref(), Some("Please fill this in."));
    assert!(page.fault("format").is_some_and(|fault| fault.contains("do not have this format")));
    assert_eq!(page.field("filters.min_duration_s").as_deref(), Some("5"));
    let fields = [("machine_id", "1"), ("filters.from", "2026-02-10"), ("filters.to", "2026-02-01")];
    let page = submit(&yard.app, cookie, path, &fields).await.expect(422);
    assert!(page.fault("filters.to").is_some() && page.fault("machine_id").is_none());
    assert_eq!(page.field("filters.from").as_deref(), Some("2026-02-10"));
    let unknown = submit(&yard.app, cookie, path, &[("machine_id", "99")]).await.expect(422);
    assert!(unknown.fault("machine_id").is_some());
    assert_eq!(get(&yard, "/api/v1/reports").await["data"], json!([]));
}

async fn viewers_order_reports_too(app: TestApp) {
    let yard = busy_yard(app).await;
    let viewer = yard.app.sign_in_new_user("view@example.com", Role::Viewer).await;
    let form = open(&yard.app, &viewer.cookie, "/reports/new?kind=person").await.expect(200);
    assert!(form.says("Person 1") && !form.says("Ada"));
    let fields = [("person_id", "1"), ("format", "pdf")];
    let path = "/reports/new?kind=person";
    submit(&yard.app, &viewer.cookie, path, &fields).await.expect(303);
    yard.app.run_jobs().await;
    let page = open(&yard.app, &viewer.cookie, "/reports/1").await.expect(200);
    assert!(page.says("Person 1") && page.says("On foot") && page.says("Driving"));
    // Schedules are for members.
    let list = open(&yard.app, &viewer.cookie, "/reports").await.expect(200);
    assert!(!list.links().iter().any(|link| link.starts_with("/reports/schedules")));
    open(&yard.app, &viewer.cookie, "/reports/schedules").await.expect(403);
}

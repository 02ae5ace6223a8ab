//! The formats of reports, and tables that are too large for them.

use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::contents::reading::{csv, sheets};
use super::{
    all_bodies, busy_yard, create_ready_report, delete, download, get, incursions_body, post, remake,
};
use crate::contract::PIXEL_PNG;
use crate::pdf;
use crate::v1::insights::Yard;

on_both_engines!(
    each_kind_has_its_formats,
    what_is_too_long_for_paper_is_refused,
    a_pivot_that_is_too_wide_for_paper_is_refused,
    pages_are_counted,
    the_logo_of_the_brand_is_in_it,
    a_broken_logo_is_left_out,
);

async fn each_kind_has_its_formats(app: TestApp) {
    let yard = busy_yard(app).await;
    for body in all_bodies() {
        let kind = body["kind"].as_str().unwrap().to_owned();
        let done = create_ready_report(&yard, &yard.admin, &body).await;
        let formats: Vec<&str> =
            done["formats"].as_array().unwrap().iter().map(|format| format.as_str().unwrap()).collect();
        assert_eq!(done["format"], formats[0], "the first is the usual one");
        for format in ["pdf", "xlsx", "csv", "json"] {
            let reply = download(&yard, &yard.admin, &done["id"], &format!("?format={format}")).await;
            if !formats.contains(&format) {
                assert_eq!(reply.expect(422).code(), "unknown_format", "{kind} {format}");
                let mut refused = body.clone();
                refused["format"] = json!(format);
                let refused = post(&yard, &yard.admin, &refused).await.expect(422).json();
                assert_eq!(refused["errors"][0]["field"], "format", "{refused}");
                continue;
            }
            let reply = reply.expect(200);
            let subjects = ["project", "worksite", "machine", "person"].into_iter();
            let subjects = subjects.filter(|word| body.get(format!("{word}_id")).is_some());
            let subject: String = subjects.map(|word| format!("-{word}_1")).collect();
            let name = format!("{kind}{subject}-2026-02-01-to-2026-02-28-{}.{format}", done["id"]);
            assert_eq!(reply.header("content-disposition"), format!("attachment; filename=\"{name}\""));
            match format {
                "pdf" => pdf::check(&reply.body),
                "xlsx" => assert_eq!(sheets(&reply.body)[1..], ["About"], "{kind}"),
                "csv" => {
                    let (column, rows) = table_of(&kind);
                    let lines = csv(&reply.body);
                    assert!(lines[0].iter().any(|heading| heading == column), "{kind}: {lines:?}");
                    assert_eq!(lines.len() - 1, rows, "{kind}: {lines:?}");
                }
                _ => assert_eq!(reply.json()["report"]["kind"], kind),
            }
        }
    }
}

/// Returns a column of the table of a kind, and the number of its rows in the busy yard.
fn table_of(kind: &str) -> (&'static str, usize) {
    match kind {
        "project_summary" => ("worksite_id", 1),
        "tag_test_compliance" => ("tag", 3),
        "visitor_log" => ("visitor", 0),
        "incursions" => ("started_at", 4),
        // Two machines with a person each, and the total.
        "pivot" => ("Level", 5),
        other => panic!("{other} has no table"),
    }
}

/// Returns the code with which a request is refused because of its format.
async fn refused_format(yard: &Yard, body: &Value) -> String {
    let refused = post(yard, &yard.admin, body).await.expect(422).json();
    assert_eq!(refused["errors"][0]["field"], "format", "{refused}");
    refused["errors"][0]["code"].as_str().unwrap().to_owned()
}

async fn what_is_too_long_for_paper_is_refused(app: TestApp) {
    let yard = Yard::new(app).await;
    let add = async |minutes: std::ops::Range<i64>| {
        yard.facts.add_incursions(minutes.map(|minute| yard.row(minute + 1, Some(1))).collect()).await;
    };
    add(0..2_000).await;
    let body = |format: &str| json!({ "kind": "incursions", "format": format });
    let most = post(&yard, &yard.admin, &body("pdf")).await.expect(201).json();
    delete(&yard, &yard.admin, &most["id"]).await.expect(200);
    add(2_000..2_001).await;
    assert_eq!(refused_format(&yard, &body("pdf")).await, "too_many_rows");
    let long = create_ready_report(&yard, &yard.admin, &body("csv")).await;
    let csv = download(&yard, &yard.admin, &long["id"], "").await.expect(200).text();
    assert_eq!(csv.lines().count(), 2_002);
    let refused = download(&yard, &yard.admin, &long["id"], "?format=pdf").await.expect(422);
    assert_eq!(refused.code(), "too_many_rows");
}

async fn a_pivot_that_is_too_wide_for_paper_is_refused(app: TestApp) {
    let yard = busy_yard(app).await;
    let body = |format: &str, measures: &[&str]| {
        let filters = json!({ "from": "2026-02-01", "to": "2026-03-01" });
        let pivot = json!({ "columns": ["zone", "machine"], "measures": measures, "filters": filters });
        json!({ "kind": "pivot", "format": format, "pivot": pivot })
    };
    let measures = ["incursions", "acknowledged", "average_duration", "median_duration", "machines"];
    // Three columns of keys: 15 columns of cells.
    assert_eq!(refused_format(&yard, &body("pdf", &measures)).await, "too_many_columns");
    let done = create_ready_report(&yard, &yard.admin, &body("csv", &measures)).await;
    let refused = download(&yard, &yard.admin, &done["id"], "?format=pdf").await.expect(422);
    assert_eq!(refused.code(), "too_many_columns");
    create_ready_report(&yard, &yard.admin, &body("pdf", &measures[..4])).await;
}

async fn pages_are_counted(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.reports.max_pages = 1).await;
    let yard = busy_yard(app).await;
    let body = json!({ "kind": "site_safety", "format": "pdf", "worksite_id": 1 });
    let asked = post(&yard, &yard.admin, &body).await.expect(201).json();
    assert_eq!(yard.app.run_jobs().await, 1, "another attempt would not help");
    let shown = get(&yard, &yard.admin, &asked["id"]).await.expect(200).json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("failed"), &json!("too_many_pages")));
    assert!(shown["reason_text"].as_str().is_some_and(|text| text.ends_with('.')), "{shown}");
    let body = json!({ "kind": "site_safety", "format": "json", "worksite_id": 1 });
    let done = create_ready_report(&yard, &yard.admin, &body).await;
    let refused = download(&yard, &yard.admin, &done["id"], "?format=pdf").await.expect(422);
    assert_eq!(refused.code(), "too_many_pages");
}

async fn the_logo_of_the_brand_is_in_it(app: TestApp) {
    let yard = busy_yard(app).await;
    let id = &create_ready_report(&yard, &yard.admin, &incursions_body("pdf")).await["id"];
    let images = async || pdf::images(&download(&yard, &yard.admin, id, "").await.expect(200).body);
    let said = images().await;
    assert!(!said.contains("image"), "charts are no pictures: {said}");
    let logo = yard.app.request(Method::PUT, "/api/v1/admin/brand/logo").cookie(&yard.admin.cookie);
    logo.bytes("image/png", PIXEL_PNG).send().await.expect(200);
    remake(&yard, &yard.admin, id).await.expect(200);
    yard.app.run_jobs().await;
    let said = images().await;
    assert!(said.lines().any(|line| line.split_whitespace().nth(2) == Some("image")), "{said}");
}

async fn a_broken_logo_is_left_out(app: TestApp) {
    let yard = busy_yard(app).await;
    let bytes = testkit::bytes_literal(yard.app.database(), b"\x89PNG\r\n\x1a\nnot a picture");
    let statement = format!(
        "insert into brand_logos (brand_id, content_type, bytes, hash, updated_at) values (1, 'image/png', {bytes}, {bytes}, 0)"
    );
    testkit::execute_raw_sql(yard.app.database(), &statement).await.unwrap();
    let done = create_ready_report(&yard, &yard.admin, &incursions_body("pdf")).await;
    pdf::check(&download(&yard, &yard.admin, &done["id"], "").await.expect(200).body);
}

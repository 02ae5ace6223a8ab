//! Export requests that are refused immediately.

use serde_json::{Value, json};
use testkit::{Engine, TestApp, on_both_engines};

use super::{busy_yard, incursions_body, post};

on_both_engines!(
    a_wrong_body_is_refused_by_its_fields,
    a_pivot_that_is_too_large_is_refused_at_once,
    one_user_has_only_so_many_made_at_once
);

async fn a_wrong_body_is_refused_by_its_fields(app: TestApp) {
    let yard = busy_yard(app).await;
    let pivot = json!({ "measures": ["incursions"] });
    for (body, pointer) in [
        (json!({}), "kind"),
        (json!({ "kind": "people", "format": "csv" }), "kind"),
        (json!({ "kind": "incursions" }), "format"),
        (json!({ "kind": "incursions", "format": "pdf" }), "format"),
        (json!({ "kind": "incursions", "format": "csv", "pivot": pivot }), "pivot"),
        (json!({ "kind": "incursions", "format": "csv", "filters": { "zone": ["near"] } }), "filters.zone.0"),
        (
            json!({ "kind": "incursions", "format": "csv", "filters": { "from": "2019-01-01" } }),
            "filters.from",
        ),
        (
            json!({ "kind": "incursions", "format": "csv", "filters": { "from": "2026-03-03" } }),
            "filters.from",
        ),
        (
            json!({ "kind": "incursions", "format": "csv", "filters": { "from": "2026-02-02", "to": "2026-02-01" } }),
            "filters.to",
        ),
        (json!({ "kind": "incursions", "format": "csv", "columns": ["id"] }), "columns"),
        (json!({ "kind": "pivot", "format": "csv" }), "pivot"),
        (json!({ "kind": "pivot", "format": "csv", "pivot": {} }), "pivot.measures"),
        (json!({ "kind": "pivot", "format": "csv", "pivot": pivot, "filters": {} }), "filters"),
        (
            json!({ "kind": "pivot", "format": "csv", "pivot": { "measures": ["incursions"], "rows": ["day", "day"] } }),
            "pivot.rows",
        ),
        (
            json!({ "kind": "pivot", "format": "csv", "pivot": { "measures": ["incursions"], "filters": { "from": "2019-01-01" } } }),
            "pivot.filters.from",
        ),
    ] {
        let refused = post(&yard, &yard.admin, &body).await.expect(422).json();
        let source = refused["errors"][0]["source"]["pointer"].as_str().unwrap();
        assert_eq!(source.trim_start_matches('/').replace('/', "."), pointer, "{body}");
    }
    assert_eq!(yard.app.run_jobs().await, 0);
}

async fn a_pivot_that_is_too_large_is_refused_at_once(app: TestApp) {
    let yard = busy_yard(app).await;
    // More columns than a pivot allows: one for each hour, over most of a year.
    let rows: Vec<_> = (0..2_001)
        .map(|hour| {
            let mut row = yard.row(0, Some(1));
            row.started_at = row.started_at - domain::Span::minutes(60 * (hour + 24));
            row.ended_at = Some(row.started_at);
            row.attribution.local_day = testkit::utc_day(row.started_at);
            row.attribution.local_minute = row.started_at.seconds().rem_euclid(86_400) / 60;
            row
        })
        .collect();
    yard.facts.add_incursions(rows).await;
    let pivot =
        json!({ "columns": ["hour"], "measures": ["incursions"], "filters": { "from": "2025-06-01" } });
    let refused =
        post(&yard, &yard.admin, &json!({ "kind": "pivot", "format": "xlsx", "pivot": pivot })).await;
    let error: Value = refused.expect(422).json()["errors"][0].clone();
    assert_eq!(
        (&error["code"], &error["source"]["pointer"]),
        (&json!("too_many_cells"), &json!("/pivot/columns"))
    );
    assert_eq!(yard.app.run_jobs().await, 0);
}

/// Runs on one engine only: creating the rows takes long, and counting is tested elsewhere.
#[test]
fn a_workbook_holds_only_so_many_incursions() {
    testkit::run(Engine::Sqlite, async |engine: Engine| {
        let app = TestApp::start_with(engine, |config| config.analytics.engine = app::Engine::Sql).await;
        let yard = busy_yard(app).await;
        let started_at = yard.app.clock.now().micros() - 3_600_000_000;
        let rows = format!(
            "with recursive n (i) as (select 1 union all select i + 1 from n where i < 1048572)
             insert into incursions (brand_id, seq, base_station_id, uid, tag_id, started_at, zone, local_day, local_minute,
                 review, received_at)
             select 1, 1000 + i, 1, 'x' || i, 1, {started_at} + i, 1, 20512, 0, 0, 0 from n"
        );
        testkit::execute_raw_sql(yard.app.database(), &rows).await.unwrap();
        let refused = post(&yard, &yard.admin, &incursions_body("xlsx")).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!(
            (&error["code"], &error["source"]["pointer"]),
            (&json!("too_many_rows"), &json!("/format"))
        );
        assert_eq!(yard.app.run_jobs().await, 0);
        // Those of one zone fit, and other formats have no limit.
        post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
        let fewer = json!({ "zone": ["warning"] });
        let body = json!({ "kind": "incursions", "format": "xlsx", "filters": fewer });
        post(&yard, &yard.admin, &body).await.expect(201);
        yard.app.allow_leftover_jobs();
    });
}

async fn one_user_has_only_so_many_made_at_once(app: TestApp) {
    let yard = busy_yard(app).await;
    for _ in 0..20 {
        post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    }
    assert_eq!(
        post(&yard, &yard.admin, &incursions_body("csv")).await.expect(409).code(),
        "too_many_exports"
    );
    yard.app.run_jobs().await;
    post(&yard, &yard.admin, &incursions_body("csv")).await.expect(201);
    yard.app.run_jobs().await;
}

//! POST /api/v1/machines/{id}/archive and …/restore

use domain::{DeviceKind, Role, Span};
use serde_json::json;
use testkit::{Reply, TestApp, on_both_engines};

use super::{create_site, get, patch, post};

on_both_engines!(
    an_archived_machine_leaves_its_site_and_its_station,
    archiving_and_restoring_twice_is_fine,
    an_archived_machine_goes_nowhere,
    a_stale_archiving_is_refused,
);

async fn call(app: &TestApp, cookie: &str, verb: &str) -> Reply {
    app.post(&format!("/api/v1/machines/1/{verb}")).cookie(cookie).send().await
}

async fn an_archived_machine_leaves_its_site_and_its_station(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    post(&app, &ada, &json!({ "name": "Crane", "kind": "crane", "worksite_id": 1 })).await.expect(201);
    app.issue_token("Acme", DeviceKind::Station, "BS-1").await;
    let insert =
        "insert into installations (brand_id, base_station_id, machine_id, from_at, created_at, updated_at)
                  values (1, 1, 1, 10, 1, 1)";
    testkit::execute_raw_sql(app.database(), insert).await.unwrap();
    let reply = call(&app, &ada.cookie, "archive").await.expect(200);
    let body = reply.json();
    assert_eq!((&body["archived_at"], reply.header("etag")), (&json!("2026-03-01T12:00:30Z"), "\"2\""));
    assert!(body["worksite"].is_null() && body["base_station"].is_null());
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    for action in ["machine.archived", "machine.assigned", "installation.ended"] {
        assert!(rows.iter().any(|row| row.action == action), "{action} is in the audit log");
    }
    // Installation and assignment have ended: the station and the worksite can take others.
    let again =
        "insert into installations (brand_id, base_station_id, machine_id, from_at, created_at, updated_at)
                 values (1, 1, 1, 1772366431000000, 1, 1)";
    testkit::execute_raw_sql(app.database(), again).await.unwrap();
}

async fn archiving_and_restoring_twice_is_fine(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &json!({ "name": "Crane", "kind": "crane" })).await.expect(201);
    assert_eq!(call(&app, &ada.cookie, "restore").await.expect(200).header("etag"), "\"1\"");
    let first = call(&app, &ada.cookie, "archive").await.expect(200);
    app.clock.advance(Span::minutes(1));
    assert_eq!(call(&app, &ada.cookie, "archive").await.expect(200).json(), first.json());
    let count = |query: &'static str| {
        let request = app.get(&format!("/api/v1/machines{query}")).cookie(&ada.cookie).send();
        async move { request.await.expect(200).json()["data"].as_array().unwrap().len() }
    };
    assert_eq!((count("").await, count("?archived=true").await), (0, 1));
    let restored = call(&app, &ada.cookie, "restore").await.expect(200);
    assert!(restored.json()["archived_at"].is_null());
    assert_eq!(restored.header("etag"), "\"3\"");
    assert_eq!((count("").await, count("?archived=true").await), (1, 0));
}

async fn an_archived_machine_goes_nowhere(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    create_site(&app, &ada, "East", None).await;
    post(&app, &ada, &json!({ "name": "Crane", "kind": "crane" })).await.expect(201);
    call(&app, &ada.cookie, "archive").await.expect(200);
    let refused = patch(&app, &ada, 1, &json!({ "worksite_id": 1 })).await.expect(409);
    assert_eq!(refused.code(), "machine_archived");
    patch(&app, &ada, 1, &json!({ "name": "Old crane", "worksite_id": null })).await.expect(200);
    assert!(get(&app, &ada, 1).await.expect(200).json()["worksite"].is_null());
}

async fn a_stale_archiving_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    post(&app, &ada, &json!({ "name": "Crane", "kind": "crane" })).await.expect(201);
    patch(&app, &ada, 1, &json!({ "name": "Tower crane" })).await.expect(200);
    let archive =
        |tag: &str| app.post("/api/v1/machines/1/archive").cookie(&ada.cookie).header("if-match", tag).send();
    assert_eq!(archive("\"1\"").await.expect(412).code(), "stale");
    archive("\"2\"").await.expect(200);
}

//! PATCH /api/v1/projects/{id}

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, Reply, TestApp, on_both_engines};

on_both_engines!(
    what_is_named_changes_and_the_rest_stays,
    archiving_hides_and_restoring_brings_back,
    a_stale_change_is_refused,
    fifty_changes_at_once_lose_none,
    every_change_is_written_down_with_before_and_after,
    a_project_and_its_sites_change_at_once,
);

async fn set_up(app: &TestApp) -> Account {
    let ada = app.sign_in_new_user("ada@example.com", Role::Member).await;
    let new = json!({ "name": "Bridge", "code": "B-1" });
    app.post("/api/v1/projects").cookie(&ada.cookie).json(&new).send().await.expect(201);
    ada
}

async fn patch(app: &TestApp, ada: &Account, change: &Value) -> Reply {
    app.patch("/api/v1/projects/1").cookie(&ada.cookie).json(change).send().await
}

async fn what_is_named_changes_and_the_rest_stays(app: TestApp) {
    let ada = set_up(&app).await;
    let reply = patch(&app, &ada, &json!({ "name": "Tunnel" })).await.expect(200);
    let body = reply.json();
    assert_eq!((&body["name"], &body["code"]), (&json!("Tunnel"), &json!("B-1")));
    assert_eq!(reply.header("etag"), "\"2\"");
    let reply = patch(&app, &ada, &json!({ "code": null })).await.expect(200);
    assert_eq!((&reply.json()["name"], &reply.json()["code"]), (&json!("Tunnel"), &json!(null)));
    // A PATCH without effect does not change the version.
    let reply = patch(&app, &ada, &json!({ "name": "Tunnel" })).await.expect(200);
    assert_eq!(reply.header("etag"), "\"3\"");
    patch(&app, &ada, &json!({})).await.expect(200);
    for (change, code) in [
        (json!({ "name": null }), "required"),
        (json!({ "name": "a\u{7}" }), "control_character"),
        (json!({ "archived": "yes" }), "wrong_type"),
        (json!({ "version": 9 }), "unknown_field"),
    ] {
        let refused = patch(&app, &ada, &change).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], code, "{change}");
    }
}

async fn archiving_hides_and_restoring_brings_back(app: TestApp) {
    let ada = set_up(&app).await;
    let names = |query: &'static str| {
        let request = app.get(&format!("/api/v1/projects{query}")).cookie(&ada.cookie).send();
        async move { request.await.expect(200).json()["data"].as_array().unwrap().len() }
    };
    let reply = patch(&app, &ada, &json!({ "archived": true })).await.expect(200);
    assert_eq!(reply.json()["archived_at"], "2026-03-01T12:00:30Z");
    assert_eq!((names("").await, names("?archived=true").await), (0, 1));
    // Repeating it has no effect, and the first time stays.
    app.clock.advance(domain::Span::minutes(1));
    let reply = patch(&app, &ada, &json!({ "archived": true })).await.expect(200);
    assert_eq!(reply.json()["archived_at"], "2026-03-01T12:00:30Z");
    let reply = patch(&app, &ada, &json!({ "archived": false })).await.expect(200);
    assert!(reply.json()["archived_at"].is_null());
    assert_eq!((names("").await, names("?archived=true").await), (1, 0));
}

async fn a_stale_change_is_refused(app: TestApp) {
    let ada = set_up(&app).await;
    let change = |tag: &str, name: &str| {
        let request = app.patch("/api/v1/projects/1").cookie(&ada.cookie).header("if-match", tag);
        request.json(&json!({ "name": name })).send()
    };
    assert_eq!(change("\"1\"", "Second").await.expect(200).header("etag"), "\"2\"");
    for stale in ["\"1\"", "W/\"2\"", "\"0\", \"3\"", "junk", ""] {
        assert_eq!(change(stale, "Third").await.expect(412).code(), "stale");
    }
    change("\"1\", \"2\"", "Third").await.expect(200);
    change("*", "Fourth").await.expect(200);
}

async fn fifty_changes_at_once_lose_none(app: TestApp) {
    let ada = set_up(&app).await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..50 {
        let body = json!({ "name": format!("Name {n}") });
        work.spawn(app.patch("/api/v1/projects/1").cookie(&ada.cookie).json(&body).send());
    }
    let mut tags: Vec<i64> = work
        .join_all()
        .await
        .into_iter()
        .map(|reply| reply.expect(200).header("etag").trim_matches('"').parse().unwrap())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, (2..=51).collect::<Vec<i64>>());
}

async fn every_change_is_written_down_with_before_and_after(app: TestApp) {
    let ada = set_up(&app).await;
    patch(&app, &ada, &json!({ "name": "Tunnel" })).await.expect(200);
    app.app.seal_audit_log().await.unwrap();
    let (store, platform) = app.database().open().await;
    let rows = store.read().await.unwrap().audits(&platform).sealed_rows(1, 0, 100).await.unwrap();
    let row = rows.iter().find(|row| row.action == "project.changed").unwrap();
    let details: Value = serde_json::from_str(&row.details).unwrap();
    assert_eq!((&details["before"]["name"], &details["after"]["name"]), (&json!("Bridge"), &json!("Tunnel")));
    assert_eq!((row.actor_id, row.target_id), (Some(1), Some(1)));
}

async fn a_project_and_its_sites_change_at_once(app: TestApp) {
    let ada = set_up(&app).await;
    let mut work = tokio::task::JoinSet::new();
    for n in 0..40 {
        let change = json!({ "name": format!("Name {n}") });
        work.spawn(app.patch("/api/v1/projects/1").cookie(&ada.cookie).json(&change).send());
        let site = json!({
            "name": format!("Site {n}"), "colour": "#ff8800", "kind": "other", "time_zone": "UTC", "project_id": 1,
        });
        work.spawn(app.post("/api/v1/worksites").cookie(&ada.cookie).json(&site).send());
    }
    for reply in work.join_all().await {
        assert!(reply.status.is_success(), "{reply:?}");
    }
}

//! Who manages webhooks.

use domain::{EmailAddress, ProjectId, Role, Span};
use http::Method;
use serde_json::json;
use testkit::{Account, Engine, Reply, TestApp, on_both_engines};

use super::{PATH, act, create, hook};

on_both_engines!(
    only_admins_who_see_everything_manage_webhooks,
    those_of_another_brand_do_not_exist,
    writes_need_fresh_proof,
);

/// Makes every call to a webhook as a user.
async fn call_all(app: &TestApp, user: &Account, webhook: &str, delivery: &str) -> Vec<(String, Reply)> {
    let mut replies = Vec::new();
    for (method, path, body) in [
        (Method::GET, PATH.to_owned(), None),
        (Method::POST, PATH.to_owned(), Some(hook(&json!({})))),
        (Method::GET, webhook.to_owned(), None),
        (Method::PATCH, webhook.to_owned(), Some(json!({ "name": "Mine" }))),
        (Method::POST, format!("{webhook}/rotate"), None),
        (Method::POST, format!("{webhook}/test"), None),
        (Method::GET, format!("{webhook}/deliveries"), None),
        (Method::POST, format!("{webhook}/deliveries/{delivery}/redeliver"), None),
        (Method::DELETE, webhook.to_owned(), None),
    ] {
        let call = app.request(method.clone(), &path).cookie(&user.cookie);
        let call = match &body {
            Some(body) => call.json(body),
            None => call,
        };
        replies.push((format!("{method} {path}"), call.send().await));
    }
    replies
}

async fn only_admins_who_see_everything_manage_webhooks(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let project = app.post("/api/v1/projects").cookie(&admin.cookie).json(&json!({ "name": "North" }));
    project.send().await.expect(201);
    let (path, _) = create(&app, &admin, &json!({})).await;
    let delivery = act(&app, &admin, &format!("{path}/test")).await.expect(200).json()["id"].to_string();
    for (email, role) in [("viewer@example.com", Role::Viewer), ("member@example.com", Role::Member)] {
        let user = app.sign_in_new_user(email, role).await;
        for (call, reply) in call_all(&app, &user, &path, &delivery).await {
            assert_eq!(reply.expect(403).code(), "permission_missing", "{call}");
        }
    }
    let restricted = app.sign_in_new_user("restricted@example.com", Role::Admin).await;
    let email = EmailAddress::parse(&restricted.email).unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    for (call, reply) in call_all(&app, &restricted, &path, &delivery).await {
        assert_eq!(reply.expect(403).code(), "restricted", "{call}");
    }
    assert_eq!(app.get(&path).cookie(&admin.cookie).send().await.expect(200).json()["name"], "Control room");
    app.allow_leftover_jobs();
}

async fn those_of_another_brand_do_not_exist(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let stranger = app.sign_in_new_user_in_brand("Other", "stranger@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let delivery = act(&app, &admin, &format!("{path}/test")).await.expect(200).json()["id"].to_string();
    for (call, reply) in call_all(&app, &stranger, &path, &delivery).await {
        match call.ends_with(PATH) {
            true => assert!(reply.status.is_success(), "{call}: {}", reply.text()),
            false => assert_eq!(reply.expect(404).code(), "not_found", "{call}"),
        }
    }
    let list = app.get(PATH).cookie(&stranger.cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1, "their own");
    app.allow_leftover_jobs();
}

async fn writes_need_fresh_proof(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let delivery = act(&app, &admin, &format!("{path}/test")).await.expect(200).json()["id"].to_string();
    app.clock.advance(Span::minutes(16));
    for (call, reply) in call_all(&app, &admin, &path, &delivery).await {
        // What only sends something changes nothing that others rely on.
        let is_open = call.starts_with("GET") || call.ends_with("/test");
        match call.ends_with("/redeliver") {
            true => assert_eq!(reply.expect(409).code(), "already_queued"),
            false if is_open => assert!(reply.status.is_success(), "{call}: {}", reply.text()),
            false => assert_eq!(reply.expect(403).code(), "proof_required", "{call}"),
        }
    }
    app.allow_leftover_jobs();
}

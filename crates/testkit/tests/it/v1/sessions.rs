//! /api/v1/sessions

use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

on_both_engines!(
    ones_own_sessions_are_listed_and_ended,
    anothers_sessions_do_not_exist,
    a_login_beyond_the_limit_ends_the_one_that_was_not_used_for_longest
);

async fn ones_own_sessions_are_listed_and_ended(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let list = || app.get("/api/v1/sessions").cookie(&ada.cookie).send();
    let body = list().await.expect(200).json();
    let seen: Vec<_> =
        body["data"].as_array().unwrap().iter().map(|row| (&row["kind"], &row["current"])).collect();
    assert_eq!(seen, [(&json!("jwt"), &json!(false)), (&json!("cookie"), &json!(true))]);
    assert_eq!(body["data"][0]["address"], "127.0.0.1");
    for row in body["data"].as_array().unwrap() {
        let path = format!("/api/v1/sessions/{}", row["id"]);
        assert_eq!(app.get(&path).cookie(&ada.cookie).send().await.expect(200).json(), *row);
    }
    let jwt = body["data"][0]["id"].as_i64().unwrap();
    let ended = app.delete(&format!("/api/v1/sessions/{jwt}")).cookie(&ada.cookie).send().await.expect(200);
    assert_eq!(ended.json(), json!({ "id": jwt, "ended_at": "2026-03-01T12:00:30Z" }));
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.delete(&format!("/api/v1/sessions/{jwt}")).cookie(&ada.cookie).send().await.expect(404);
    app.get(&format!("/api/v1/sessions/{jwt}")).cookie(&ada.cookie).send().await.expect(404);
    assert_eq!(list().await.expect(200).json()["data"].as_array().unwrap().len(), 1);
    app.get("/api/v1/sessions?include_total=true").cookie(&ada.cookie).send().await.expect(400);
}

async fn anothers_sessions_do_not_exist(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let bobs = app.get("/api/v1/sessions").cookie(&bob.cookie).send().await.expect(200).json();
    let id = bobs["data"][0]["id"].as_i64().unwrap();
    app.get(&format!("/api/v1/sessions/{id}")).cookie(&ada.cookie).send().await.expect(404);
    app.delete(&format!("/api/v1/sessions/{id}")).cookie(&ada.cookie).send().await.expect(404);
    app.get("/api/v1/session").cookie(&bob.cookie).send().await.expect(200);
}

async fn a_login_beyond_the_limit_ends_the_one_that_was_not_used_for_longest(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.max_sessions_per_user = 3).await;
    let other = app.second_instance().await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(2));
    other.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    let third = app.log_in_v1(&ada.email, PASSWORD).await.expect(201).session_cookie();
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.clock.advance(Span::minutes(2));
    for cookie in [&third, &ada.cookie] {
        other.get("/api/v1/session").cookie(cookie).send().await.expect(200);
    }
    // The token was not used since then.
    app.log_in_v2(&ada.email, PASSWORD).await.expect(200);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.clock.advance(Span::seconds(1));
    other.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    for cookie in [&third, &ada.cookie, &bob.cookie] {
        app.get("/api/v1/session").cookie(cookie).send().await.expect(200);
    }
}

//! POST /api/v2/refresh

use std::collections::HashSet;

use domain::{Role, Span};
use serde_json::json;
use testkit::{Reply, TestApp, on_both_engines};

on_both_engines!(
    a_refresh_gives_new_tokens,
    fifty_at_once_get_the_same_successor,
    a_repeat_is_forgiven_for_ten_seconds,
    a_replay_after_ten_seconds_ends_the_family,
    a_replay_after_the_successor_was_used_ends_the_family,
    a_family_ends_when_idle_or_old,
    what_is_no_refresh_token_is_refused
);

async fn refresh(app: &TestApp, token: &str) -> Reply {
    app.post("/api/v2/refresh").header("refreshtoken", token).send().await
}

async fn a_refresh_gives_new_tokens(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(20));
    let reply = refresh(&app, &ada.refresh_token).await.expect(200);
    assert_eq!(reply.json()["user"]["email"], "ada@example.com");
    assert_ne!(reply.header("refreshtoken"), ada.refresh_token);
    app.get("/api/v2/session").bearer(reply.header("accesstoken")).send().await.expect(200);
    // The token can also be in the body.
    let body = json!({ "refresh_token": reply.header("refreshtoken") });
    app.post("/api/v2/refresh").json(&body).send().await.expect(200);
}

async fn fifty_at_once_get_the_same_successor(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let other = app.second_instance().await;
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..50 {
        let place = if n % 2 == 0 { &app } else { &other };
        calls.spawn(place.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send());
    }
    let replies = calls.join_all().await;
    let successors: HashSet<String> =
        replies.into_iter().map(|reply| reply.expect(200).header("refreshtoken").to_owned()).collect();
    assert_eq!(successors.len(), 1);
    refresh(&app, successors.iter().next().unwrap()).await.expect(200);
}

async fn a_repeat_is_forgiven_for_ten_seconds(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let first = refresh(&app, &ada.refresh_token).await.expect(200);
    app.clock.advance(Span::seconds(10));
    let again = refresh(&app, &ada.refresh_token).await.expect(200);
    assert_eq!(first.header("refreshtoken"), again.header("refreshtoken"));
    app.get("/api/v2/session").bearer(again.header("accesstoken")).send().await.expect(200);
}

async fn a_replay_after_ten_seconds_ends_the_family(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let next = refresh(&app, &ada.refresh_token).await.expect(200);
    app.clock.advance(Span::millis(10_001));
    let replay = refresh(&app, &ada.refresh_token).await.expect(401);
    assert_eq!(replay.code(), "refresh_token_reused");
    assert_eq!(refresh(&app, next.header("refreshtoken")).await.expect(401).code(), "invalid_refresh_token");
    app.get("/api/v2/session").bearer(next.header("accesstoken")).send().await.expect(401);
    // Other sessions of the user are not affected.
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
}

async fn a_replay_after_the_successor_was_used_ends_the_family(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let second = refresh(&app, &ada.refresh_token).await.expect(200);
    let third = refresh(&app, second.header("refreshtoken")).await.expect(200);
    assert_eq!(refresh(&app, &ada.refresh_token).await.expect(401).code(), "refresh_token_reused");
    refresh(&app, third.header("refreshtoken")).await.expect(401);
    app.get("/api/v2/session").bearer(third.header("accesstoken")).send().await.expect(401);
}

async fn a_family_ends_when_idle_or_old(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let days = |days: i64| Span::minutes(days * 24 * 60);
    let mut token = ada.refresh_token;
    for _ in 0..6 {
        app.clock.advance(days(13));
        token = refresh(&app, &token).await.expect(200).header("refreshtoken").to_owned();
    }
    // 78 days old, and 12 more make 90.
    app.clock.advance(days(12));
    refresh(&app, &token).await.expect(401);

    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    app.clock.advance(days(14));
    refresh(&app, &bob.refresh_token).await.expect(401);
}

async fn what_is_no_refresh_token_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let mut forged = ada.refresh_token.clone();
    forged.replace_range(4..15, &bob.refresh_token[4..15]);
    let cut = &ada.refresh_token[..60];
    for wrong in [&*forged, cut, "kcr_", "nonsense", &*ada.jwt, &*ada.cookie] {
        let reply = refresh(&app, wrong).await.expect(401);
        assert_eq!(reply.code(), "invalid_refresh_token");
        assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"keepclear\"");
    }
    let missing = app.post("/api/v2/refresh").send().await.expect(422);
    assert_eq!(missing.json()["errors"][0]["source"]["pointer"], "/refresh_token");
    app.post("/api/v2/refresh").json(&json!({ "refresh_token": 1 })).send().await.expect(422);
    app.post("/api/v2/refresh").bytes("text/plain", "x").send().await.expect(415);
    // The session of the attacked user is still valid.
    refresh(&app, &ada.refresh_token).await.expect(200);
}

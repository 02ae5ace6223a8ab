//! PUT /api/v1/session/password

use domain::Role;
use serde_json::json;
use testkit::{PASSWORD, Reply, TestApp, on_both_engines};

on_both_engines!(
    a_new_password_keeps_this_session_and_ends_the_others,
    the_current_one_must_be_known_and_guessing_counts,
    a_weak_one_is_refused,
);

const NEW: &str = "another wagon full of plums";

async fn change(app: &TestApp, cookie: &str, current: &str, new: &str) -> Reply {
    let body = json!({ "current_password": current, "new_password": new });
    app.request(http::Method::PUT, "/api/v1/session/password").cookie(cookie).json(&body).send().await
}

async fn a_new_password_keeps_this_session_and_ends_the_others(app: TestApp) {
    let ada = app.signed_in("ada@example.com", Role::Viewer).await;
    let other = app.log_in_v1(&ada.email, PASSWORD).await.expect(201).session_cookie();
    let reply = change(&app, &ada.cookie, PASSWORD, NEW).await.expect(200);
    assert_eq!(reply.json(), json!({ "sessions_ended": 2 }));
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    app.get("/api/v1/session").cookie(&other).send().await.expect(401);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.log_in_v1(&ada.email, PASSWORD).await.expect(401);
    app.log_in_v1(&ada.email, NEW).await.expect(201);
}

async fn the_current_one_must_be_known_and_guessing_counts(app: TestApp) {
    let ada = app.signed_in("ada@example.com", Role::Viewer).await;
    for _ in 0..5 {
        let refused = change(&app, &ada.cookie, "a guess", NEW).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("current_password"), &json!("wrong_password")));
    }
    assert_eq!(change(&app, &ada.cookie, PASSWORD, NEW).await.expect(429).code(), "too_many_attempts");
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
}

async fn a_weak_one_is_refused(app: TestApp) {
    let ada = app.signed_in("ada@example.com", Role::Viewer).await;
    for (new, code) in [("short", "password_too_short"), ("ada@example.com", "password_too_common")] {
        let refused = change(&app, &ada.cookie, PASSWORD, new).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("new_password"), &json!(code)));
    }
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
}

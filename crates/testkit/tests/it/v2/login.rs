//! POST /api/v2/login, GET and DELETE /api/v2/session, POST /api/v2/logout

use domain::{Role, Span};
use serde_json::json;
use testkit::{PASSWORD, TestApp, on_both_engines};

on_both_engines!(
    the_three_headers_open_v2,
    wrong_credentials_are_json_api_errors,
    both_ways_to_log_out_end_session_and_refresh_tokens,
    a_token_expires_when_its_header_says
);

async fn the_three_headers_open_v2(app: TestApp) {
    app.create_user("ada@example.com", Role::Member).await;
    let reply = app.log_in_v2("ada@example.com", PASSWORD).await.expect(200);
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.header("cache-control"), "no-store");
    let expiry: i64 = reply.header("accesstokenexpiry").parse().unwrap();
    assert_eq!(expiry, app.clock.now().seconds() + 15 * 60);
    assert!(reply.header("refreshtoken").starts_with("kcr_"));
    let session =
        app.get("/api/v2/session").bearer(reply.header("accesstoken")).send().await.expect(200).json();
    assert_eq!(session["user"], reply.json()["user"]);
    assert_eq!(session["brand"]["name"], "Acme");
    assert_eq!(session["expires_at"], "2026-03-01T12:15:30Z");
    assert!(session["permissions"].as_array().unwrap().contains(&json!("write_registry")));
    let form = format!("email=ada%40example.com&password={}", PASSWORD.replace(' ', "%20"));
    app.post("/api/v2/login").bytes("application/x-www-form-urlencoded", form).send().await.expect(200);
}

async fn wrong_credentials_are_json_api_errors(app: TestApp) {
    let reply = app.log_in_v2("nobody@example.com", PASSWORD).await.expect(401);
    assert_eq!(reply.header("content-type"), "application/vnd.api+json");
    assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"keepclear\"");
    assert_eq!((reply.header("accesstoken"), reply.header("refreshtoken")), ("", ""));
    assert_eq!(reply.json()["errors"][0]["code"], "invalid_credentials");
    let reply = app.post("/api/v2/login").json(&json!({ "email": "a" })).send().await.expect(422);
    assert_eq!(reply.json()["errors"][0]["source"]["pointer"], "/password");
    let reply = app.post("/api/v2/login?x=1").json(&json!({})).send().await.expect(400);
    assert_eq!(reply.json()["errors"][0]["source"]["parameter"], "x");
}

async fn both_ways_to_log_out_end_session_and_refresh_tokens(app: TestApp) {
    app.create_user("ada@example.com", Role::Viewer).await;
    for (method, path) in [("POST", "/api/v2/logout"), ("DELETE", "/api/v2/session")] {
        let login = app.log_in_v2("ada@example.com", PASSWORD).await.expect(200);
        let (jwt, refresh) = (login.header("accesstoken"), login.header("refreshtoken"));
        let method = http::Method::from_bytes(method.as_bytes()).unwrap();
        let reply = app.request(method, path).bearer(jwt).send().await.expect(200);
        assert_eq!(reply.json()["ended_at"], "2026-03-01T12:00:30Z");
        app.get("/api/v2/session").bearer(jwt).send().await.expect(401);
        app.post("/api/v2/refresh").header("refreshtoken", refresh).send().await.expect(401);
    }
}

async fn a_token_expires_when_its_header_says(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::millis(899_999));
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.clock.advance(Span::millis(1));
    let reply = app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    assert_eq!(reply.code(), "credentials_expired");
    assert!(reply.header("www-authenticate").contains("error=\"invalid_token\""));
    app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(200);
}

//! Cross-origin requests.

use domain::Role;
use http::Method;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

on_both_engines!(configured_origins_may_call_v2_and_read_the_login_headers);

async fn configured_origins_may_call_v2_and_read_the_login_headers(engine: Engine) {
    let origin = "https://dashboards.example.com";
    let app =
        TestApp::start_with(engine, |config| config.cors.allowed_origins = vec![origin.to_owned()]).await;
    app.create_user("ada@example.com", Role::Viewer).await;
    let asked = "access-control-request-method";
    let preflight =
        |path, from| app.request(Method::OPTIONS, path).header("origin", from).header(asked, "POST").send();
    let reply = preflight("/api/v2/login", origin).await.expect(200);
    assert_eq!(reply.header("access-control-allow-origin"), origin);
    assert!(reply.header("access-control-allow-headers").contains("authorization"));
    let body = serde_json::json!({ "email": "ada@example.com", "password": PASSWORD });
    let login = app.post("/api/v2/login").header("origin", origin).json(&body).send().await.expect(200);
    assert_eq!(login.header("access-control-allow-origin"), origin);
    for name in ["accesstoken", "accesstokenexpiry", "refreshtoken"] {
        assert!(login.header("access-control-expose-headers").contains(name));
        assert_ne!(login.header(name), "");
    }
    // Other origins are refused, and V1 allows no other origin at all.
    assert_eq!(
        preflight("/api/v2/login", "https://evil.example").await.header("access-control-allow-origin"),
        ""
    );
    assert_eq!(preflight("/api/v1/session", origin).await.header("access-control-allow-origin"), "");
    let read = app.get("/api/v1/session").header("origin", origin).send().await.expect(401);
    assert_eq!(read.header("access-control-allow-origin"), "");
}

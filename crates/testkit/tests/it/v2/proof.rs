//! POST /api/v2/session/proof

use domain::{Role, Span};
use serde_json::json;
use testkit::{PASSWORD, TestApp, on_both_engines};

on_both_engines!(a_proof_is_taken_and_a_wrong_one_is_a_json_api_error);

async fn a_proof_is_taken_and_a_wrong_one_is_a_json_api_error(app: TestApp) {
    let ada = app.signed_in("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(10));
    let prove = async |password: &str| {
        let call = app.post("/api/v2/session/proof").bearer(&ada.jwt);
        call.json(&json!({ "password": password })).send().await
    };
    let refused = prove("a guess").await.expect(401);
    assert_eq!(refused.header("content-type"), "application/vnd.api+json");
    assert_eq!(refused.code(), "invalid_credentials");
    prove(PASSWORD).await.expect(200);
    // The session, its token and its refresh token go on.
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token).send().await.expect(200);
    let at =
        testkit::look(app.database(), "select cast(max(proven_at) - min(proven_at) as text) from sessions")
            .await;
    assert_eq!(at, ["600000000"]);
}

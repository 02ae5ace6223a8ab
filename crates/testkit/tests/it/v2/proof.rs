//! POST /api/v2/session/proof

use domain::{Role, Span};
use serde_json::json;
use testkit::{PASSWORD, TestApp, on_both_engines};

on_both_engines!(a_proof_is_taken_and_a_wrong_one_is_a_json_api_error, a_proof_replaces_the_tokens,);

async fn a_proof_is_taken_and_a_wrong_one_is_a_json_api_error(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(10));
    let prove = async |password: &str| {
        let call = app.post("/api/v2/session/proof").bearer(&ada.jwt);
        call.json(&json!({ "password": password })).send().await
    };
    let refused = prove("a guess").await.expect(401);
    assert_eq!(refused.header("content-type"), "application/vnd.api+json");
    assert_eq!(refused.code(), "invalid_credentials");
    assert!(refused.text().contains("The password or the code is wrong."), "{}", refused.text());
    let proven = prove(PASSWORD).await.expect(200);
    let until = app.clock.now() + Span::minutes(i64::from(app.config.auth.proof_max_age_minutes));
    assert_eq!(proven.json(), json!({ "fresh_until": until }));
    let at = testkit::query_raw_sql(
        app.database(),
        "select cast(max(proven_at) - min(proven_at) as text) from sessions",
    )
    .await;
    assert_eq!(at, ["600000000"]);
}

async fn a_proof_replaces_the_tokens(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let ends = "select cast(expires_at as text) from sessions where kind = 'jwt' and ended_at is null";
    let before = testkit::query_raw_sql(app.database(), ends).await;
    app.clock.advance(Span::minutes(10));
    let call = app.post("/api/v2/session/proof").bearer(&ada.jwt);
    let proven = call.json(&json!({ "password": PASSWORD })).send().await.expect(200);
    let (jwt, refresh_token) = (proven.header("accesstoken"), proven.header("refreshtoken"));
    assert!(proven.header("accesstokenexpiry").parse::<i64>().unwrap() > app.clock.now().seconds());
    // A stolen earlier token gains nothing from the proof, in this or another process.
    let other = app.second_instance().await;
    for place in [&app, &other] {
        place.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
        let refresh = place.post("/api/v2/refresh").header("refreshtoken", &ada.refresh_token);
        assert_eq!(refresh.send().await.expect(401).code(), "invalid_refresh_token");
        place.get("/api/v2/session").bearer(jwt).send().await.expect(200);
    }
    // It is the same session with the same expiry.
    assert_eq!(testkit::query_raw_sql(app.database(), ends).await, before);
    app.post("/api/v2/refresh").header("refreshtoken", refresh_token).send().await.expect(200);
}

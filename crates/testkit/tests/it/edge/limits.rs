//! Rate limits.

use domain::{DeviceKind, Role, Span};
use testkit::{Engine, TestApp, on_both_engines};

on_both_engines!(
    looking_up_unknown_credentials_has_an_end,
    users_and_tokens_have_quotas_of_their_own,
    lists_that_read_all_incursions_count_as_analytics,
    strangers_with_bad_credentials_are_counted_by_address
);

async fn users_and_tokens_have_quotas_of_their_own(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.limits.read_per_minute = web::Quota(2);
        config.limits.write_per_minute = web::Quota(1);
    })
    .await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Viewer).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let v1 = |cookie: &str| app.get("/api/v1/session").cookie(cookie).send();
    let reply = v1(&ada.cookie).await.expect(200);
    assert_eq!(
        (reply.header("ratelimit-policy"), reply.header("ratelimit")),
        ("\"read\";q=2;w=60", "\"read\";r=1;t=30")
    );
    // Both versions and all sessions of a user share a limit; the address does not matter.
    app.get("/api/v2/session").bearer(&ada.jwt).with_address("192.0.2.9").send().await.expect(200);
    let refused = v1(&ada.cookie).await.expect(429);
    assert_eq!((refused.header("retry-after"), refused.header("ratelimit")), ("30", "\"read\";r=0;t=60"));
    assert_eq!(refused.code(), "rate_limited");
    let refused = app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(429);
    assert_eq!(refused.header("content-type"), "application/vnd.api+json");
    // Other users at the same address are not affected, and neither are writes.
    v1(&bob.cookie).await.expect(200);
    app.get("/api/v1/tester/people_assets").bearer(&token).send().await.expect(200);
    app.delete("/api/v2/session").bearer(&ada.jwt).send().await.expect(200);
    app.clock.advance(Span::millis(29_999));
    v1(&ada.cookie).await.expect(429);
    app.clock.advance(Span::millis(1));
    v1(&ada.cookie).await.expect(200);
}

async fn lists_that_read_all_incursions_count_as_analytics(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.analytics_per_minute = web::Quota(1)).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let v1 = |query: &str| app.get(&format!("/api/v1/incursions?{query}")).cookie(&ada.cookie).send();
    let v2 = |query: &str| app.get(&format!("/api/v2/incursions?{query}")).bearer(&ada.jwt).send();
    for reply in [v1("sort=-started_at").await, v2("sort=started_at").await, v2("page[size]=1").await] {
        assert!(reply.expect(200).header("ratelimit-policy").starts_with("\"read\""));
    }
    let reply = v1("sort=duration_ms").await.expect(200);
    assert_eq!(reply.header("ratelimit-policy"), "\"analytics\";q=1;w=60");
    v1("sort=-ack_ms").await.expect(429);
    v2("sort=started_at,ack_ms").await.expect(429);
    v1("sort=started_at").await.expect(200);
}

async fn strangers_with_bad_credentials_are_counted_by_address(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.read_per_minute = web::Quota(2)).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let guess =
        |n: u8| app.get("/api/v1/session").cookie(&format!("guess{n}")).with_address("192.0.2.1").send();
    guess(1).await.expect(401);
    guess(2).await.expect(401);
    guess(3).await.expect(429);
    app.get("/api/v1/nowhere").with_address("192.0.2.1").send().await.expect(429);
    // A real user at the same address is not limited, whether their token is cached or not.
    app.get("/api/v1/session").cookie(&ada.cookie).with_address("192.0.2.1").send().await.expect(200);
    let other = app.second_instance().await;
    let guess = || other.get("/api/v1/session").cookie("guess").with_address("192.0.2.1").send();
    guess().await.expect(401);
    guess().await.expect(401);
    guess().await.expect(429);
    other.get("/api/v1/session").cookie(&ada.cookie).with_address("192.0.2.1").send().await.expect(200);
    app.get("/api/v1/nowhere").with_address("192.0.2.2").send().await.expect(404);
}

async fn looking_up_unknown_credentials_has_an_end(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.lookup_per_minute = web::Quota(3)).await;
    let token = app.issue_token("Acme", DeviceKind::Tester, "Gate 1").await;
    let ask =
        |token: &str| app.get("/api/v1/tester/people_assets").bearer(token).with_address("192.0.2.1").send();
    ask(&token).await.expect(200);
    ask("kct_1").await.expect(401);
    ask("kct_2").await.expect(401);
    let refused = ask("kct_3").await.expect(429);
    assert!(refused.header("ratelimit-policy").starts_with("\"lookup\""));
    // Known callers continue, even when their tokens are looked up again.
    ask(&token).await.expect(200);
    app.clock.advance(Span::seconds(2));
    app.issue_token("Acme", DeviceKind::Tester, "Gate 2").await;
    for n in 4..9 {
        ask(&format!("kct_{n}")).await;
    }
    ask(&token).await.expect(200);
}

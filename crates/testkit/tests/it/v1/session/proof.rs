//! POST /api/v1/session/proof; contract/proof.rs tests every operation that requires it.

use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, PASSWORD, Reply, TestApp, on_both_engines};

use crate::console::{open, submit};

on_both_engines!(
    acts_that_ask_for_proof_take_one_of_a_quarter_of_an_hour,
    a_proof_replaces_the_cookie,
    a_password_that_was_replaced_is_no_proof,
    guesses_count_as_at_login,
    a_refusal_says_how_to_prove_it,
    a_proof_is_the_proof_of_its_own_user,
    a_clock_set_back_neither_refuses_nor_prolongs_a_proof,
    one_process_takes_the_proof_of_another,
);

async fn start(engine: Engine) -> TestApp {
    TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await
}

async fn call_protected(app: &TestApp, cookie: &str) -> Reply {
    app.patch("/api/v1/admin/brand").cookie(cookie).json(&json!({ "silence_limit_hours": 12 })).send().await
}

async fn prove(app: &TestApp, cookie: &str, password: &str) -> Reply {
    let call = app.post("/api/v1/session/proof").cookie(cookie);
    call.json(&json!({ "password": password })).send().await
}

async fn acts_that_ask_for_proof_take_one_of_a_quarter_of_an_hour(engine: Engine) {
    let app = start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::seconds(14 * 60 + 59));
    call_protected(&app, &ada.cookie).await.expect(200);
    app.clock.advance(Span::seconds(1));
    assert_eq!(call_protected(&app, &ada.cookie).await.expect(403).code(), "proof_required");
    // Operations that require no proof continue to work.
    app.get("/api/v1/admin/users").cookie(&ada.cookie).send().await.expect(200);
    let reply = prove(&app, &ada.cookie, PASSWORD).await.expect(200);
    assert_eq!(reply.json(), json!({ "fresh_until": "2026-03-01T12:30:30Z" }));
    call_protected(&app, &reply.session_cookie()).await.expect(200);
    app.clock.advance(Span::minutes(15));
    assert_eq!(call_protected(&app, &reply.session_cookie()).await.expect(403).code(), "proof_required");
    // A new login is a proof.
    let cookie = app.log_in_v1(&ada.email, PASSWORD).await.expect(201).session_cookie();
    call_protected(&app, &cookie).await.expect(200);
}

async fn a_proof_replaces_the_cookie(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let sessions = async |cookie: &str| {
        let list = app.get("/api/v1/sessions").cookie(cookie).send().await.expect(200).json();
        list["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect::<Vec<_>>()
    };
    let before = sessions(&ada.cookie).await;
    let cookie = prove(&app, &ada.cookie, PASSWORD).await.expect(200).session_cookie();
    assert_ne!(cookie, ada.cookie);
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(401);
    // It is the same session, not a new one.
    assert_eq!(sessions(&cookie).await, before);
}

/// For some seconds a form may be sent again with the cookie from before its proof. Who has stolen that cookie and the password from before
/// gains nothing by it.
async fn a_password_that_was_replaced_is_no_proof(engine: Engine) {
    let app = start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(16));
    let change = async |new: &str| {
        let fields = [("current_password", PASSWORD), ("new_password", new)];
        submit(&app, &ada.cookie, "/settings/password", &fields).await
    };
    let cookie = change("seven grey otters row").await.expect(303).reply.session_cookie();
    app.run_jobs().await;
    let invited = submit(&app, &ada.cookie, "/settings/users", &[("_password", PASSWORD)]).await.expect(403);
    let changed = change("nine blue herons fly").await.expect(422);
    for refused in [invited, changed] {
        assert_eq!(refused.reply.header("set-cookie"), "");
    }
    // A second click knows the new password.
    assert_eq!(change("seven grey otters row").await.expect(303).reply.session_cookie(), cookie);
    open(&app, &cookie, "/settings/users").await.expect(200);
}

async fn a_refusal_says_how_to_prove_it(engine: Engine) {
    let app = start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let begun = app.post("/api/v1/session/second_factor").cookie(&ada.cookie).send().await.expect(201).json();
    app.clock.advance(Span::minutes(15));
    let refused = call_protected(&app, &ada.cookie).await.expect(403).text();
    assert!(refused.contains("send your password as password to POST /api/v1/session/proof"), "{refused}");
    let wrong = prove(&app, &ada.cookie, "a guess").await.expect(401).text();
    assert!(wrong.contains("The password or the code is wrong.") && !wrong.contains("email"), "{wrong}");
    let cookie = prove(&app, &ada.cookie, PASSWORD).await.expect(200).session_cookie();
    let otp = json!({ "otp": app.otp(begun["secret"].as_str().unwrap()) });
    let confirm = app.post("/api/v1/session/second_factor/confirm").cookie(&cookie).json(&otp);
    confirm.send().await.expect(200);
    app.run_jobs().await;
    app.clock.advance(Span::minutes(15));
    let refused = call_protected(&app, &cookie).await.expect(403).text();
    assert!(refused.contains("as otp to POST /api/v1/session/proof"), "{refused}");
}

async fn a_proof_is_the_proof_of_its_own_user(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.create_user("bob@example.com", Role::Viewer).await;
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    // The email address passes to another user, whose password is right, while this process has the old owner cached.
    let swap = "update users set email = 'x@example.com', email_key = 'x@example.com' where email = 'ada@example.com';
        update users set email = 'ada@example.com', email_key = 'ada@example.com' where email = 'bob@example.com'";
    testkit::execute_raw_sql(app.database(), swap).await.unwrap();
    let at = "select cast(sum(proven_at) as text) from sessions";
    let before = testkit::query_raw_sql(app.database(), at).await;
    assert_eq!(prove(&app, &ada.cookie, PASSWORD).await.expect(401).code(), "invalid_credentials");
    let by_jwt = app.post("/api/v2/session/proof").bearer(&ada.jwt).json(&json!({ "password": PASSWORD }));
    by_jwt.send().await.expect(401);
    assert_eq!(testkit::query_raw_sql(app.database(), at).await, before);
}

async fn guesses_count_as_at_login(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for _ in 0..3 {
        assert_eq!(prove(&app, &ada.cookie, "a guess").await.expect(401).code(), "invalid_credentials");
    }
    let by_jwt = app.post("/api/v2/session/proof").bearer(&ada.jwt).json(&json!({ "password": "a guess" }));
    assert_eq!(by_jwt.send().await.expect(401).code(), "invalid_credentials");
    app.log_in_v1(&ada.email, "a guess").await.expect(401);
    for reply in [prove(&app, &ada.cookie, PASSWORD).await, app.log_in_v2(&ada.email, PASSWORD).await] {
        let refused = reply.expect(429);
        assert_eq!(refused.code(), "too_many_attempts");
        assert!(refused.text().contains("passwords or codes"), "{}", refused.text());
    }
    // The session stays valid.
    let reply = app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    assert!(reply.header("ratelimit-policy").starts_with("\"read\""));
    let reply = prove(&app, &ada.cookie, "a guess").await;
    assert!(reply.header("ratelimit-policy").starts_with("\"login\""));
}

async fn a_clock_set_back_neither_refuses_nor_prolongs_a_proof(engine: Engine) {
    let app = start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.adjust_wall_by(Span::minutes(-14));
    call_protected(&app, &ada.cookie).await.expect(200);
    app.clock.adjust_wall_by(Span::minutes(-60));
    assert_eq!(call_protected(&app, &ada.cookie).await.expect(403).code(), "proof_required");
    let cookie = prove(&app, &ada.cookie, PASSWORD).await.expect(200).session_cookie();
    call_protected(&app, &cookie).await.expect(200);
}

async fn one_process_takes_the_proof_of_another(engine: Engine) {
    let app = start(engine).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(20));
    let other = app.second_instance().await;
    assert_eq!(call_protected(&other, &ada.cookie).await.expect(403).code(), "proof_required");
    let cookie = prove(&app, &ada.cookie, PASSWORD).await.expect(200).session_cookie();
    // For a moment, the other process still knows the old cookie. Whoever has stolen it gains nothing from the proof.
    assert_eq!(call_protected(&other, &ada.cookie).await.expect(403).code(), "proof_required");
    call_protected(&other, &cookie).await.expect(200);
    // The old cookie is refused everywhere within a second.
    app.clock.advance(Span::seconds(1));
    assert_eq!(call_protected(&other, &ada.cookie).await.expect(401).code(), "credentials_invalid");
}

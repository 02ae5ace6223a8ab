//! PUT /api/v1/session/password

use domain::{EmailAddress, Role, Span};
use serde_json::json;
use testkit::{PASSWORD, Reply, TestApp, on_both_engines};

on_both_engines!(
    a_new_password_keeps_this_session_and_ends_the_others,
    the_current_one_must_be_known_and_guessing_counts,
    a_weak_one_is_refused,
    one_built_on_what_everyone_knows_is_refused,
    older_links_open_nothing_after_a_change,
);

const NEW_PASSWORD: &str = "another wagon full of plums";

async fn change(app: &TestApp, cookie: &str, current: &str, new: &str) -> Reply {
    let body = json!({ "current_password": current, "new_password": new });
    app.request(http::Method::PUT, "/api/v1/session/password").cookie(cookie).json(&body).send().await
}

async fn a_new_password_keeps_this_session_and_ends_the_others(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let other = app.log_in_v1(&ada.email, PASSWORD).await.expect(201).session_cookie();
    let reply = change(&app, &ada.cookie, PASSWORD, NEW_PASSWORD).await.expect(200);
    assert_eq!(reply.json(), json!({ "sessions_ended": 2 }));
    // The owner is notified.
    app.run_jobs().await;
    let mails = app.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert_eq!((mail.to.as_str(), &*mail.subject), ("ada@example.com", "Your password was changed at Acme"));
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
    app.get("/api/v1/session").cookie(&other).send().await.expect(401);
    app.get("/api/v2/session").bearer(&ada.jwt).send().await.expect(401);
    app.log_in_v1(&ada.email, PASSWORD).await.expect(401);
    app.log_in_v1(&ada.email, NEW_PASSWORD).await.expect(201);
}

async fn the_current_one_must_be_known_and_guessing_counts(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for _ in 0..5 {
        let refused = change(&app, &ada.cookie, "a guess", NEW_PASSWORD).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("current_password"), &json!("wrong_password")));
    }
    assert_eq!(
        change(&app, &ada.cookie, PASSWORD, NEW_PASSWORD).await.expect(429).code(),
        "too_many_attempts"
    );
    app.get("/api/v1/session").cookie(&ada.cookie).send().await.expect(200);
}

async fn a_weak_one_is_refused(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    for (new, code) in [("short", "password_too_short"), ("ada@example.com", "password_too_common")] {
        let refused = change(&app, &ada.cookie, PASSWORD, new).await.expect(422).json();
        let error = &refused["errors"][0];
        assert_eq!((&error["field"], &error["code"]), (&json!("new_password"), &json!(code)));
    }
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
}

async fn one_built_on_what_everyone_knows_is_refused(app: TestApp) {
    app.create_user_in_brand("Northwind Quarries", "ada@example.com", Role::Viewer).await;
    let cookie = app.log_in_v1("ada@example.com", PASSWORD).await.expect(201).session_cookie();
    for new in ["northwind2026", "QuarriesQuarries", "keepclear-2026"] {
        let refused = change(&app, &cookie, PASSWORD, new).await.expect(422).json();
        assert_eq!(refused["errors"][0]["code"], "password_too_common", "{new}");
    }
}

/// Returns the password-reset link from the mail.
async fn request_reset_link(app: &TestApp, email: &str) -> String {
    let sent = app.mails().len();
    app.post("/account/password_resets").json(&json!({ "email": email })).send().await.expect(200);
    app.run_jobs().await;
    let mails = app.mails();
    assert_eq!(mails.len(), sent + 1);
    crate::account::path_of_link(&mails[sent].text).unwrap()
}

async fn older_links_open_nothing_after_a_change(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let link = request_reset_link(&app, &ada.email).await;
    change(&app, &ada.cookie, PASSWORD, NEW_PASSWORD).await.expect(200);
    app.run_jobs().await;
    app.post(&link).json(&json!({ "password": PASSWORD })).send().await.expect(404);
    // Nor after a change by the command line.
    app.clock.advance(Span::minutes(5));
    let link = request_reset_link(&app, &ada.email).await;
    app.app
        .set_password(&EmailAddress::parse(&ada.email).unwrap(), PASSWORD, app::PasswordLifetime::Permanent)
        .await
        .unwrap();
    app.run_jobs().await;
    app.post(&link).json(&json!({ "password": NEW_PASSWORD })).send().await.expect(404);
    app.log_in_v1(&ada.email, PASSWORD).await.expect(201);
}

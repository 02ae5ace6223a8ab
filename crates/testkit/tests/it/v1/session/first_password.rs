//! The password printed by the first start, and passwords set by the command line.

use app::PasswordLifetime;
use domain::{EmailAddress, Span};
use http::Method;
use serde_json::json;
use testkit::{Engine, TestApp, on_both_engines};

on_both_engines!(
    it_expires_after_a_day_unless_it_is_used,
    it_is_due_to_be_changed_until_it_is,
    one_that_was_made_for_someone_is_due_and_expires,
    one_that_was_set_for_someone_is_due_until_they_change_it,
    one_that_they_chose_is_not_due,
);

const NEW_PASSWORD: &str = "another wagon full of plums";

async fn it_expires_after_a_day_unless_it_is_used(app: TestApp) {
    let first = app.app.create_first_admin().await.unwrap().unwrap();
    let email = first.email.as_str();
    app.clock.advance(Span::minutes(24 * 60));
    for reply in [app.log_in_v1(email, &first.password).await, app.log_in_v2(email, &first.password).await] {
        assert_eq!(reply.expect(401).code(), "invalid_credentials");
    }
    // The command line sets a new one, as the log says.
    app.app.set_password(&first.email, NEW_PASSWORD, PasswordLifetime::UntilChanged).await.unwrap();
    app.run_jobs().await;
    app.clock.advance(Span::minutes(48 * 60));
    app.log_in_v1(email, NEW_PASSWORD).await.expect(201);
}

async fn it_is_due_to_be_changed_until_it_is(app: TestApp) {
    let first = app.app.create_first_admin().await.unwrap().unwrap();
    let email = first.email.as_str();
    app.clock.advance(Span::seconds(24 * 3_600 - 1));
    let reply = app.log_in_v1(email, &first.password).await.expect(201);
    assert_eq!(reply.json()["password_change_due"], true);
    let cookie = reply.session_cookie();
    // After its first use it no longer expires.
    app.clock.advance(Span::minutes(60));
    let reply = app.log_in_v2(email, &first.password).await.expect(200);
    let who = app.get("/api/v2/session").bearer(reply.header("accesstoken")).send().await.expect(200).json();
    assert_eq!(who["password_change_due"], true);
    // Everything is accessible meanwhile.
    app.get("/api/v1/admin/users").cookie(&cookie).send().await.expect(200);
    let body = json!({ "current_password": first.password, "new_password": NEW_PASSWORD });
    let change = app.request(Method::PUT, "/api/v1/session/password").cookie(&cookie);
    change.json(&body).send().await.expect(200);
    app.run_jobs().await;
    let who = app.get("/api/v1/session").cookie(&cookie).send().await.expect(200).json();
    assert_eq!(who["password_change_due"], false);
    assert_eq!(app.log_in_v1(email, NEW_PASSWORD).await.expect(201).json()["password_change_due"], false);
}

/// Sets a password from the command line, optionally signs in with it immediately, and signs in with it after two days.
async fn log_in_after_two_days(
    app: &TestApp,
    lasts: PasswordLifetime,
    is_used_immediately: bool,
) -> testkit::Reply {
    app.create_user("ada@example.com", domain::Role::Admin).await;
    let email = EmailAddress::parse("ada@example.com").unwrap();
    app.app.set_password(&email, NEW_PASSWORD, lasts).await.unwrap();
    app.run_jobs().await;
    if is_used_immediately {
        app.log_in_v1("ada@example.com", NEW_PASSWORD).await.expect(201);
    }
    app.clock.advance(Span::minutes(48 * 60));
    app.log_in_v1("ada@example.com", NEW_PASSWORD).await
}

async fn one_that_was_made_for_someone_is_due_and_expires(engine: Engine) {
    let app = TestApp::start(engine).await;
    log_in_after_two_days(&app, PasswordLifetime::ExpiresUnused, false).await.expect(401);
    let app = TestApp::start(engine).await;
    let reply = log_in_after_two_days(&app, PasswordLifetime::ExpiresUnused, true).await.expect(201);
    assert_eq!(reply.json()["password_change_due"], true);
    // The same for a new user.
    let account = app::NewAccount {
        email: EmailAddress::parse("bob@example.com").unwrap(),
        name: domain::Name::parse("Bob").unwrap(),
        role: domain::Role::Viewer,
        password: NEW_PASSWORD.to_owned(),
        password_lifetime: PasswordLifetime::ExpiresUnused,
    };
    app.app.create_user(&app.ensure_brand("Acme").await, &account).await.unwrap();
    assert_eq!(
        app.log_in_v1("bob@example.com", NEW_PASSWORD).await.expect(201).json()["password_change_due"],
        true
    );
}

async fn one_that_was_set_for_someone_is_due_until_they_change_it(app: TestApp) {
    let reply = log_in_after_two_days(&app, PasswordLifetime::UntilChanged, false).await.expect(201);
    assert_eq!(reply.json()["password_change_due"], true);
    let body = json!({ "current_password": NEW_PASSWORD, "new_password": "yet another wagon of figs" });
    let cookie = reply.session_cookie();
    let change = app.request(Method::PUT, "/api/v1/session/password").cookie(&cookie);
    change.json(&body).send().await.expect(200);
    app.run_jobs().await;
    let who = app.get("/api/v1/session").cookie(&cookie).send().await.expect(200).json();
    assert_eq!(who["password_change_due"], false);
}

async fn one_that_they_chose_is_not_due(app: TestApp) {
    let reply = log_in_after_two_days(&app, PasswordLifetime::Permanent, false).await.expect(201);
    assert_eq!(reply.json()["password_change_due"], false);
}

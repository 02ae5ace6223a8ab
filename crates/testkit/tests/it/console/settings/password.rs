//! /settings/password

use app::PasswordLifetime;
use domain::{EmailAddress, Role, Span};
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use crate::console::{open, submit};

on_both_engines!(
    a_password_that_was_set_for_someone_is_changed_first,
    faults_are_shown_beside_their_fields,
    the_current_password_is_the_proof,
    a_second_click_finds_the_password_changed,
    clicks_at_the_same_moment_change_the_password_once,
);

const PATH: &str = "/settings/password";
/// Set by somebody else.
const SET_PASSWORD: &str = "another wagon full of plums";
const NEW_PASSWORD: &str = "seven grey otters row";

async fn a_password_that_was_set_for_someone_is_changed_first(app: TestApp) {
    app.create_user("ada@example.com", Role::Admin).await;
    let email = EmailAddress::parse("ada@example.com").unwrap();
    app.app.set_password(&email, SET_PASSWORD, PasswordLifetime::UntilChanged).await.unwrap();
    app.run_jobs().await;
    let other = app.log_in_v1("ada@example.com", SET_PASSWORD).await.expect(201).session_cookie();
    let fields = [("email", "ada@example.com"), ("password", SET_PASSWORD)];
    let cookie = submit(&app, "", "/sign-in", &fields).await.expect(303).reply.session_cookie();
    let due = open(&app, &cookie, "/settings/tags?q=a").await.expect(303).location();
    assert_eq!(due, "/settings/password?next=%2Fsettings%2Ftags%3Fq%3Da");
    submit(&app, &cookie, "/settings/gateways", &[("name", "G")]).await.expect(403);
    let page = open(&app, &cookie, &due).await.expect(200);
    assert!(page.says("Your password was made for you."), "{}", page.text());
    let fields = [("current_password", SET_PASSWORD), ("new_password", NEW_PASSWORD)];
    let changed = submit(&app, &cookie, &due, &fields).await.expect(303);
    assert_eq!(changed.location(), "/settings/tags?q=a");
    app.run_jobs().await;
    open(&app, &cookie, &changed.location()).await.expect(200);
    app.get("/api/v1/session").cookie(&other).send().await.expect(401);
    app.log_in_v1("ada@example.com", NEW_PASSWORD).await.expect(201);
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let save = async |current: &str, new: &str| {
        submit(&app, &ada.cookie, PATH, &[("current_password", current), ("new_password", new)]).await
    };
    let wrong = save("wrong wagon sixty tiles", NEW_PASSWORD).await.expect(422);
    assert_eq!(wrong.fault("current_password").as_deref(), Some("This is not your password."));
    let short = save(PASSWORD, "short").await.expect(422);
    assert!(short.fault("new_password").is_some() && short.fault("current_password").is_none());
    let empty = save("", "").await.expect(422);
    assert!(empty.fault("new_password").is_some() && empty.fault("current_password").is_some());
    for page in [wrong, short, empty] {
        for name in ["current_password", "new_password"] {
            assert_eq!(page.field(name).as_deref(), Some(""), "{name}");
        }
        assert!(!page.reply.text().contains("otters"));
    }
    app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
}

async fn the_current_password_is_the_proof(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(16));
    let save = async |current: &str| {
        submit(&app, &ada.cookie, PATH, &[("current_password", current), ("new_password", NEW_PASSWORD)])
            .await
    };
    let wrong = save("wrong wagon sixty tiles").await.expect(422);
    assert!(wrong.fault("current_password").is_some());
    let changed = save(PASSWORD).await.expect(303);
    assert_eq!(changed.location(), PATH);
    app.run_jobs().await;
    // A proof gives the session another cookie.
    let cookie = changed.reply.session_cookie();
    assert_ne!(cookie, ada.cookie);
    open(&app, &cookie, PATH).await.expect(200);
    // The one before it is there for a second click.
    app.clock.advance(Span::seconds(10));
    open(&app, &ada.cookie, PATH).await.expect(303);
}

/// The browser drops the answer to the first of two clicks, so that the second must not say that nothing was changed.
async fn a_second_click_finds_the_password_changed(engine: Engine) {
    for minutes_since_proof in [0, 16] {
        let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
        let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
        app.clock.advance(Span::minutes(minutes_since_proof));
        let save = async |cookie: &str, new: &str| {
            submit(&app, cookie, PATH, &[("current_password", PASSWORD), ("new_password", new)]).await
        };
        let first = save(&ada.cookie, NEW_PASSWORD).await.expect(303);
        let second = save(&ada.cookie, NEW_PASSWORD).await.expect(303);
        assert_eq!((first.location(), second.location()), (PATH.to_owned(), PATH.to_owned()));
        let cookie = match minutes_since_proof {
            0 => ada.cookie.clone(),
            _ => second.reply.session_cookie(),
        };
        open(&app, &cookie, PATH).await.expect(200);
        // Another password is not what was asked for before.
        let other = save(&cookie, "nine blue herons fly").await.expect(422);
        assert_eq!(other.fault("current_password").as_deref(), Some("This is not your password."));
        app.clock.advance(Span::seconds(10));
        let later = save(&cookie, NEW_PASSWORD).await.expect(422);
        assert_eq!(later.fault("current_password").as_deref(), Some("This is not your password."));
        app.clock.advance(Span::minutes(2));
        app.log_in_v1("ada@example.com", NEW_PASSWORD).await.expect(201);
        let changes = "select cast(count(*) as text) from audit_log where action = 'user.password_changed'";
        assert_eq!(testkit::query_raw_sql(app.database(), changes).await, ["1"]);
    }
}

async fn clicks_at_the_same_moment_change_the_password_once(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    app.clock.advance(Span::minutes(16));
    let fields = [("current_password", PASSWORD), ("new_password", NEW_PASSWORD)];
    let click = || submit(&app, &ada.cookie, PATH, &fields);
    let (first, second) = tokio::join!(click(), click());
    let cookies = [first.expect(303), second.expect(303)].map(|page| page.reply.session_cookie());
    assert_eq!(cookies[0], cookies[1]);
    open(&app, &cookies[0], PATH).await.expect(200);
    app.log_in_v1("ada@example.com", NEW_PASSWORD).await.expect(201);
}

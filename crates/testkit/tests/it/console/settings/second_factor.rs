//! /settings/second-factor

use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, open, submit};

on_both_engines!(
    one_that_is_required_is_added_first,
    a_wrong_code_does_not_hide_the_secret,
    two_clicks_show_the_same_recovery_codes,
    it_is_removed_with_a_code,
);

const PATH: &str = "/settings/second-factor";

/// Returns the recovery codes that a page shows.
fn codes_on(page: &Page) -> Vec<String> {
    let html = page.reply.text();
    let codes = html.split("<li><code>").skip(1).filter_map(|rest| rest.split_once("</code>"));
    codes.map(|(code, _)| code.to_owned()).collect()
}

/// Begins, and returns the page with the secret, and the secret.
async fn begin(app: &TestApp, cookie: &str) -> (Page, String) {
    let page = submit(app, cookie, PATH, &[]).await.expect(200);
    let secret = page.field("_secret").unwrap();
    (page, secret)
}

async fn one_that_is_required_is_added_first(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let vic = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let require = json!({ "second_factor_required": ["viewer"] });
    app.patch("/api/v1/admin/brand").cookie(&admin.cookie).json(&require).send().await.expect(200);
    let due = open(&app, &vic.cookie, "/settings/tags").await.expect(303).location();
    assert_eq!(due, "/settings/second-factor?next=%2Fsettings%2Ftags");
    let page = open(&app, &vic.cookie, &due).await.expect(200);
    assert!(page.says("Your role requires a second factor."), "{}", page.text());
    let page = submit(&app, &vic.cookie, &due, &[]).await.expect(200);
    let secret = page.field("_secret").unwrap();
    let groups: Vec<String> =
        secret.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    assert!(page.says(&groups.join(" ")), "{}", page.text());
    assert!(page.links().iter().any(|link| link.starts_with("otpauth://totp/")), "{:?}", page.links());
    let code = app.otp(&secret);
    let confirm = "/settings/second-factor/confirm?next=%2Fsettings%2Ftags";
    let fields = [("otp", code.as_str()), ("_secret", secret.as_str())];
    let done = submit(&app, &vic.cookie, confirm, &fields).await.expect(200);
    app.run_jobs().await;
    assert!(done.says("Keep these recovery codes"), "{}", done.text());
    assert_eq!(done.reply.text().matches("<li><code>").count(), 10);
    assert!(done.links().contains(&"/settings/tags".to_owned()), "{:?}", done.links());
    open(&app, &vic.cookie, "/settings/tags").await.expect(200);
    assert!(open(&app, &vic.cookie, PATH).await.expect(200).says("10 recovery codes are left."));
    // The codes are shown once.
    assert_eq!(submit(&app, &vic.cookie, confirm, &fields).await.expect(303).location(), PATH);
}

async fn a_wrong_code_does_not_hide_the_secret(app: TestApp) {
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (page, secret) = begin(&app, &ada.cookie).await;
    let uri = page.field("_uri").unwrap();
    for wrong in ["", "000000"] {
        let fields = [("otp", wrong), ("_secret", secret.as_str()), ("_uri", uri.as_str())];
        let page = submit(&app, &ada.cookie, &format!("{PATH}/confirm"), &fields).await.expect(422);
        assert!(page.fault("otp").is_some(), "{}", page.text());
        assert_eq!(page.field("_secret").as_ref(), Some(&secret));
        assert!(page.links().contains(&uri), "{:?}", page.links());
    }
    // Only what can be a secret and its address comes back.
    let hostile = [("otp", "000000"), ("_secret", "\"><b>"), ("_uri", "javascript:alert(1)")];
    let page = submit(&app, &ada.cookie, &format!("{PATH}/confirm"), &hostile).await.expect(422);
    assert_eq!((page.field("_secret").as_deref(), page.field("_uri").as_deref()), (Some(""), Some("")));
    // A secret that was not confirmed changes nothing.
    app.log_in_v1("ada@example.com", PASSWORD).await.expect(201);
    assert!(open(&app, &ada.cookie, PATH).await.expect(200).says("never confirmed"));
}

/// The browser drops the answer to the first of two clicks, also if the form carries the proof, which replaces the session's cookie.
async fn two_clicks_show_the_same_recovery_codes(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let confirm = format!("{PATH}/confirm");
    let once = open(&app, &ada.cookie, PATH).await.expect(200).field("_once").unwrap();
    let fields = [("_once", once.as_str())];
    let page = submit(&app, &ada.cookie, PATH, &fields).await.expect(200);
    let secret = page.field("_secret").unwrap();
    let again = submit(&app, &ada.cookie, PATH, &fields).await.expect(200);
    assert_eq!((again.field("_secret"), again.field("_uri")), (Some(secret.clone()), page.field("_uri")));
    let once = page.field("_once").unwrap();
    // A wrong code uses nothing up.
    let wrong = [("otp", "000000"), ("_once", once.as_str())];
    submit(&app, &ada.cookie, &confirm, &wrong).await.expect(422);
    app.clock.advance(Span::minutes(16));
    let code = app.otp(&secret);
    let fields = [("otp", code.as_str()), ("_once", once.as_str()), ("_password", PASSWORD)];
    let first = submit(&app, &ada.cookie, &confirm, &fields).await.expect(200);
    let second = submit(&app, &ada.cookie, &confirm, &fields).await.expect(200);
    app.run_jobs().await;
    let codes = codes_on(&second);
    assert_eq!((codes.len(), &codes), (10, &codes_on(&first)));
    let cookie = second.reply.session_cookie();
    assert_eq!(cookie, first.reply.session_cookie());
    // A reload later shows them no more, and nothing of them is stored for repeats.
    app.clock.advance(Span::seconds(30));
    let again = submit(&app, &cookie, &confirm, &fields).await.expect(303);
    assert_eq!((again.location().as_str(), done(&again).as_str()), (PATH, "second-factor-confirmed-before"));
    let stored = testkit::query_raw_sql(app.database(), "select answer from idempotency_keys").await;
    assert!(!stored.is_empty() && stored.iter().all(|answer| !answer.contains(&codes[0])), "{stored:?}");
    // They are those that count.
    let sign_in = json!({ "email": "ada@example.com", "password": PASSWORD, "otp": codes[0] });
    app.post("/api/v1/session").json(&sign_in).send().await.expect(201);
    assert!(open(&app, &cookie, PATH).await.expect(200).says("9 recovery codes are left."));
}

async fn it_is_removed_with_a_code(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let ada = app.sign_in_new_user("ada@example.com", Role::Viewer).await;
    let (_, secret) = begin(&app, &ada.cookie).await;
    let code = app.otp(&secret);
    submit(&app, &ada.cookie, &format!("{PATH}/confirm"), &[("otp", &code)]).await.expect(200);
    app.clock.advance(Span::minutes(16));
    let remove = format!("{PATH}/remove");
    let asks = |page: &Page| page.field("_password").is_some() && page.field("_otp").is_some();
    assert!(asks(&open(&app, &ada.cookie, PATH).await.expect(200)));
    assert!(asks(&submit(&app, &ada.cookie, &remove, &[]).await.expect(200)));
    let wrong = [("_password", PASSWORD), ("_otp", "000000")];
    assert!(asks(&submit(&app, &ada.cookie, &remove, &wrong).await.expect(403)));
    let code = app.otp(&secret);
    let right = [("_password", PASSWORD), ("_otp", code.as_str())];
    let removed = submit(&app, &ada.cookie, &remove, &right).await.expect(303);
    assert_eq!(removed.location(), PATH);
    app.run_jobs().await;
    let page = open(&app, &removed.reply.session_cookie(), PATH).await.expect(200);
    assert!(page.says("Signing in asks only for your password."), "{}", page.text());
}

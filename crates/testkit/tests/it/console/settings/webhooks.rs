//! /settings/webhooks

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testbed::{WebhookBehaviour, WebhookReceiver};
use testkit::{Account, Engine, PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, open, submit};

on_both_engines!(
    a_webhook_is_added_and_its_secret_is_shown_once,
    a_form_that_is_sent_twice_adds_one_webhook,
    a_secret_is_replaced_with_an_overlap,
    a_double_click_replaces_a_secret_once,
    a_webhook_is_changed_disabled_enabled_and_deleted,
    faults_are_shown_beside_their_fields,
    deliveries_are_listed_and_sent_again,
    a_change_asks_for_proof,
    too_many_wrong_proofs_lose_nothing,
    only_those_who_manage_the_whole_brand_have_webhooks,
    names_are_never_markup,
);

const PATH: &str = "/settings/webhooks";
/// A public address that no name has to be looked up for. Nothing is sent to it here.
const URL: &str = "https://93.184.215.14/keepclear?key=s3cret";

/// Returns the secret that a page shows.
fn secret_of(page: &Page) -> Option<String> {
    let text = page.text();
    text.split_whitespace().find(|word| word.starts_with("whsec_")).map(str::to_owned)
}

async fn add(app: &TestApp, admin: &Account, name: &str, url: &str) -> String {
    let new = json!({ "name": name, "url": url });
    let made = app.post("/api/v1/webhooks").cookie(&admin.cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["webhook"]["id"])
}

async fn stored(app: &TestApp, admin: &Account, page: &str) -> Value {
    let path = page.replace(PATH, "/api/v1/webhooks");
    app.get(&path).cookie(&admin.cookie).send().await.expect(200).json()
}

async fn add_alert(app: &TestApp, admin: &Account, name: &str) -> i64 {
    let new = json!({
        "name": name, "metric": "incursions", "threshold": 3, "recipients": [{ "email": "ada@example.com" }],
    });
    let made = app.post("/api/v1/alerts").cookie(&admin.cookie).json(&new).send().await.expect(201);
    made.json()["id"].as_i64().unwrap()
}

async fn a_webhook_is_added_and_its_secret_is_shown_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let alert = add_alert(&app, &admin, "Yard").await.to_string();
    let empty = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(empty.says("No webhooks yet") && empty.says("Yard"));
    assert_eq!(empty.field("which").as_deref(), Some("all"));
    let fields = [("name", "Control room"), ("url", URL), ("which", "chosen"), ("alert_ids", alert.as_str())];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(200);
    let secret = secret_of(&made).unwrap();
    assert!(made.says("Copy it now") && made.reply.header("cache-control") == "no-store");
    let page = format!("{PATH}/1");
    assert_eq!(stored(&app, &admin, &page).await["alert_ids"], json!([1]));
    let shown = open(&app, &admin.cookie, &page).await.expect(200);
    assert!(!shown.text().contains(&secret) && secret_of(&shown).is_none());
    assert_eq!((shown.field("url").as_deref(), shown.field("which").as_deref()), (Some(URL), Some("chosen")));
    let list = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(list.says("Control room") && list.says("Is called") && list.links().contains(&page));
    // All alerts, also those to come.
    let fields = [("name", "Chat"), ("url", URL), ("which", "all"), ("alert_ids", alert.as_str())];
    submit(&app, &admin.cookie, PATH, &fields).await.expect(200);
    assert_eq!(stored(&app, &admin, &format!("{PATH}/2")).await["alert_ids"], Value::Null);
}

async fn a_form_that_is_sent_twice_adds_one_webhook(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let once = open(&app, &admin.cookie, PATH).await.expect(200).field("_once").unwrap();
    let fields = [("name", "Desk"), ("url", URL), ("which", "all"), ("_once", once.as_str())];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(200);
    let secret = secret_of(&made).unwrap();
    // The browser drops the answer to the first of two clicks, so that the second shows the same secret.
    let second = submit(&app, &admin.cookie, PATH, &fields).await.expect(200);
    assert_eq!(secret_of(&second).as_ref(), Some(&secret));
    app.clock.advance(Span::seconds(31));
    let again = submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    assert_eq!((again.location(), done(&again)), (format!("{PATH}/1"), "webhook-added-before".to_owned()));
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("1 row"));
    // Nothing of the secret is kept for repeats.
    let stored = testkit::query_raw_sql(app.database(), "select answer from idempotency_keys").await;
    assert!(stored.len() == 1 && !stored[0].contains(&secret), "{stored:?}");
}

async fn a_secret_is_replaced_with_an_overlap(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Control room", URL).await;
    let rotate = format!("{page}/rotate");
    let first = submit(&app, &admin.cookie, &rotate, &[("overlap_hours", "24")]).await.expect(200);
    assert!(first.says("calls are also signed with the one before"));
    assert!(stored(&app, &admin, &page).await["old_secret_until"].is_string());
    let second = submit(&app, &admin.cookie, &rotate, &[("overlap_hours", "0")]).await.expect(200);
    assert_ne!(secret_of(&first).unwrap(), secret_of(&second).unwrap());
    assert!(!second.says("also signed") && stored(&app, &admin, &page).await["old_secret_until"].is_null());
    let refused = submit(&app, &admin.cookie, &rotate, &[("overlap_hours", "169")]).await.expect(422);
    assert!(refused.fault("overlap_hours").is_some() && secret_of(&refused).is_none());
}

async fn a_double_click_replaces_a_secret_once(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Control room", URL).await;
    let rotate = format!("{page}/rotate");
    let shown = open(&app, &admin.cookie, &page).await.expect(200);
    assert!(shown.field("_once").is_some_and(|key| !key.is_empty()));
    let fields = [("overlap_hours", "24"), ("_once", "rotate-once-0000000001")];
    let first = submit(&app, &admin.cookie, &rotate, &fields).await.expect(200);
    let secret = secret_of(&first).unwrap();
    let before = stored(&app, &admin, &page).await;
    app.clock.advance(Span::seconds(1));
    let second = submit(&app, &admin.cookie, &rotate, &fields).await.expect(200);
    assert_eq!(secret_of(&second), Some(secret));
    // A reload later does not show it.
    app.clock.advance(Span::seconds(30));
    let reload = submit(&app, &admin.cookie, &rotate, &fields).await.expect(303);
    assert_eq!((reload.location(), done(&reload)), (page.clone(), "webhook-rotated-before".to_owned()));
    // The original secret is still the one before.
    let after = stored(&app, &admin, &page).await;
    assert_eq!(after["old_secret_until"], before["old_secret_until"]);
    assert_eq!(
        (after["secret_since"].clone(), after["version"].clone()),
        (before["secret_since"].clone(), before["version"].clone())
    );
}

async fn a_webhook_is_changed_disabled_enabled_and_deleted(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Control room", URL).await;
    let version = open(&app, &admin.cookie, &page).await.expect(200).field("_version").unwrap();
    let fields = [("name", "Desk"), ("url", URL), ("which", "all"), ("_version", version.as_str())];
    let saved = submit(&app, &admin.cookie, &page, &fields).await.expect(303);
    assert_eq!((saved.location(), done(&saved)), (page.clone(), "webhook-saved".to_owned()));
    let stale = submit(&app, &admin.cookie, &page, &fields).await.expect(412);
    assert_eq!(stale.field("name").as_deref(), Some("Desk"));
    submit(&app, &admin.cookie, &format!("{page}/disable"), &[]).await.expect(303);
    let shown = open(&app, &admin.cookie, &page).await.expect(200);
    assert!(shown.says("An admin disabled it.") && shown.says("Enable") && !shown.says("Send a test"));
    submit(&app, &admin.cookie, &format!("{page}/test"), &[]).await.expect(409);
    submit(&app, &admin.cookie, &format!("{page}/enable"), &[]).await.expect(303);
    assert_eq!(stored(&app, &admin, &page).await["enabled"], true);
    let deleted = submit(&app, &admin.cookie, &format!("{page}/delete"), &[]).await.expect(303);
    assert_eq!(deleted.location(), PATH);
    open(&app, &admin.cookie, &page).await.expect(404);
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let fields = [("name", ""), ("url", "ftp://example.com"), ("which", "all")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("name").is_some() && page.fault("url").is_some());
    assert_eq!(page.field("url").as_deref(), Some("ftp://example.com"));
    let fields = [("name", "Inside"), ("url", "https://127.0.0.1/"), ("which", "all")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("url").is_some() && page.field("name").as_deref() == Some("Inside"));
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("No webhooks yet"));
}

async fn deliveries_are_listed_and_sent_again(engine: Engine) {
    let receiver = WebhookReceiver::start();
    let app = TestApp::start_with(engine, |config| {
        config.alerts.webhook_allow_http = true;
        config.alerts.webhook_allow_private = true;
    })
    .await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Desk", &receiver.url()).await;
    assert!(open(&app, &admin.cookie, &page).await.expect(200).says("No deliveries"));
    let sent = submit(&app, &admin.cookie, &format!("{page}/test"), &[]).await.expect(303);
    assert_eq!(sent.location(), format!("{page}#deliveries"));
    let waiting = open(&app, &admin.cookie, &page).await.expect(200);
    assert!(waiting.says("A test") && waiting.says("Waiting"));
    submit(&app, &admin.cookie, &format!("{page}/deliveries/1/redeliver"), &[]).await.expect(409);
    receiver.queue([WebhookBehaviour::Status(500)]);
    app.run_jobs().await;
    assert!(open(&app, &admin.cookie, &page).await.expect(200).says("answered with status 500"));
    app.clock.advance(Span::seconds(6));
    app.run_jobs().await;
    let received = open(&app, &admin.cookie, &page).await.expect(200);
    assert!(received.reply.text().contains(&format!("{page}/deliveries/1/redeliver")));
    submit(&app, &admin.cookie, &format!("{page}/deliveries/1/redeliver"), &[]).await.expect(303);
    app.run_jobs().await;
    assert_eq!(receiver.calls().len(), 3);
    let failed = open(&app, &admin.cookie, &format!("{page}?state=failed")).await.expect(200);
    assert!(failed.says("No deliveries"));
    submit(&app, &admin.cookie, &format!("{page}/deliveries/99/redeliver"), &[]).await.expect(404);
}

async fn a_change_asks_for_proof(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Desk", URL).await;
    app.clock.advance(Span::minutes(16));
    let rotate = format!("{page}/rotate");
    let asked = submit(&app, &admin.cookie, &rotate, &[("overlap_hours", "3")]).await.expect(200);
    assert!(asked.says("Confirm that it is you") && secret_of(&asked).is_none());
    assert_eq!(asked.field("overlap_hours").as_deref(), Some("3"));
    let fields = [("overlap_hours", "3"), ("_password", PASSWORD)];
    let rotated = submit(&app, &admin.cookie, &rotate, &fields).await.expect(200);
    assert!(secret_of(&rotated).is_some());
}

async fn too_many_wrong_proofs_lose_nothing(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    app.clock.advance(Span::minutes(16));
    let send = async |password: &str| {
        let fields = [("name", "Desk"), ("url", URL), ("which", "all"), ("_password", password)];
        submit(&app, &admin.cookie, PATH, &fields).await
    };
    for _ in 0..5 {
        send("wrong wagon sixty tiles").await.expect(403);
    }
    let waiting = send(PASSWORD).await.expect(429);
    assert!(waiting.says("Too many wrong attempts"), "{}", waiting.text());
    assert_eq!(waiting.field("name").as_deref(), Some("Desk"));
    assert_eq!(waiting.field("url").as_deref(), Some(URL));
    let seconds: i64 = waiting.reply.header("retry-after").parse().unwrap();
    app.clock.advance(Span::seconds(seconds));
    assert!(secret_of(&send(PASSWORD).await.expect(200)).is_some());
}

async fn only_those_who_manage_the_whole_brand_have_webhooks(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let page = add(&app, &admin, "Desk", URL).await;
    assert!(open(&app, &admin.cookie, "/settings").await.expect(200).links().contains(&PATH.to_owned()));
    let member = app.sign_in_new_user("mem@example.com", Role::Member).await;
    let restricted = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let email = EmailAddress::parse("bob@example.com").unwrap();
    app.app.restrict_user(&email, Some(&[ProjectId(1)])).await.unwrap();
    for cookie in [&member.cookie, &restricted.cookie] {
        assert!(!open(&app, cookie, "/settings").await.expect(200).links().contains(&PATH.to_owned()));
        for path in [PATH, page.as_str()] {
            open(&app, cookie, path).await.expect(403);
        }
        submit(&app, cookie, &format!("{page}/rotate"), &[("overlap_hours", "0")]).await.expect(403);
        submit(&app, cookie, PATH, &[("name", "Mine"), ("url", URL), ("which", "all")]).await.expect(403);
    }
    let stranger = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    open(&app, &stranger.cookie, &page).await.expect(404);
    submit(&app, &stranger.cookie, &format!("{page}/delete"), &[]).await.expect(404);
    assert!(open(&app, &stranger.cookie, PATH).await.expect(200).says("No webhooks yet"));
}

async fn names_are_never_markup(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let name = "<b onclick=\"alert(1)\">Desk</b> & 'Co'";
    let page = add(&app, &admin, name, URL).await;
    for path in [PATH, page.as_str()] {
        assert!(open(&app, &admin.cookie, path).await.expect(200).says(name), "{path}");
    }
}

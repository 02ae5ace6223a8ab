//! /settings/tester-devices

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use crate::console::{Page, open, submit};

on_both_engines!(
    a_device_is_added_and_gets_a_token_that_works_with_the_api,
    a_new_token_replaces_the_old_one_and_can_be_revoked,
    faults_are_shown_beside_their_fields,
    a_form_that_is_sent_twice_adds_one_device,
    a_stale_change_is_not_saved,
    the_list_is_searched_sorted_and_taken_along,
    names_are_never_markup,
    who_is_restricted_may_only_look,
    another_brands_device_does_not_exist,
    a_token_asks_for_proof_in_place,
);

const PATH: &str = "/settings/tester-devices";
const PROTECTED_PATH: &str = "/api/v1/tester/people_assets";

/// Adds a device through the API and returns its page.
async fn add(app: &TestApp, cookie: &str, name: &str) -> String {
    let new = json!({ "name": name });
    let made = app.post("/api/v1/admin/tester_devices").cookie(cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

/// Returns the token that a page shows.
fn secret_of(page: &Page) -> String {
    let text = page.text();
    let token = text.split_whitespace().find(|word| word.starts_with("kct_") && word.len() == 47);
    token.unwrap().to_owned()
}

async fn a_device_is_added_and_gets_a_token_that_works_with_the_api(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let empty = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(empty.says("No tester devices yet"));
    let once = empty.field("_once").unwrap();
    let fields = [("name", "Gate 1"), ("serial", "KT-1"), ("worksite_id", ""), ("_once", once.as_str())];
    let device = submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location();
    let page = open(&app, &admin.cookie, &device).await.expect(200);
    assert_eq!(
        (page.field("name").as_deref(), page.field("serial").as_deref()),
        (Some("Gate 1"), Some("KT-1"))
    );
    assert!(
        page.says("There is no token.") && page.says("Generate a token") && !page.says("Revoke the token")
    );
    let issued = submit(&app, &admin.cookie, &format!("{device}/token"), &[]).await.expect(200);
    assert!(issued.says("Copy it now") && issued.says("Revoke the token"));
    let token = secret_of(&issued);
    app.get(PROTECTED_PATH).bearer(&token).send().await.expect(200);
    assert_eq!(issued.reply.header("cache-control"), "no-store");
    // The token is shown once; afterwards only its beginning is.
    let page = open(&app, &admin.cookie, &device).await.expect(200);
    assert!(!page.text().contains(&token) && page.text().contains(&token[..10]));
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("Has a token"));
}

async fn a_new_token_replaces_the_old_one_and_can_be_revoked(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let device = add(&app, &admin.cookie, "Gate 1").await;
    let issue = async || submit(&app, &admin.cookie, &format!("{device}/token"), &[]).await;
    let first = secret_of(&issue().await.expect(200));
    let second = secret_of(&issue().await.expect(200));
    app.get(PROTECTED_PATH).bearer(&first).send().await.expect(401);
    app.get(PROTECTED_PATH).bearer(&second).send().await.expect(200);
    let revoke = async || submit(&app, &admin.cookie, &format!("{device}/token/revoke"), &[]).await;
    assert_eq!(revoke().await.expect(303).location(), device);
    app.get(PROTECTED_PATH).bearer(&second).send().await.expect(401);
    // Revoking it again is fine.
    revoke().await.expect(303);
    assert!(open(&app, &admin.cookie, &device).await.expect(200).says("There is no token."));
}

async fn faults_are_shown_beside_their_fields(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let device = add(&app, &admin.cookie, "Gate 1").await;
    add(&app, &admin.cookie, "Gate 2").await;
    let fields = [("name", "gate 2"), ("serial", "KT-1"), ("worksite_id", "")];
    let page = submit(&app, &admin.cookie, &device, &fields).await.expect(422);
    assert!(page.fault("name").is_some() && page.fault("serial").is_none());
    assert_eq!(
        (page.field("name").as_deref(), page.field("serial").as_deref()),
        (Some("gate 2"), Some("KT-1"))
    );
    let fields = [("name", ""), ("serial", "a b"), ("worksite_id", "99")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("name").is_some() && page.fault("serial").is_some());
    assert_eq!(page.field("serial").as_deref(), Some("a b"));
    let fields = [("name", "Gate 3"), ("serial", ""), ("worksite_id", "99")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("worksite_id").is_some());
}

async fn a_form_that_is_sent_twice_adds_one_device(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let once = open(&app, &admin.cookie, PATH).await.expect(200).field("_once").unwrap();
    let fields = [("name", "Gate 1"), ("serial", ""), ("worksite_id", ""), ("_once", once.as_str())];
    let first = submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location();
    let second = submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location();
    assert_eq!(first, second);
    let list = app.get("/api/v1/admin/tester_devices").cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
}

async fn a_stale_change_is_not_saved(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let device = add(&app, &admin.cookie, "Gate 1").await;
    let version = open(&app, &admin.cookie, &device).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [("name", name), ("serial", ""), ("worksite_id", ""), ("_version", version.as_str())];
        submit(&app, &admin.cookie, &device, &fields).await
    };
    assert_eq!(change("Gate A").await.expect(303).location(), device);
    let refused = change("Gate B").await.expect(412);
    assert_eq!(refused.field("name").as_deref(), Some("Gate B"));
    assert_eq!(open(&app, &admin.cookie, &device).await.field("name").as_deref(), Some("Gate A"));
}

async fn the_list_is_searched_sorted_and_taken_along(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["Gate 1", "Gate 2", "=1+1", "Portão"] {
        add(&app, &admin.cookie, name).await;
    }
    let found = open(&app, &admin.cookie, &format!("{PATH}?q=portao")).await.expect(200);
    assert!(found.says("Portão") && !found.says("Gate 1"));
    let none = open(&app, &admin.cookie, &format!("{PATH}?q=nothing")).await.expect(200);
    assert!(none.says("Nothing matches") && none.links().contains(&PATH.to_owned()));
    // A blank search of the form shows everything.
    assert!(open(&app, &admin.cookie, &format!("{PATH}?q=")).await.expect(200).says("Gate 2"));
    let text = open(&app, &admin.cookie, &format!("{PATH}?sort=-name")).await.expect(200).text();
    assert!(text.find("Gate 2") < text.find("Gate 1"));
    let csv = app.get(&format!("{PATH}?format=csv")).cookie(&admin.cookie).send().await.expect(200);
    assert!(csv.header("content-type").starts_with("text/csv"));
    let text = csv.text();
    assert!(text.contains("Portão") && !text.lines().any(|line| line.starts_with('=')), "{text}");
    // The pickers of other pages stay in the address.
    open(&app, &admin.cookie, &format!("{PATH}?period=7d&project_id=1")).await.expect(200);
    let page = open(&app, &admin.cookie, &format!("{PATH}?limit=2")).await.expect(200);
    let next = page.links().into_iter().find(|link| link.contains("cursor=")).unwrap();
    assert!(open(&app, &admin.cookie, &next).await.expect(200).says("Portão"));
}

async fn names_are_never_markup(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["<script>alert(1)</script>", "\"><img src=x onerror=y>", "' onload='z", "שער 1"] {
        let device = add(&app, &admin.cookie, name).await;
        let page = open(&app, &admin.cookie, &device).await.expect(200);
        assert_eq!(page.field("name").as_deref(), Some(name));
    }
    open(&app, &admin.cookie, PATH).await.expect(200);
}

async fn who_is_restricted_may_only_look(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let device = add(&app, &admin.cookie, "Gate 1").await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let page = open(&app, &bob.cookie, &device).await.expect(200);
    assert!(page.says("restricted to some projects") && page.field("name").is_none());
    assert!(!page.says("Generate a token"));
    let list = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(list.says("Gate 1") && list.field("name").is_none());
    for name in ["Mine", ""] {
        for path in [PATH, device.as_str()] {
            submit(&app, &bob.cookie, path, &[("name", name)]).await.expect(403);
        }
    }
    submit(&app, &bob.cookie, &format!("{device}/token"), &[]).await.expect(403);
}

async fn another_brands_device_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let device = add(&app, &ours.cookie, "Gate 1").await;
    open(&app, &theirs.cookie, &device).await.expect(404);
    submit(&app, &theirs.cookie, &device, &[("name", "Mine")]).await.expect(404);
    submit(&app, &theirs.cookie, &format!("{device}/token"), &[]).await.expect(404);
    submit(&app, &theirs.cookie, &format!("{device}/token/revoke"), &[]).await.expect(404);
    open(&app, &ours.cookie, &format!("{PATH}/x")).await.expect(404);
}

async fn a_token_asks_for_proof_in_place(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let device = add(&app, &admin.cookie, "Gate 1").await;
    app.clock.advance(Span::minutes(16));
    let asks = |page: &Page| page.reply.text().contains("name=\"_password\"");
    assert!(asks(&open(&app, &admin.cookie, &device).await.expect(200)));
    let path = format!("{device}/token");
    for fields in [&[][..], &[("_password", "wrong wagon sixty tiles")]] {
        let asked = submit(&app, &admin.cookie, &path, fields).await;
        assert!(asks(&asked) && !asked.text().contains("kct_"));
    }
    let issued = submit(&app, &admin.cookie, &path, &[("_password", PASSWORD)]).await.expect(200);
    app.get(PROTECTED_PATH).bearer(&secret_of(&issued)).send().await.expect(200);
    let cookie = issued.reply.session_cookie();
    assert_ne!(cookie, admin.cookie);
    assert!(!asks(&open(&app, &cookie, &device).await.expect(200)));
}

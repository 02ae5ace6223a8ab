//! /settings/gateways

use domain::{EmailAddress, Role, Span};
use serde_json::json;
use testkit::{Engine, TestApp, on_both_engines};

use super::{done, token_on};
use crate::console::{open, submit};

on_both_engines!(
    a_gateway_is_added_and_gets_a_token,
    faults_and_stale_changes_are_shown,
    who_is_restricted_may_only_look,
    who_is_restricted_is_not_asked_for_a_password_first,
    another_brands_gateway_does_not_exist,
);

const PATH: &str = "/settings/gateways";
const PROTECTED_PATH: &str = "/ingest/v1/commands";

async fn a_gateway_is_added_and_gets_a_token(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let empty = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(empty.says("No gateways yet"));
    let once = empty.field("_once").unwrap();
    let fields = [("name", "Site <office>"), ("_once", once.as_str())];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "gateway-added");
    let gateway = made.location();
    // Sent twice, it is added once.
    assert_eq!(submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location(), gateway);
    let page = open(&app, &admin.cookie, &gateway).await.expect(200);
    assert_eq!(page.field("name").as_deref(), Some("Site <office>"));
    assert!(page.says("There is no token.") && !page.says("Revoke the token"));
    let issue = async || submit(&app, &admin.cookie, &format!("{gateway}/token"), &[]).await;
    let first = token_on(&issue().await.expect(200), "kcg_");
    let second = token_on(&issue().await.expect(200), "kcg_");
    let status = async |token: &str| app.get(PROTECTED_PATH).bearer(token).send().await.status.as_u16();
    assert_eq!(status(&first).await, 401);
    assert_ne!(status(&second).await, 401);
    assert!(!open(&app, &admin.cookie, &gateway).await.expect(200).text().contains(&second));
    let revoked = submit(&app, &admin.cookie, &format!("{gateway}/token/revoke"), &[]).await.expect(303);
    assert_eq!((done(&revoked).as_str(), revoked.location()), ("gateway-token-revoked", gateway));
    assert_eq!(status(&second).await, 401);
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for name in ["One", "Two"] {
        let new = json!({ "name": name });
        app.post("/api/v1/admin/gateways").cookie(&admin.cookie).json(&new).send().await.expect(201);
    }
    let page = submit(&app, &admin.cookie, PATH, &[("name", " ")]).await.expect(422);
    assert!(page.fault("name").is_some() && page.says("Two"));
    let page = submit(&app, &admin.cookie, &format!("{PATH}/1"), &[("name", "two")]).await.expect(422);
    assert!(page.fault("name").is_some());
    assert_eq!(page.field("name").as_deref(), Some("two"));
    let page = open(&app, &admin.cookie, &format!("{PATH}/1")).await.expect(200);
    let version = page.field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [("name", name), ("_version", version.as_str())];
        submit(&app, &admin.cookie, &format!("{PATH}/1"), &fields).await
    };
    assert_eq!(done(&change("A").await.expect(303)), "gateway-saved");
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
    let list = open(&app, &admin.cookie, &format!("{PATH}?q=tw")).await.expect(200);
    assert!(list.links().contains(&format!("{PATH}/2")) && !list.links().contains(&format!("{PATH}/1")));
}

async fn who_is_restricted_may_only_look(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let new = json!({ "name": "One" });
    app.post("/api/v1/admin/gateways").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[])).await.unwrap();
    for path in [PATH.to_owned(), format!("{PATH}/1")] {
        let page = open(&app, &bob.cookie, &path).await.expect(200);
        assert!(page.says("One") && page.field("name").is_none() && page.says("restricted to some projects"));
        for name in ["Mine", ""] {
            submit(&app, &bob.cookie, &path, &[("name", name)]).await.expect(403);
        }
    }
    submit(&app, &bob.cookie, &format!("{PATH}/1/token"), &[]).await.expect(403);
    let member = app.sign_in_new_user("m@example.com", Role::Member).await;
    open(&app, &member.cookie, PATH).await.expect(403);
}

async fn who_is_restricted_is_not_asked_for_a_password_first(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for kind in ["gateways", "tester_devices"] {
        let new = json!({ "name": "One" });
        let call = app.post(&format!("/api/v1/admin/{kind}")).cookie(&admin.cookie);
        call.json(&new).send().await.expect(201);
    }
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[])).await.unwrap();
    app.clock.advance(Span::minutes(16));
    for kind in ["gateways", "tester-devices"] {
        for action in ["token", "token/revoke"] {
            let path = format!("/settings/{kind}/1/{action}");
            let refused = submit(&app, &bob.cookie, &path, &[]).await.expect(403);
            assert!(refused.says("You are restricted to some projects"), "{}", refused.text());
            assert!(!refused.reply.text().contains("name=\"_password\""));
        }
    }
}

async fn another_brands_gateway_does_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let new = json!({ "name": "One" });
    app.post("/api/v1/admin/gateways").cookie(&ours.cookie).json(&new).send().await.expect(201);
    open(&app, &theirs.cookie, &format!("{PATH}/1")).await.expect(404);
    for path in ["", "/token", "/token/revoke"] {
        submit(&app, &theirs.cookie, &format!("{PATH}/1{path}"), &[("name", "Mine")]).await.expect(404);
    }
}

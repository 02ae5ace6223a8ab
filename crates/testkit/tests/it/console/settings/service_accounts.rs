//! /settings/service-accounts

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, open, submit};

on_both_engines!(
    an_account_is_added_and_gets_a_token_that_works_with_the_api,
    a_token_is_replaced_with_an_overlap_and_revoked,
    a_change_keeps_the_time_at_which_the_account_ends,
    an_archived_account_can_only_be_looked_at,
    faults_and_stale_changes_are_shown,
    who_is_restricted_sees_the_accounts_within_their_projects,
    accounts_of_others_do_not_exist,
    a_token_asks_for_proof_in_place,
);

const PATH: &str = "/settings/service-accounts";
/// An operation of V2 that answers every valid token.
const OWN: &str = "/api/v2/session";

/// Adds an account through the API and returns its page.
async fn add(app: &TestApp, cookie: &str, name: &str) -> String {
    let new = json!({ "name": name, "role": "viewer", "expires_at": "2027-03-01T10:30:00Z" });
    let made = app.post("/api/v1/admin/service_accounts").cookie(cookie).json(&new).send().await.expect(201);
    format!("{PATH}/{}", made.json()["id"])
}

async fn read(app: &TestApp, cookie: &str, page: &str) -> Value {
    let id = page.rsplit('/').next().unwrap_or_default();
    let path = format!("/api/v1/admin/service_accounts/{id}");
    app.get(&path).cookie(cookie).send().await.expect(200).json()
}

/// Returns the token that a page shows.
fn secret_of(page: &Page) -> String {
    let text = page.text();
    let token = text.split_whitespace().find(|word| word.starts_with("eyJ") && word.len() > 100);
    token.unwrap().to_owned()
}

async fn status(app: &TestApp, token: &str) -> u16 {
    app.get(OWN).bearer(token).send().await.status.as_u16()
}

async fn an_account_is_added_and_gets_a_token_that_works_with_the_api(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let empty = open(&app, &admin.cookie, PATH).await.expect(200);
    assert!(empty.says("No service accounts yet"));
    // A year from now is suggested.
    assert_eq!(empty.field("last_day").as_deref(), Some("2027-03-01"));
    let once = empty.field("_once").unwrap();
    let fields = [
        ("name", "Dash <board>"),
        ("role", "viewer"),
        ("access", "all"),
        ("last_day", "2026-12-31"),
        ("_once", once.as_str()),
    ];
    let made = submit(&app, &admin.cookie, PATH, &fields).await.expect(303);
    assert_eq!(done(&made), "service-account-added");
    let account = made.location();
    assert_eq!(submit(&app, &admin.cookie, PATH, &fields).await.expect(303).location(), account);
    let stored = read(&app, &admin.cookie, &account).await;
    assert_eq!((&stored["name"], &stored["project_ids"]), (&json!("Dash <board>"), &Value::Null));
    assert_eq!(stored["expires_at"], "2027-01-01T00:00:00Z");
    let page = open(&app, &admin.cookie, &account).await.expect(200);
    assert!(page.says("There is no token that works.") && !page.says("Revoke all tokens"));
    let issued = submit(&app, &admin.cookie, &format!("{account}/token"), &[]).await.expect(200);
    assert!(issued.says("Copy it now") && issued.says("Revoke all tokens"));
    let token = secret_of(&issued);
    assert_eq!(status(&app, &token).await, 200);
    assert_eq!(issued.reply.header("cache-control"), "no-store");
    assert!(!open(&app, &admin.cookie, &account).await.expect(200).text().contains(&token));
    assert!(open(&app, &admin.cookie, PATH).await.expect(200).says("Has a token"));
}

async fn a_token_is_replaced_with_an_overlap_and_revoked(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let account = add(&app, &admin.cookie, "Dashboard").await;
    let issue = async |hours: &str| {
        let path = format!("{account}/token");
        secret_of(&submit(&app, &admin.cookie, &path, &[("overlap_hours", hours)]).await.expect(200))
    };
    let first = issue("0").await;
    let second = issue("24").await;
    assert_eq!((status(&app, &first).await, status(&app, &second).await), (200, 200));
    let page = open(&app, &admin.cookie, &account).await.expect(200);
    assert!(page.says("The token before it") && page.says("still works until"));
    let third = issue("0").await;
    assert_eq!((status(&app, &second).await, status(&app, &third).await), (401, 200));
    let refused = submit(&app, &admin.cookie, &format!("{account}/token"), &[("overlap_hours", "169")]).await;
    assert!(refused.expect(422).fault("overlap_hours").is_some());
    let revoke = async || submit(&app, &admin.cookie, &format!("{account}/token/revoke"), &[]).await;
    let revoked = revoke().await.expect(303);
    assert_eq!((revoked.location(), done(&revoked).as_str()), (account.clone(), "service-tokens-revoked"));
    assert_eq!(status(&app, &third).await, 401);
    revoke().await.expect(303);
}

async fn a_change_keeps_the_time_at_which_the_account_ends(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let account = add(&app, &admin.cookie, "Dashboard").await;
    let page = open(&app, &admin.cookie, &account).await.expect(200);
    let day = page.field("last_day").unwrap();
    assert_eq!(day, "2027-03-01");
    let save = async |name: &str, day: &str| {
        let fields = [("name", name), ("role", "member"), ("access", "all"), ("last_day", day)];
        submit(&app, &admin.cookie, &account, &fields).await
    };
    save("Board", &day).await.expect(303);
    let stored = read(&app, &admin.cookie, &account).await;
    assert_eq!((&stored["name"], &stored["role"]), (&json!("Board"), &json!("member")));
    assert_eq!(stored["expires_at"], "2027-03-01T10:30:00Z");
    save("Board", "2027-02-28").await.expect(303);
    assert_eq!(read(&app, &admin.cookie, &account).await["expires_at"], "2027-03-01T00:00:00Z");
    for day in ["2026-02-28", "2028-03-10", "soon", ""] {
        assert!(save("Board", day).await.expect(422).fault("last_day").is_some(), "{day}");
    }
}

async fn an_archived_account_can_only_be_looked_at(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let account = add(&app, &admin.cookie, "Wallboard").await;
    let token = secret_of(&submit(&app, &admin.cookie, &format!("{account}/token"), &[]).await.expect(200));
    let gone = submit(&app, &admin.cookie, &format!("{account}/archive"), &[]).await.expect(303);
    assert_eq!(done(&gone), "service-account-archived");
    assert_eq!(status(&app, &token).await, 401);
    let page = open(&app, &admin.cookie, &account).await.expect(200);
    assert!(page.says("Archived on") && page.field("name").is_none() && !page.says("Issue a token"));
    submit(&app, &admin.cookie, &format!("{account}/token"), &[]).await.expect(409);
    assert!(!open(&app, &admin.cookie, PATH).await.expect(200).says("Wallboard"));
    assert!(open(&app, &admin.cookie, &format!("{PATH}?archived=true")).await.expect(200).says("Wallboard"));
}

async fn faults_and_stale_changes_are_shown(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let account = add(&app, &admin.cookie, "Dashboard").await;
    let fields = [("name", "DASHBOARD"), ("role", "viewer"), ("access", "all"), ("last_day", "2026-12-31")];
    let page = submit(&app, &admin.cookie, PATH, &fields).await.expect(422);
    assert!(page.fault("name").is_some());
    assert_eq!(
        (page.field("name").as_deref(), page.field("last_day").as_deref()),
        (Some("DASHBOARD"), Some("2026-12-31"))
    );
    let version = open(&app, &admin.cookie, &account).await.expect(200).field("_version").unwrap();
    let change = async |name: &str| {
        let fields = [
            ("name", name),
            ("role", "viewer"),
            ("access", "all"),
            ("last_day", "2026-12-31"),
            ("_version", version.as_str()),
        ];
        submit(&app, &admin.cookie, &account, &fields).await
    };
    change("A").await.expect(303);
    assert_eq!(change("B").await.expect(412).field("name").as_deref(), Some("B"));
    assert_eq!(read(&app, &admin.cookie, &account).await["name"], "A");
}

async fn who_is_restricted_sees_the_accounts_within_their_projects(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let bob = app.sign_in_new_user("bob@example.com", Role::Admin).await;
    let viewer = app.sign_in_new_user("vic@example.com", Role::Viewer).await;
    let new = json!({ "name": "North" });
    app.post("/api/v1/projects").cookie(&admin.cookie).json(&new).send().await.expect(201);
    let account = add(&app, &admin.cookie, "Wallboard").await;
    app.app.restrict_user(&EmailAddress::parse(&bob.email).unwrap(), Some(&[ProjectId(1)])).await.unwrap();
    let page = open(&app, &bob.cookie, PATH).await.expect(200);
    assert!(!page.says("Wallboard") && !page.says("All projects"));
    open(&app, &bob.cookie, &account).await.expect(404);
    let fields = [
        ("name", "Own"),
        ("role", "viewer"),
        ("access", "some"),
        ("project_ids", "1"),
        ("last_day", "2026-12-31"),
    ];
    let own = submit(&app, &bob.cookie, PATH, &fields).await.expect(303).location();
    assert_eq!(read(&app, &admin.cookie, &own).await["project_ids"], json!([1]));
    open(&app, &viewer.cookie, PATH).await.expect(403);
    submit(&app, &viewer.cookie, &format!("{own}/token"), &[]).await.expect(403);
}

async fn accounts_of_others_do_not_exist(app: TestApp) {
    let ours = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let theirs = app.sign_in_new_user_in_brand("Other", "eve@example.com", Role::Admin).await;
    let account = add(&app, &ours.cookie, "Wallboard").await;
    open(&app, &theirs.cookie, &account).await.expect(404);
    for button in ["", "/archive", "/token", "/token/revoke"] {
        submit(&app, &theirs.cookie, &format!("{account}{button}"), &[]).await.expect(404);
    }
}

async fn a_token_asks_for_proof_in_place(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let account = add(&app, &admin.cookie, "Wallboard").await;
    app.clock.advance(Span::minutes(16));
    let asks = |page: &Page| page.reply.text().contains("name=\"_password\"");
    assert!(asks(&open(&app, &admin.cookie, &account).await.expect(200)));
    let path = format!("{account}/token");
    let asked = submit(&app, &admin.cookie, &path, &[("overlap_hours", "1")]).await.expect(200);
    assert!(asks(&asked) && !asked.says("Copy it now"));
    assert_eq!(asked.field("overlap_hours").as_deref(), Some("1"));
    let issued = submit(&app, &admin.cookie, &path, &[("_password", PASSWORD)]).await.expect(200);
    assert_eq!(status(&app, &secret_of(&issued)).await, 200);
    let cookie = issued.reply.session_cookie();
    assert!(!asks(&open(&app, &cookie, &account).await.expect(200)));
}

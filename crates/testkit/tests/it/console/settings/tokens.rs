//! Forms that issue tokens

use std::collections::HashSet;

use axum::body::Body;
use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, Engine, PASSWORD, TestApp, on_both_engines};
use tokio::sync::oneshot;

use super::done;
use crate::console::{Page, form_body, open, submit};

on_both_engines!(
    a_reload_issues_no_second_token,
    the_second_of_two_clicks_shows_the_token_of_the_first,
    clicks_at_the_same_moment_show_one_token,
    clicks_that_carry_the_proof_stay_signed_in,
    clicks_that_carry_a_code_use_it_once,
    the_cookie_before_a_proof_has_no_proof_and_soon_ends,
    the_cookie_before_a_proof_ends_with_the_session,
    a_request_that_began_before_a_proof_has_no_proof,
);

/// What has tokens: its page, how its tokens begin, and an address that asks for one.
struct Owner {
    page: String,
    prefix: &'static str,
    protected: &'static str,
}

impl Owner {
    /// Returns the token that a page shows.
    fn token_on(&self, page: &Page) -> Option<String> {
        let text = page.text();
        let token = text.split_whitespace().find(|word| word.starts_with(self.prefix) && word.len() > 40);
        token.map(str::to_owned)
    }

    async fn is_valid(&self, app: &TestApp, token: &str) -> bool {
        app.get(self.protected).bearer(token).send().await.status.as_u16() != 401
    }
}

/// Adds one owner of each kind.
async fn add_owners(app: &TestApp, admin: &Account) -> Vec<Owner> {
    let account = json!({ "name": "Wallboard", "role": "viewer", "expires_at": "2027-03-01T10:30:00Z" });
    let named = json!({ "name": "Gate 1" });
    let station = json!({ "serial": "BS-1" });
    let kinds: [(&str, &Value, &str, &str, &str); 4] = [
        ("admin/tester_devices", &named, "tester-devices", "kct_", "/api/v1/tester/people_assets"),
        ("admin/gateways", &named, "gateways", "kcg_", "/ingest/v1/commands"),
        ("base_stations", &station, "base-stations", "kcs_", "/ingest/v1/commands"),
        ("admin/service_accounts", &account, "service-accounts", "eyJ", "/api/v2/session"),
    ];
    let mut owners = Vec::new();
    for (path, new, page, prefix, protected) in kinds {
        let call = app.post(&format!("/api/v1/{path}")).cookie(&admin.cookie).json(new);
        let id = call.send().await.expect(201).json()["id"].clone();
        owners.push(Owner { page: format!("/settings/{page}/{id}"), prefix, protected });
    }
    owners
}

/// Sends the form of a token several times at the same moment, as clicks do.
async fn click_at_once(app: &TestApp, cookie: &str, owner: &Owner, fields: &[(&str, &str)]) -> Vec<Page> {
    let mut work = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let click = app.post(&format!("{}/token", owner.page)).cookie(cookie);
        let click = click.header("accept", "text/html").header("sec-fetch-site", "same-origin");
        work.spawn(click.bytes("application/x-www-form-urlencoded", form_body(fields)).send());
    }
    work.join_all().await.into_iter().map(|reply| Page { reply }.expect(200)).collect()
}

/// Returns the token that all pages show.
#[track_caller]
fn token_on_all(owner: &Owner, pages: &[Page]) -> String {
    let tokens: HashSet<String> = pages.iter().map(|page| owner.token_on(page).unwrap()).collect();
    assert_eq!(tokens.len(), 1, "{}: {tokens:?}", owner.page);
    tokens.into_iter().next().unwrap()
}

async fn a_reload_issues_no_second_token(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for owner in add_owners(&app, &admin).await {
        let (page, path) = (&owner.page, format!("{}/token", owner.page));
        let once = open(&app, &admin.cookie, page).await.expect(200).field("_once").unwrap();
        let fields = [("_once", once.as_str())];
        let first = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
        let token = owner.token_on(&first).unwrap();
        // The address has no page, so whoever is signed out on it comes back to that of the owner.
        assert!(first.reply.text().contains(&format!("data-next=\"{page}\"")), "{page}");
        app.clock.advance(Span::seconds(30));
        let again = submit(&app, &admin.cookie, &path, &fields).await.expect(303);
        assert_eq!(&again.location(), page);
        assert!(done(&again).ends_with("-token-issued-before"), "{page}: {}", done(&again));
        assert!(owner.is_valid(&app, &token).await, "{page}: the token was replaced");
        // Only service accounts have two tokens for a while.
        let shown = open(&app, &admin.cookie, page).await.expect(200);
        assert!(!shown.says("The token before it"), "{page}: {}", shown.text());
        // Nothing of the token is stored for repeats.
        let stored = testkit::query_raw_sql(app.database(), "select answer from idempotency_keys").await;
        assert!(!stored.is_empty() && stored.iter().all(|answer| !answer.contains(&token)), "{stored:?}");
        // The page that shows a token has a form of its own, which replaces it.
        let next = first.field("_once").unwrap();
        assert_ne!(next, once);
        let other = submit(&app, &admin.cookie, &path, &[("_once", next.as_str())]).await.expect(200);
        assert_ne!(owner.token_on(&other), Some(token));
    }
}

/// The browser drops the answer to the first of two clicks, even if it was complete.
async fn the_second_of_two_clicks_shows_the_token_of_the_first(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let eve = app.sign_in_new_user("eve@example.com", Role::Admin).await;
    for owner in add_owners(&app, &admin).await {
        let path = format!("{}/token", owner.page);
        let fields = [("_once", "two-clicks")];
        let first = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
        let second = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
        let token = token_on_all(&owner, &[first, second]);
        assert!(owner.is_valid(&app, &token).await, "{path}");
        // The key of somebody else leads to nothing of theirs.
        let other = submit(&app, &eve.cookie, &path, &fields).await.expect(200);
        assert_ne!(owner.token_on(&other), Some(token));
    }
}

async fn clicks_at_the_same_moment_show_one_token(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for owner in add_owners(&app, &admin).await {
        let pages = click_at_once(&app, &admin.cookie, &owner, &[("_once", "same-moment")]).await;
        let token = token_on_all(&owner, &pages);
        assert!(owner.is_valid(&app, &token).await, "{}", owner.page);
    }
}

async fn clicks_that_carry_the_proof_stay_signed_in(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let owners = add_owners(&app, &admin).await;
    let mut cookie = admin.cookie;
    for owner in owners {
        app.clock.advance(Span::minutes(16));
        let fields = [("_once", "proven"), ("_password", PASSWORD)];
        let mut pages = click_at_once(&app, &cookie, &owner, &fields).await;
        // This one comes when the others are done, still with the cookie that they replaced.
        let path = format!("{}/token", owner.page);
        pages.push(submit(&app, &cookie, &path, &fields).await.expect(200));
        let token = token_on_all(&owner, &pages);
        assert!(owner.is_valid(&app, &token).await, "{}", owner.page);
        let asks = |page: &Page| page.reply.text().contains("name=\"_password\"");
        assert!(!pages.iter().any(asks), "{}: what was proved is not asked for again", owner.page);
        let cookies: HashSet<String> = pages.iter().map(|page| page.reply.session_cookie()).collect();
        assert_eq!(cookies.len(), 1, "{}", owner.page);
        cookie = cookies.into_iter().next().unwrap();
        open(&app, &cookie, &owner.page).await.expect(200);
    }
}

async fn clicks_that_carry_a_code_use_it_once(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let begin = app.post("/api/v1/session/second_factor").cookie(&admin.cookie);
    let secret = begin.send().await.expect(201).json()["secret"].as_str().unwrap().to_owned();
    let confirm = app.post("/api/v1/session/second_factor/confirm").cookie(&admin.cookie);
    confirm.json(&json!({ "otp": app.otp(&secret) })).send().await.expect(200);
    app.run_jobs().await;
    let owners = add_owners(&app, &admin).await;
    app.clock.advance(Span::minutes(16));
    let code = app.otp(&secret);
    let fields = [("_once", "proven"), ("_password", PASSWORD), ("_otp", code.as_str())];
    let pages = click_at_once(&app, &admin.cookie, &owners[0], &fields).await;
    let token = token_on_all(&owners[0], &pages);
    assert!(owners[0].is_valid(&app, &token).await);
}

/// Whoever has stolen a cookie gains nothing from the proof of its owner.
async fn the_cookie_before_a_proof_has_no_proof_and_soon_ends(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let owners = add_owners(&app, &admin).await;
    app.clock.advance(Span::minutes(16));
    let (owner, path) = (&owners[0], format!("{}/token", owners[0].page));
    let fields = [("_once", "proven"), ("_password", PASSWORD)];
    let proven = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
    let asks = |page: &Page| page.reply.text().contains("name=\"_password\"");
    for fields in [&[("_once", "proven")][..], &[("_once", "other")]] {
        let asked = submit(&app, &admin.cookie, &path, fields).await.expect(200);
        assert!(asks(&asked) && owner.token_on(&asked).is_none(), "{}", asked.text());
        assert!(asked.reply.headers.get("set-cookie").is_none(), "{:?}", asked.reply.headers);
    }
    let guess = [("_once", "proven"), ("_password", "wrong wagon sixty tiles")];
    let refused = submit(&app, &admin.cookie, &path, &guess).await.expect(403);
    assert!(asks(&refused) && refused.reply.headers.get("set-cookie").is_none());
    let change = app.patch("/api/v1/admin/brand").cookie(&admin.cookie);
    let refused = change.json(&json!({ "silence_limit_hours": 12 })).send().await.expect(403);
    assert_eq!(refused.code(), "proof_required");
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
    app.clock.advance(Span::seconds(10));
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(401);
    app.get("/api/v1/session").cookie(&proven.reply.session_cookie()).send().await.expect(200);
}

async fn the_cookie_before_a_proof_ends_with_the_session(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let owners = add_owners(&app, &admin).await;
    app.clock.advance(Span::minutes(16));
    let path = format!("{}/token", owners[0].page);
    let proven = submit(&app, &admin.cookie, &path, &[("_password", PASSWORD)]).await.expect(200);
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
    let end = app.delete("/api/v1/session").cookie(&proven.reply.session_cookie());
    end.send().await.expect(200);
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(401);
    submit(&app, &admin.cookie, &path, &[("_password", PASSWORD)]).await.expect(401);
}

/// Returns a body that is sent when the test says so, and a channel that tells when it is waited for.
fn held_body(fields: &[(&str, &str)]) -> (oneshot::Receiver<()>, oneshot::Sender<()>, Body) {
    let body = form_body(fields);
    let (begin, begun) = oneshot::channel();
    let (end, ended) = oneshot::channel();
    let piece = async move {
        begin.send(()).unwrap();
        ended.await.unwrap();
        Ok::<_, std::io::Error>(body)
    };
    (begun, end, Body::from_stream(futures_util::stream::once(piece)))
}

/// Whoever has stolen a cookie can send the end of a form when its owner has proved who they are.
async fn a_request_that_began_before_a_proof_has_no_proof(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.auth.proof_max_age_minutes = 15).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let owners = add_owners(&app, &admin).await;
    app.clock.advance(Span::minutes(16));
    let (owner, path) = (&owners[0], format!("{}/token", owners[0].page));
    let (begun, end, body) = held_body(&[("_once", "stolen")]);
    let request = app.post(&path).cookie(&admin.cookie).header("accept", "text/html");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let stolen = tokio::spawn(request.header("sec-fetch-site", "same-origin").body(body).send());
    begun.await.unwrap();
    let fields = [("_once", "own"), ("_password", PASSWORD)];
    let proven = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
    assert!(owner.token_on(&proven).is_some(), "{}", proven.text());
    end.send(()).unwrap();
    let asked = Page { reply: stolen.await.unwrap() }.expect(200);
    assert!(owner.token_on(&asked).is_none(), "{}", asked.text());
    assert!(asked.reply.text().contains("name=\"_password\""), "{}", asked.text());
    assert!(asked.reply.headers.get("set-cookie").is_none(), "{:?}", asked.reply.headers);
}

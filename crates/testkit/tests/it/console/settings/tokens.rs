//! Forms that issue tokens

use domain::Role;
use serde_json::{Value, json};
use testkit::{Account, TestApp, on_both_engines};

use super::done;
use crate::console::{Page, form_body, open, submit};

on_both_engines!(a_double_click_issues_one_token, clicks_at_the_same_moment_issue_one_token);

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

async fn a_double_click_issues_one_token(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for owner in add_owners(&app, &admin).await {
        let (page, path) = (&owner.page, format!("{}/token", owner.page));
        let once = open(&app, &admin.cookie, page).await.expect(200).field("_once").unwrap();
        let fields = [("_once", once.as_str())];
        let first = submit(&app, &admin.cookie, &path, &fields).await.expect(200);
        let token = owner.token_on(&first).unwrap();
        let again = submit(&app, &admin.cookie, &path, &fields).await.expect(303);
        assert_eq!(&again.location(), page);
        assert!(done(&again).ends_with("-token-issued-before"), "{page}: {}", done(&again));
        assert!(owner.is_valid(&app, &token).await, "{page}: the token was replaced");
        let shown = open(&app, &admin.cookie, page).await.expect(200);
        assert!(!shown.says("The token before it"), "{page}: {}", shown.text());
        // Nothing of the token is kept for repeats.
        let stored = testkit::query_raw_sql(app.database(), "select answer from idempotency_keys").await;
        assert!(!stored.is_empty() && stored.iter().all(|answer| !answer.contains(&token)), "{stored:?}");
        // The page that shows a token has a form of its own, which replaces it.
        let next = first.field("_once").unwrap();
        assert_ne!(next, once);
        let other = submit(&app, &admin.cookie, &path, &[("_once", next.as_str())]).await.expect(200);
        assert_ne!(owner.token_on(&other), Some(token));
    }
}

async fn clicks_at_the_same_moment_issue_one_token(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    for owner in add_owners(&app, &admin).await {
        let body = form_body(&[("_once", "same-moment")]);
        let mut work = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let click = app.post(&format!("{}/token", owner.page)).cookie(&admin.cookie);
            let click = click.header("accept", "text/html").header("sec-fetch-site", "same-origin");
            work.spawn(click.bytes("application/x-www-form-urlencoded", body.clone()).send());
        }
        let pages: Vec<Page> = work.join_all().await.into_iter().map(|reply| Page { reply }).collect();
        let issued: Vec<String> = pages
            .iter()
            .filter(|page| page.reply.status.as_u16() == 200)
            .filter_map(|page| owner.token_on(page))
            .collect();
        assert_eq!(issued.len(), 1, "{}: {issued:?}", owner.page);
        let led_on = pages.iter().filter(|page| page.location() == owner.page).count();
        assert_eq!(led_on, 3, "{}", owner.page);
        assert!(owner.is_valid(&app, &issued[0]).await, "{}", owner.page);
    }
}

//! Issuing, rotating and revoking the tokens of service accounts.

use app::EarlierTokens;
use domain::{Role, Span};
use serde_json::json;
use testkit::{Engine, PASSWORD, TestApp, on_both_engines};

use super::{OWN, account, create, create_project, create_with_token, issue};

on_both_engines!(
    a_token_is_shown_once_and_its_use_is_seen,
    a_token_works_until_its_account_expires,
    rotation_leaves_an_overlap,
    a_noticed_expiry_is_recorded_later_if_the_database_is_busy,
    a_third_token_ends_the_first,
    revoking_ends_all_tokens_in_every_process,
    a_rotated_signing_key_keeps_tokens_alive,
    a_revoked_signing_key_ends_tokens,
    a_token_is_signed_with_the_key_of_the_moment,
    no_token_outlives_what_is_valid,
    limits_count_per_token,
    a_retry_with_the_next_token_gets_the_stored_answer,
    what_a_program_does_is_audited_as_its_own,
);

const DAY: Span = Span::minutes(24 * 60);

async fn a_token_is_shown_once_and_its_use_is_seen(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let path = create(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let issued = app.post(&format!("{path}/token")).cookie(&admin.cookie).send().await.expect(201);
    assert_eq!(issued.header("location"), path);
    let issued = issued.json();
    let token = issued["token"].as_str().unwrap();
    assert_eq!(token.split('.').count(), 3, "a JWT");
    assert_eq!(issued["service_account"]["token"]["expires_at"], "2027-03-01T00:00:00Z");
    let shown = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json(), issued["service_account"]);
    assert_eq!(shown.json()["token"]["last_used_at"], json!(null));
    let own = app.get(OWN).bearer(token).send().await.expect(200).json();
    assert_eq!(own["expires_at"], "2027-03-01T00:00:00Z");
    assert_eq!(own["second_factor_due"], false);
    let shown = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json()["token"]["last_used_at"], "2026-03-01T12:00:30Z");
    assert!(!shown.text().contains(token));
    // Neither the token nor its secret is stored.
    let secret = claims(token)["jti"].as_str().unwrap().to_owned();
    for text in [token, &secret] {
        assert_eq!(testkit::find_tables_with_text(app.database(), text).await, [""; 0]);
    }
    // A use within the same minute is not written again.
    app.clock.advance(Span::seconds(59));
    app.get(OWN).bearer(token).send().await.expect(200);
    let shown = app.get(&path).cookie(&admin.cookie).send().await.expect(200);
    assert_eq!(shown.json()["token"]["last_used_at"], "2026-03-01T12:00:30Z");
}

/// Returns the claims of a token.
pub fn claims(token: &str) -> serde_json::Value {
    part(token, 1)
}

/// Returns the header (0) or the claims (1) of a token.
fn part(token: &str, index: usize) -> serde_json::Value {
    use base64::Engine as _;
    let text = token.split('.').nth(index).unwrap();
    serde_json::from_slice(&base64::prelude::BASE64_URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

async fn a_token_works_until_its_account_expires(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    // No login, and no use for months.
    app.clock.advance(Span::minutes(364 * 24 * 60));
    app.get(OWN).bearer(&token).send().await.expect(200);
    app.clock.advance(DAY);
    let refused = app.get(OWN).bearer(&token).send().await.expect(401);
    assert_eq!(refused.code(), "credentials_expired");
    assert!(refused.header("www-authenticate").contains("has expired"));
    let cookie = app.log_in_v1(&admin.email, PASSWORD).await.expect(201).session_cookie();
    let again = app.post(&format!("{path}/token")).cookie(&cookie).send().await;
    assert_eq!(again.expect(409).code(), "service_account_expired");
    let later = json!({ "expires_at": "2028-01-01T00:00:00Z" });
    app.patch(&path).cookie(&cookie).json(&later).send().await.expect(200);
    app.get(OWN).bearer(&token).send().await.expect(401);
    let token = issue(&app, &cookie, &path).await;
    app.get(OWN).bearer(&token).send().await.expect(200);
}

async fn rotation_leaves_an_overlap(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let rotate =
        app.post(&format!("{path}/token")).cookie(&admin.cookie).json(&json!({ "overlap_hours": 2 }));
    let rotated = rotate.send().await.expect(201).json();
    let second = rotated["token"].as_str().unwrap();
    assert_eq!(rotated["service_account"]["previous_token"]["expires_at"], "2026-03-01T14:00:30Z");
    let account = &rotated["service_account"];
    for (token, time) in [("token", "created_at"), ("token", "updated_at"), ("previous_token", "updated_at")]
    {
        assert_eq!(account[token][time], account["token"]["issued_at"], "{time} of {token}");
    }
    for token in [&first, second] {
        app.get(OWN).bearer(token).send().await.expect(200);
    }
    let own = app.get(OWN).bearer(&first).send().await.expect(200).json();
    assert_eq!(own["expires_at"], "2026-03-01T14:00:30Z");
    app.clock.advance(Span::minutes(2 * 60));
    let refused = app.get(OWN).bearer(&first).send().await.expect(401);
    assert_eq!(refused.code(), "credentials_expired");
    app.get(OWN).bearer(second).send().await.expect(200);
    let cookie = app.log_in_v1(&admin.email, PASSWORD).await.expect(201).session_cookie();
    let shown = app.get(&path).cookie(&cookie).send().await.expect(200).json();
    assert_eq!(shown["previous_token"], json!(null));
    // Without an overlap the previous token ends at once.
    let rotate = app.post(&format!("{path}/token")).cookie(&cookie).json(&json!({ "overlap_hours": 0 }));
    rotate.send().await.expect(201);
    assert_eq!(app.get(OWN).bearer(second).send().await.expect(401).code(), "credentials_invalid");
    for body in [json!({ "overlap_hours": -1 }), json!({ "overlap_hours": 169 }), json!({ "overlap": 1 })] {
        app.post(&format!("{path}/token")).cookie(&cookie).json(&body).send().await.expect(422);
    }
}

async fn a_noticed_expiry_is_recorded_later_if_the_database_is_busy(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let overlap = json!({ "overlap_hours": 2 });
    app.post(&format!("{path}/token")).cookie(&admin.cookie).json(&overlap).send().await.expect(201);
    app.get(OWN).bearer(&first).send().await.expect(200);
    let (_, platform) = app.database().open().await;
    // Locks all tokens until it is dropped, which rolls it back.
    let mut busy = app.app.store.begin().await.unwrap();
    busy.service_tokens(&platform).revoke_all(app.clock.now()).await.unwrap();
    for hours in [2, -2] {
        app.clock.adjust_wall_by(Span::minutes(hours * 60));
        let refused = app.get(OWN).bearer(&first).send().await.expect(401);
        assert_eq!(refused.code(), "credentials_expired");
    }
    drop(busy);
    app.app.record_noticed_expiries().await.unwrap();
    for app in [&app, &app.second_instance().await] {
        let refused = app.get(OWN).bearer(&first).send().await.expect(401);
        assert_eq!(refused.code(), "credentials_expired");
    }
}

async fn a_third_token_ends_the_first(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let second = issue(&app, &admin.cookie, &path).await;
    let third = issue(&app, &admin.cookie, &path).await;
    app.get(OWN).bearer(&first).send().await.expect(401);
    for token in [&second, &third] {
        app.get(OWN).bearer(token).send().await.expect(200);
    }
}

async fn revoking_ends_all_tokens_in_every_process(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let second = issue(&app, &admin.cookie, &path).await;
    let other = app.second_instance().await;
    for token in [&first, &second] {
        other.get(OWN).bearer(token).send().await.expect(200);
    }
    for _ in 0..2 {
        let revoked =
            app.delete(&format!("{path}/token")).cookie(&admin.cookie).send().await.expect(200).json();
        assert_eq!((&revoked["token"], &revoked["previous_token"]), (&json!(null), &json!(null)));
    }
    app.clock.advance(Span::seconds(1));
    for token in [&first, &second] {
        assert_eq!(app.get(OWN).bearer(token).send().await.expect(401).code(), "credentials_invalid");
        other.get(OWN).bearer(token).send().await.expect(401);
    }
    let third = issue(&app, &admin.cookie, &path).await;
    app.get(OWN).bearer(&third).send().await.expect(200);
}

async fn a_rotated_signing_key_keeps_tokens_alive(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let other = app.second_instance().await;
    for _ in 0..3 {
        app.app.rotate_signing_key(EarlierTokens::Keep).await.unwrap();
        app.clock.advance(Span::seconds(5));
        app.get(OWN).bearer(&token).send().await.expect(200);
        other.get(OWN).bearer(&token).send().await.expect(200);
    }
    let next = issue(&app, &admin.cookie, &path).await;
    other.get(OWN).bearer(&next).send().await.expect(200);
    app.clock.advance(Span::minutes(100 * 24 * 60));
    app.get(OWN).bearer(&next).send().await.expect(200);
}

async fn a_revoked_signing_key_ends_tokens(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let other = app.second_instance().await;
    other.get(OWN).bearer(&token).send().await.expect(200);
    let (_, ended) = app.app.rotate_signing_key(EarlierTokens::Revoke).await.unwrap();
    assert_eq!(ended, 1);
    app.clock.advance(Span::seconds(1));
    for process in [&app, &other] {
        process.get(OWN).bearer(&token).send().await.expect(401);
        process.get(OWN).bearer(&admin.jwt).send().await.expect(401);
    }
    // People go on with their sessions, and programs with a new token.
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
    let refreshed = app.post("/api/v2/refresh").header("refreshtoken", &admin.refresh_token).send().await;
    let refreshed = refreshed.expect(200);
    other.get(OWN).bearer(refreshed.header("accesstoken")).send().await.expect(200);
    let shown = app.get(&path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(shown["token"], json!(null));
    let token = issue(&app, &admin.cookie, &path).await;
    other.get(OWN).bearer(&token).send().await.expect(200);
}

async fn a_token_is_signed_with_the_key_of_the_moment(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    for earlier in [EarlierTokens::Keep, EarlierTokens::Revoke] {
        // This process has the keys in its cache, and does not look for another one within the same moment.
        let other = app.second_instance().await;
        other.get(OWN).bearer(&admin.jwt).send().await.expect(200);
        let (kid, _) = app.app.rotate_signing_key(earlier).await.unwrap();
        let token = issue(&other, &admin.cookie, &path).await;
        assert_eq!(part(&token, 0)["kid"], json!(kid), "{earlier:?}");
        app.clock.advance(Span::seconds(5));
        for process in [&app, &other] {
            process.get(OWN).bearer(&token).send().await.expect(200);
        }
    }
    app.get(OWN).bearer(&token).send().await.expect(401);
}

async fn no_token_outlives_what_is_valid(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let mut new = account("Dashboard", "viewer");
    new["expires_at"] = json!("2028-03-01T12:00:30Z");
    let path = create(&app, &admin.cookie, &new).await;
    // The token is issued on a host whose clock is a little behind.
    app.clock.advance(Span::seconds(-2));
    let issued = app.post(&format!("{path}/token")).cookie(&admin.cookie).send().await.expect(201).json();
    assert_eq!(issued["service_account"]["token"]["expires_at"], "2028-03-01T12:00:28Z");
    app.get(OWN).bearer(issued["token"].as_str().unwrap()).send().await.expect(200);
}

async fn limits_count_per_token(engine: Engine) {
    let app = TestApp::start_with(engine, |config| config.limits.read_per_minute = web::Quota(2)).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "viewer")).await;
    let (_, other) = create_with_token(&app, &admin.cookie, &account("Exports", "viewer")).await;
    let second = issue(&app, &admin.cookie, &path).await;
    for token in [&first, &second, &other] {
        for address in ["192.0.2.1", "192.0.2.2"] {
            app.get(OWN).bearer(token).with_address(address).send().await.expect(200);
        }
        let refused = app.get(OWN).bearer(token).send().await.expect(429);
        assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("rate_limited", "30"));
    }
    app.get("/api/v1/session").cookie(&admin.cookie).send().await.expect(200);
}

async fn a_retry_with_the_next_token_gets_the_stored_answer(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, first) = create_with_token(&app, &admin.cookie, &account("Dashboard", "member")).await;
    let second = issue(&app, &admin.cookie, &path).await;
    let (_, other) = create_with_token(&app, &admin.cookie, &account("Exports", "member")).await;
    let create = |token: &str| create_project(&app, token, "Bridge").header("idempotency-key", "k1").send();
    let made = create(&first).await.expect(201).json();
    assert_eq!(create(&second).await.expect(201).json()["data"]["id"], made["data"]["id"]);
    assert_ne!(create(&other).await.expect(201).json()["data"]["id"], made["data"]["id"]);
}

async fn what_a_program_does_is_audited_as_its_own(app: TestApp) {
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let (path, token) = create_with_token(&app, &admin.cookie, &account("Dashboard", "member")).await;
    issue(&app, &admin.cookie, &path).await;
    create_project(&app, &token, "Bridge").send().await.expect(201);
    app.patch(&path).cookie(&admin.cookie).json(&json!({ "role": "viewer" })).send().await.expect(200);
    app.delete(&format!("{path}/token")).cookie(&admin.cookie).send().await.expect(200);
    app.delete(&path).cookie(&admin.cookie).send().await.expect(200);
    let log = app.get("/api/v1/admin/audit_log?limit=500").cookie(&admin.cookie).send().await.expect(200);
    assert!(!log.text().contains(&token));
    let log = log.json();
    let rows: Vec<_> = log["data"].as_array().unwrap().iter().rev().collect();
    let id: i64 = path.rsplit('/').next().unwrap().parse().unwrap();
    let about: Vec<&str> = rows
        .iter()
        .filter(|row| row["target"].to_string().contains("service_account") && row["target"]["id"] == id)
        .map(|row| row["action"].as_str().unwrap())
        .collect();
    assert_eq!(
        about,
        [
            "service_account.created",
            "service_token.issued",
            "service_token.rotated",
            "service_account.changed",
            "service_token.revoked",
            "service_account.archived",
        ]
    );
    let by = rows.iter().find(|row| row["action"] == "project.created").unwrap();
    assert!(by["actor"].to_string().contains("\"service_account\""), "{by}");
    assert_eq!(by["actor"]["id"], id);
}

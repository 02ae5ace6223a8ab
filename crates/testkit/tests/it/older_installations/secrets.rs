//! Secrets that the older program stored in plaintext are sealed, and still work.

use domain::{Role, Span};
use http::Method;
use serde_json::json;
use testkit::{Database, TestApp, drop_audit_triggers, execute_raw_sql, query_raw_sql, read_all_values};

use super::OlderInstallation;
use crate::video::mp4;

/// Returns the secrets in the rows of a database from before there was an installation key.
pub async fn plaintext_secrets(database: &Database) -> Vec<Vec<u8>> {
    let hexadecimal = if database.url().starts_with("sqlite:") { "hex($)" } else { "encode($, 'hex')" };
    let mut found = Vec::new();
    for (column, rows) in
        [("secret", "signing_keys"), ("audit_key", "installation"), ("secret", "sessions where kind = 'jwt'")]
    {
        let query = format!("select {} from {rows}", hexadecimal.replace('$', column));
        found.extend(query_raw_sql(database, &query).await.iter().map(|digits| decode_hex(digits)));
    }
    found
}

fn decode_hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn contains(bytes: &[u8], secret: &[u8]) -> bool {
    bytes.windows(secret.len()).any(|window| window == secret)
}

/// Asserts that the first start has sealed all secrets in their columns, and that none is left in any row.
pub async fn are_sealed(app: &TestApp, plain: &[Vec<u8>]) {
    assert!(app.data().join("installation.key").exists());
    let (store, platform) = app.database().open().await;
    let (mut tx, mut sealed) = (store.read().await.unwrap(), 0);
    for column in store::SEALED_COLUMNS {
        for value in tx.key_epochs(&platform).values(column, 0, 100).await.unwrap() {
            assert_eq!(value.sealed[..5], [1, 0, 0, 0, 1], "{}", column.purpose);
            // The older program did not have this one.
            sealed += usize::from(column.purpose != "installation.heads");
        }
    }
    drop(tx);
    assert_eq!(sealed, plain.len());
    for value in read_all_values(app.database()).await {
        assert!(!plain.iter().any(|secret| contains(&value, secret)));
    }
}

/// Asserts that no secret is left in free pages of SQLite's file. PostgreSQL cleans its own files.
pub async fn are_gone_from_files(database: &Database, plain: &[Vec<u8>]) {
    if !database.url().starts_with("sqlite:") {
        return;
    }
    execute_raw_sql(database, "pragma wal_checkpoint(truncate)").await.unwrap();
    for name in ["keepclear.db", "keepclear.db-wal"] {
        let bytes = std::fs::read(database.folder().join(name)).unwrap_or_default();
        let left = plain.iter().filter(|secret| contains(&bytes, secret)).count();
        assert_eq!(left, 0, "{left} of {} secrets are still in {name}", plain.len());
    }
}

/// Asserts that every chain was marked at its end, so that links made without a key cannot be changed unnoticed.
pub async fn old_links_are_bound(app: &TestApp) {
    let marked = "select cast(count(*) as text) from audit_marks where epoch = 1 and not key_lost = true";
    let chains = "select cast(count(distinct chain) as text) from audit_seals where epoch = 0";
    assert_eq!(query_raw_sql(app.database(), marked).await, query_raw_sql(app.database(), chains).await);
    let epochs = "select distinct cast(epoch as text) from audit_seals order by 1";
    assert_eq!(query_raw_sql(app.database(), epochs).await, ["0", "1"]);
    drop_audit_triggers(app.database()).await;
    let change = "update audit_log set action = 'user.changed' where id in
        (select audit_id from audit_seals where chain = 1 and epoch = 0 and position = 3)";
    execute_raw_sql(app.database(), change).await.unwrap();
    let report = app.app.check_audit_log().await.unwrap();
    assert!(report.faults[0].contains("was changed after it was sealed"), "{report:?}");
}

/// Asserts that sessions, tokens, links and passwords of the older program work.
pub async fn open_what_they_did(older: &OlderInstallation, app: &TestApp) {
    devices_come_in(older, app).await;
    sessions_go_on(older, app).await;
    links_open(older, app).await;
    passwords_are_known(older, app).await;
    objects_are_there(older, app).await;
    jobs_are_done(older, app).await;
}

async fn devices_come_in(older: &OlderInstallation, app: &TestApp) {
    let event = |uid: &str| {
        json!([{ "uid": uid, "kind": "incursion", "tag": "OLD-1", "zone": "warning", "duration_ms": 5_000,
            "started_at": app.clock.now() - Span::minutes(60), "base_station": "OLD-S" }])
    };
    for (name, uid) in [("station", "new-1"), ("gateway", "new-2"), ("south station", "new-1")] {
        let sent =
            app.post("/ingest/v1/events").bearer(older.recorded_text("tokens", name)).json(&event(uid));
        let sent = sent.send().await.expect(200).json();
        assert_eq!((&sent["accepted"], &sent["rejected"]), (&json!(1), &json!([])), "{name}");
    }
    // Events that the older program accepted are duplicates, whoever sends them again.
    let again =
        app.post("/ingest/v1/events").bearer(older.recorded_text("tokens", "station")).json(&event("new-2"));
    assert_eq!(again.send().await.expect(200).json()["duplicates"], 1);
    let kiosk = app.get("/api/v1/tester/people_assets").bearer(older.recorded_text("tokens", "tester"));
    kiosk.send().await.expect(200);
    let revoked =
        app.post("/ingest/v1/events").bearer(older.recorded_text("tokens", "revoked")).json(&json!([]));
    revoked.send().await.expect(401);
}

async fn sessions_go_on(older: &OlderInstallation, app: &TestApp) {
    for name in ["admin", "member", "viewer", "restricted", "restricted.admin", "south", "refreshed"] {
        if name != "refreshed" {
            app.get("/api/v1/session")
                .cookie(older.recorded_account(name, "cookie"))
                .send()
                .await
                .expect(200);
        }
        app.get("/api/v2/session").bearer(older.recorded_account(name, "jwt")).send().await.expect(200);
        let refresh =
            app.post("/api/v2/refresh").header("refreshtoken", older.recorded_account(name, "refresh_token"));
        refresh.send().await.expect(200);
    }
    for name in ["signed out", "deactivated"] {
        app.get("/api/v1/session").cookie(older.recorded_account(name, "cookie")).send().await.expect(401);
        app.get("/api/v2/session").bearer(older.recorded_account(name, "jwt")).send().await.expect(401);
        let refresh =
            app.post("/api/v2/refresh").header("refreshtoken", older.recorded_account(name, "refresh_token"));
        refresh.send().await.expect(401);
    }
    // The age of a proof counts from the login in the older program.
    let cookie = older.recorded_account("admin", "cookie");
    let add = |name: &str| {
        let new = json!({ "name": name });
        app.post("/api/v1/admin/gateways").cookie(cookie).json(&new)
    };
    app.clock.advance(Span::minutes(16));
    let issue = app.post("/api/v1/admin/gateways/1/token").cookie(cookie).send().await.expect(403);
    assert_eq!(issue.code(), "proof_required");
    let proof =
        app.post("/api/v1/session/proof").cookie(cookie).json(&json!({ "password": older.password() }));
    let cookie = proof.send().await.expect(200).session_cookie();
    app.post("/api/v1/admin/gateways/1/token").cookie(&cookie).send().await.expect(201);
    add("After").send().await.expect(401);
}

async fn links_open(older: &OlderInstallation, app: &TestApp) {
    let path = |kind: &str, email: &str| {
        format!("/account/{kind}/{}", older.recorded_text("links", &format!("{kind} {email}")))
    };
    let invited = path("invitations", "invited@example.com");
    let shown = app.get(&invited).send().await.expect(200).json();
    assert_eq!(
        (&shown["email"], &shown["brand_name"]),
        (&json!("invited@example.com"), &json!("North Works"))
    );
    let joined = app.post(&invited).json(&json!({ "name": "Invited", "password": older.password() }));
    assert!(joined.send().await.status.is_success());
    app.log_in_v1("invited@example.com", older.password()).await.expect(201);
    // The link of a user who was deactivated before joining, and one that was used.
    app.get(&path("invitations", "uninvited@example.com")).send().await.expect(404);
    app.get(&path("invitations", "accepted@example.com")).send().await.expect(404);
    let new = "olive anchor ninety drums";
    let reset = app.post(&path("password_resets", "forgetful@example.com")).json(&json!({ "password": new }));
    assert!(reset.send().await.status.is_success());
    app.log_in_v1("forgetful@example.com", new).await.expect(201);
}

async fn passwords_are_known(older: &OlderInstallation, app: &TestApp) {
    for name in ["admin", "member", "viewer", "restricted", "restricted.admin", "accepted", "south"] {
        let email = format!("{name}@example.com");
        let session = app.log_in_v1(&email, older.password()).await.expect(201).json();
        assert_eq!(session["password_change_due"], false, "{name}");
        app.log_in_v2(&email, older.password()).await.expect(200);
    }
    for name in ["gone", "uninvited", "waiting"] {
        app.log_in_v1(&format!("{name}@example.com"), older.password()).await.expect(401);
    }
    // An address that is still invited in one brand can be invited to another.
    let cookie = app.log_in_v1("south@example.com", older.password()).await.expect(201).session_cookie();
    let invite = json!({ "email": "waiting@example.com", "name": "Waiting", "role": "viewer" });
    app.post("/api/v1/admin/users").cookie(&cookie).json(&invite).send().await.expect(201);
    app.create_user_in_brand("South Works", "new@example.com", Role::Viewer).await;
}

async fn objects_are_there(older: &OlderInstallation, app: &TestApp) {
    let admin = app.log_in_v1("admin@example.com", older.password()).await.expect(201).session_cookie();
    let path = format!("/api/v1/video_clips/{}/content", older.record["clip"]);
    let clip = app.request(Method::GET, &path).cookie(&admin).send().await.expect(200);
    assert!(clip.body == mp4(20_000));
}

async fn jobs_are_done(older: &OlderInstallation, app: &TestApp) {
    let before = app.mails().len();
    assert!(app.run_jobs().await >= 3, "an export, and invitations of two brands");
    assert_eq!(app.app.job_counts().await.unwrap(), store::JobCounts::default());
    let mails = app.mails();
    let to_waiting: Vec<_> =
        mails[before..].iter().filter(|mail| mail.to.as_str() == "waiting@example.com").collect();
    assert_eq!(to_waiting.len(), 2);
    let reply = app.log_in_v2("admin@example.com", older.password()).await.expect(200);
    let jwt = reply.header("accesstoken");
    let exports = app.get("/api/v2/advanced_insights/exports").bearer(jwt).send().await.expect(200).json();
    let states: Vec<_> = exports["data"].as_array().unwrap().iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["done", "done"]);
}

//! POST /api/v1/webhooks/{id}/rotate

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{Account, TestApp, execute_raw_sql, on_both_engines};

use super::{act, audit, create, get, patch};

on_both_engines!(
    a_secret_is_replaced_and_the_one_before_lasts_a_day,
    an_overlap_can_be_chosen,
    a_lost_secret_is_replaced_and_the_webhook_enabled,
    what_was_switched_off_before_its_secret_was_lost_stays_so,
);

/// Rotates and returns the webhook.
async fn rotate(app: &TestApp, admin: &Account, path: &str, hours: i64) -> Value {
    let call = app.post(&format!("{path}/rotate")).cookie(&admin.cookie);
    call.json(&json!({ "overlap_hours": hours })).send().await.expect(200).json()["webhook"].clone()
}

async fn a_secret_is_replaced_and_the_one_before_lasts_a_day(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, first) = create(&app, &admin, &json!({})).await;
    app.clock.advance(Span::minutes(1));
    // The body may be left out.
    let rotated = act(&app, &admin, &format!("{path}/rotate")).await.expect(200).json();
    assert_ne!(rotated["secret"], first);
    let webhook = &rotated["webhook"];
    assert_eq!(webhook["secret_since"], json!(app.clock.now()));
    assert_eq!(webhook["old_secret_until"], json!(app.clock.now() + Span::minutes(24 * 60)));
    assert_eq!(get(&app, &admin, &path).await.expect(200).json(), *webhook);
    let log = audit(&app, &admin, "webhook.rotated").await;
    assert_eq!((log.len(), &log[0]["details"]), (1, &json!({ "overlap_s": 86_400 })));
}

async fn an_overlap_can_be_chosen(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let until = json!(app.clock.now() + Span::minutes(168 * 60));
    assert_eq!(rotate(&app, &admin, &path, 168).await["old_secret_until"], until);
    // One that was replaced earlier ends, too.
    assert_eq!(rotate(&app, &admin, &path, 0).await["old_secret_until"], Value::Null);
    let kept = "select cast(count(old_secret) as text) from webhooks";
    assert_eq!(testkit::query_raw_sql(app.database(), kept).await, ["0"]);
}

async fn a_lost_secret_is_replaced_and_the_webhook_enabled(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let lose = "update webhooks set secret = null, disabled_at = updated_at, disabled_reason = 'key_lost'";
    execute_raw_sql(app.database(), lose).await.unwrap();
    let refused = patch(&app, &admin, &path, &json!({ "enabled": true })).await.expect(409);
    assert_eq!(refused.code(), "webhook_disabled");
    patch(&app, &admin, &path, &json!({ "name": "Other" })).await.expect(200);
    let webhook = rotate(&app, &admin, &path, 24).await;
    assert_eq!((&webhook["enabled"], &webhook["disabled_reason"]), (&json!(true), &Value::Null));
    assert_eq!(webhook["old_secret_until"], Value::Null, "there is none before");
    act(&app, &admin, &format!("{path}/test")).await.expect(200);
    app.allow_leftover_jobs();
}

async fn what_was_switched_off_before_its_secret_was_lost_stays_so(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (off, _) = create(&app, &admin, &json!({ "enabled": false })).await;
    let (on, _) = create(&app, &admin, &json!({})).await;
    // As when the installation key is lost.
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    for column in store::SEALED_COLUMNS.iter().filter(|column| column.purpose.starts_with("webhooks.")) {
        tx.key_epochs(&platform).delete_values(column).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (path, before, is_enabled) in [(&off, "by_user", false), (&on, "key_lost", true)] {
        assert_eq!(get(&app, &admin, path).await.expect(200).json()["disabled_reason"], before);
        // Neither is called without a signature.
        let refused = patch(&app, &admin, path, &json!({ "enabled": true })).await.expect(409);
        assert_eq!(refused.code(), "webhook_disabled");
        assert_eq!(rotate(&app, &admin, path, 24).await["enabled"], is_enabled, "{before}");
    }
    patch(&app, &admin, &off, &json!({ "enabled": true })).await.expect(200);
}

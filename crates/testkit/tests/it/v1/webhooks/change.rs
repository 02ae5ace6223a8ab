//! PATCH and DELETE /api/v1/webhooks/{id}

use domain::{Role, Span};
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{audit, create, create_alert, get, patch};

on_both_engines!(
    what_is_given_changes_and_the_rest_stays,
    what_was_read_can_be_sent_back,
    a_webhook_is_disabled_and_enabled,
    an_older_version_is_not_changed,
    a_deleted_alert_is_no_longer_followed,
    a_deleted_webhook_is_gone,
    webhooks_change_while_alerts_are_deleted,
);

async fn what_is_given_changes_and_the_rest_stays(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let alert = create_alert(&app, &admin, "Yard").await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let mut expected = get(&app, &admin, &path).await.expect(200).json();
    for (field, value) in [
        ("name", json!("Night desk")),
        ("url", json!("https://93.184.215.15/other")),
        ("alert_ids", json!([alert])),
        ("alert_ids", json!([])),
        ("alert_ids", json!(null)),
    ] {
        app.clock.advance(Span::seconds(1));
        let changed = patch(&app, &admin, &path, &json!({ field: value })).await.expect(200).json();
        expected[field] = value;
        expected["updated_at"] = json!(app.clock.now());
        assert_eq!(changed, expected);
        assert_eq!(get(&app, &admin, &path).await.expect(200).json(), expected);
    }
    let log = audit(&app, &admin, "webhook.changed").await;
    assert_eq!(log.len(), 5);
    let hosts = |entry: &Value| {
        (entry["details"]["before"]["host"].clone(), entry["details"]["after"]["host"].clone())
    };
    assert_eq!(hosts(&log[3]), (json!("93.184.215.14"), json!("93.184.215.15")));
}

async fn what_was_read_can_be_sent_back(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let alert = create_alert(&app, &admin, "Yard").await;
    for more in [json!({}), json!({ "alert_ids": [alert], "enabled": false })] {
        let (path, _) = create(&app, &admin, &more).await;
        let shown = get(&app, &admin, &path).await.expect(200);
        app.clock.advance(Span::seconds(1));
        let again = patch(&app, &admin, &path, &shown.json()).await.expect(200);
        assert_eq!((again.json(), again.header("etag")), (shown.json(), shown.header("etag")));
    }
    assert!(audit(&app, &admin, "webhook.changed").await.is_empty());
}

async fn a_webhook_is_disabled_and_enabled(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let set = async |enabled: bool| {
        app.clock.advance(Span::seconds(1));
        let changed = patch(&app, &admin, &path, &json!({ "enabled": enabled })).await.expect(200).json();
        (changed["enabled"].clone(), changed["disabled_at"].clone(), changed["disabled_reason"].clone())
    };
    let since = json!(app.clock.now() + Span::seconds(1));
    let disabled = (json!(false), since, json!("by_user"));
    assert_eq!(set(false).await, disabled);
    assert_eq!(set(false).await, disabled, "since then");
    assert_eq!(set(true).await, (json!(true), Value::Null, Value::Null));
    assert_eq!(audit(&app, &admin, "webhook.changed").await.len(), 2);
}

async fn an_older_version_is_not_changed(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let first = get(&app, &admin, &path).await.expect(200).header("etag").to_owned();
    patch(&app, &admin, &path, &json!({ "name": "Other" })).await.expect(200);
    let change = app.patch(&path).cookie(&admin.cookie).header("if-match", &first);
    let refused = change.json(&json!({ "name": "Third" })).send().await.expect(412);
    assert_eq!(refused.code(), "stale");
    app.delete(&path).cookie(&admin.cookie).header("if-match", &first).send().await.expect(412);
    let now = get(&app, &admin, &path).await.expect(200);
    let delete = app.delete(&path).cookie(&admin.cookie).header("if-match", now.header("etag"));
    assert_eq!(delete.send().await.expect(200).json(), now.json());
}

async fn a_deleted_alert_is_no_longer_followed(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (one, other) = (create_alert(&app, &admin, "Yard").await, create_alert(&app, &admin, "Depot").await);
    let (path, _) = create(&app, &admin, &json!({ "alert_ids": [one, other] })).await;
    app.delete(&format!("/api/v1/alerts/{one}")).cookie(&admin.cookie).send().await.expect(200);
    let shown = get(&app, &admin, &path).await.expect(200).json();
    assert_eq!(shown["alert_ids"], json!([other]));
    patch(&app, &admin, &path, &shown).await.expect(200);
}

async fn a_deleted_webhook_is_gone(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({})).await;
    let shown = get(&app, &admin, &path).await.expect(200).json();
    app.post(&format!("{path}/test")).cookie(&admin.cookie).send().await.expect(200);
    let deleted = app.delete(&path).cookie(&admin.cookie).send().await.expect(200).json();
    assert_eq!(deleted, shown);
    get(&app, &admin, &path).await.expect(404);
    get(&app, &admin, &format!("{path}/deliveries")).await.expect(404);
    app.delete(&path).cookie(&admin.cookie).send().await.expect(404);
    assert_eq!(audit(&app, &admin, "webhook.deleted").await.len(), 1);
    // What waited for it has nothing left to do.
    assert_eq!(app.run_jobs().await, 1);
    let left = "select cast(count(*) as text) from alert_deliveries";
    assert_eq!(testkit::query_raw_sql(app.database(), left).await, ["0"]);
}

async fn webhooks_change_while_alerts_are_deleted(app: TestApp) {
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    for round in 0..8 {
        let mut alerts = Vec::new();
        for name in ["Yard", "Depot", "Gate", "Quay"] {
            alerts.push(create_alert(&app, &admin, name).await);
        }
        let (path, _) = create(&app, &admin, &json!({ "alert_ids": alerts })).await;
        // Each change takes two of them away and adds two again, while they vanish one after the other.
        let mut work = tokio::task::JoinSet::new();
        for (index, alert) in alerts.iter().enumerate() {
            let other = alerts[(index + 1) % alerts.len()];
            let change = json!({ "name": format!("Hook {round} {index}"), "alert_ids": [alert, other] });
            work.spawn(app.patch(&path).cookie(&admin.cookie).json(&change).send());
            let deleted = format!("/api/v1/alerts/{alert}");
            work.spawn(app.delete(&deleted).cookie(&admin.cookie).send());
        }
        for reply in work.join_all().await {
            // 422: the alert was gone already.
            assert!([200, 422].contains(&reply.status.as_u16()), "{}: {}", reply.status, reply.text());
        }
        let shown = get(&app, &admin, &path).await.expect(200).json();
        assert_eq!(shown["alert_ids"], json!([]), "a deleted alert is followed by nobody");
        app.delete(&path).cookie(&admin.cookie).send().await.expect(200);
    }
}

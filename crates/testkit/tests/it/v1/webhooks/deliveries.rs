//! /api/v1/webhooks/{id}/deliveries, and tests

use domain::{Role, Span};
use serde_json::{Value, json};
use testbed::{WebhookBehaviour, WebhookReceiver};
use testkit::{Account, Engine, TestApp, on_both_engines};

use super::{act, audit, create, get, patch};

on_both_engines!(
    deliveries_are_listed_the_newest_first,
    an_event_is_sent_again_by_hand,
    what_waits_is_not_sent_again,
    a_disabled_webhook_is_not_tested,
);

/// Starts an application that can call the receiver, with a webhook for it.
async fn start(engine: Engine, receiver: &WebhookReceiver) -> (TestApp, Account, String) {
    let app = TestApp::start_with(engine, |config| {
        config.alerts.webhook_allow_http = true;
        config.alerts.webhook_allow_private = true;
    })
    .await;
    let admin = app.sign_in_new_user("admin@example.com", Role::Admin).await;
    let (path, _) = create(&app, &admin, &json!({ "url": receiver.url() })).await;
    (app, admin, path)
}

async fn test(app: &TestApp, admin: &Account, path: &str) -> Value {
    act(app, admin, &format!("{path}/test")).await.expect(200).json()
}

async fn list(app: &TestApp, admin: &Account, path: &str, query: &str) -> Value {
    get(app, admin, &format!("{path}/deliveries?{query}")).await.expect(200).json()
}

async fn deliveries_are_listed_the_newest_first(engine: Engine) {
    let receiver = WebhookReceiver::start();
    let (app, admin, path) = start(engine, &receiver).await;
    let queued = test(&app, &admin, &path).await;
    let now = json!(app.clock.now());
    let event_id = queued["event_id"].as_str().unwrap();
    assert!(event_id.starts_with("evt_") && event_id.len() == 26, "{event_id}");
    let mut expected = json!({
        "id": queued["id"], "event": "test", "event_id": event_id, "firing_id": null, "state": "queued",
        "reason": null, "status_code": null, "attempts": 0, "last_attempt_at": null, "next_attempt_at": now,
        "sent_at": null, "created_at": now, "updated_at": now,
    });
    assert_eq!(queued, expected);
    app.clock.advance(Span::seconds(1));
    app.run_jobs().await;
    let later = json!(app.clock.now());
    for (member, value) in [
        ("state", json!("sent")),
        ("status_code", json!(204)),
        ("attempts", json!(1)),
        ("last_attempt_at", later.clone()),
        ("next_attempt_at", Value::Null),
        ("sent_at", later.clone()),
        ("updated_at", later.clone()),
    ] {
        expected[member] = value;
    }
    assert_eq!(list(&app, &admin, &path, "").await["data"], json!([expected]));
    let shown = get(&app, &admin, &path).await.expect(200).json();
    assert_eq!((&shown["last_success_at"], &shown["last_failure_at"]), (&later, &Value::Null));

    receiver.queue([WebhookBehaviour::Status(500)]);
    test(&app, &admin, &path).await;
    app.run_jobs().await;
    let page = list(&app, &admin, &path, "limit=1&include_total=true").await;
    assert_eq!(page["data"][0]["reason"], "status_500");
    assert_eq!(page["page"]["total"], 2);
    let cursor = page["page"]["next"].as_str().unwrap();
    let page = list(&app, &admin, &path, &format!("limit=1&cursor={cursor}")).await;
    assert_eq!((&page["data"], &page["page"]["next"]), (&json!([expected]), &Value::Null));
    for (query, count) in [("state=sent", 1), ("state=sent&state=queued", 2), ("state=failed", 0)] {
        let found = list(&app, &admin, &path, query).await;
        assert_eq!(found["data"].as_array().unwrap().len(), count, "{query}");
    }
    // Those of another webhook are not among them.
    let (other, _) = create(&app, &admin, &json!({ "url": receiver.url() })).await;
    assert_eq!(list(&app, &admin, &other, "").await["data"], json!([]));
}

async fn an_event_is_sent_again_by_hand(engine: Engine) {
    let receiver = WebhookReceiver::start();
    let (app, admin, path) = start(engine, &receiver).await;
    let id = test(&app, &admin, &path).await["id"].clone();
    app.run_jobs().await;
    let again = act(&app, &admin, &format!("{path}/deliveries/{id}/redeliver")).await.expect(200).json();
    assert_eq!((&again["state"], &again["attempts"]), (&json!("queued"), &json!(0)));
    app.run_jobs().await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].header("webhook-id"), calls[1].header("webhook-id"));
    let log = audit(&app, &admin, "webhook.redelivered").await;
    assert_eq!((log.len(), &log[0]["details"]["delivery"]), (1, &id));
    // It must be one of this webhook.
    let (other, _) = create(&app, &admin, &json!({ "url": receiver.url() })).await;
    act(&app, &admin, &format!("{other}/deliveries/{id}/redeliver")).await.expect(404);
    act(&app, &admin, &format!("{path}/deliveries/987654321/redeliver")).await.expect(404);
}

async fn what_waits_is_not_sent_again(engine: Engine) {
    let receiver = WebhookReceiver::start();
    let (app, admin, path) = start(engine, &receiver).await;
    let redeliver = format!("{path}/deliveries/{}/redeliver", test(&app, &admin, &path).await["id"]);
    assert_eq!(act(&app, &admin, &redeliver).await.expect(409).code(), "already_queued");
    receiver.queue([WebhookBehaviour::Status(503)]);
    app.run_jobs().await;
    assert_eq!(act(&app, &admin, &redeliver).await.expect(409).code(), "already_queued");
    app.clock.advance(Span::seconds(6));
    app.run_jobs().await;
    patch(&app, &admin, &path, &json!({ "enabled": false })).await.expect(200);
    assert_eq!(act(&app, &admin, &redeliver).await.expect(409).code(), "webhook_disabled");
    assert_eq!(receiver.calls().len(), 2);
}

async fn a_disabled_webhook_is_not_tested(engine: Engine) {
    let receiver = WebhookReceiver::start();
    let (app, admin, path) = start(engine, &receiver).await;
    patch(&app, &admin, &path, &json!({ "enabled": false })).await.expect(200);
    let refused = act(&app, &admin, &format!("{path}/test")).await.expect(409);
    assert_eq!(refused.code(), "webhook_disabled");
    assert_eq!(list(&app, &admin, &path, "").await["data"], json!([]));
}

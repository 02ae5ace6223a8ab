//! Webhooks that are disabled because their receivers fail.

use domain::{EmailAddress, ProjectId, Role, Span};
use serde_json::{Value, json};
use testbed::WebhookBehaviour;
use testkit::{Engine, on_both_engines};

use super::Calls;

on_both_engines!(
    a_day_of_failures_disables_a_webhook_and_the_admins_are_told,
    a_receiver_that_takes_other_events_is_not_disabled,
    a_receiver_that_is_gone_is_disabled_at_once,
    what_waits_for_a_disabled_webhook_is_sent_by_hand,
);

/// Fails every call for more than a day. Returns the number of attempts.
async fn fail_for_a_day(calls: &Calls) -> usize {
    calls.receiver.queue((0..40).map(|_| WebhookBehaviour::Status(503)));
    let mut attempts = 0;
    // The last attempt is made when a day is over, to the second.
    for _ in 0..50 {
        attempts += calls.attempt().await.len();
        calls.world.advance_minutes(30);
    }
    attempts
}

async fn a_day_of_failures_disables_a_webhook_and_the_admins_are_told(engine: Engine) {
    let calls = Calls::new(engine).await;
    let app = &calls.world.app;
    for email in ["second@example.com", "near@example.com"] {
        app.create_user(email, Role::Admin).await;
    }
    // Whoever is restricted does not manage webhooks.
    let near = EmailAddress::parse("near@example.com").unwrap();
    app.app.restrict_user(&near, Some(&[ProjectId(1)])).await.unwrap();
    let (webhook, _) = calls.webhook(&json!({ "name": "Control <room>" })).await;
    calls.test(webhook).await;
    let attempts = fail_for_a_day(&calls).await;
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["state"], &delivery["reason"]), (&json!("failed"), &json!("status_503")));
    assert_eq!((&delivery["attempts"], &delivery["next_attempt_at"]), (&json!(attempts), &Value::Null));
    assert!((8..=16).contains(&attempts), "{attempts} attempts");
    let shown = calls.show(webhook).await;
    assert_eq!((&shown["enabled"], &shown["disabled_reason"]), (&json!(false), &json!("failing")));

    let mut mails = app.mails();
    mails.sort_by_key(|mail| mail.to.to_string());
    let to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, ["admin@example.com", "second@example.com"]);
    for mail in &mails {
        assert!(mail.subject.contains("Control <room>"), "{}", mail.subject);
        assert!(mail.text.contains("127.0.0.1") && !mail.text.contains("/hook"), "{}", mail.text);
        assert!(!mail.html.contains("<room>"), "{}", mail.html);
    }
    let log = calls.world.get("/api/v1/admin/audit_log?action=webhook.disabled").await;
    assert_eq!(log["data"].as_array().unwrap().len(), 1);
    let entry = &log["data"][0];
    let details = json!({ "reason": "failing", "delivery": delivery["id"] });
    assert_eq!((&entry["actor"]["type"], &entry["details"]), (&json!("service"), &details));
    // It is called again when it is enabled, and only for what happens from then on.
    calls.world.patch(&format!("webhooks/{webhook}"), &json!({ "enabled": true })).await;
    assert!(calls.attempt().await.is_empty());
}

async fn a_receiver_that_takes_other_events_is_not_disabled(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    let refused = calls.test(webhook).await;
    calls.receiver.queue([WebhookBehaviour::Status(400)]);
    calls.attempt().await;
    // It takes this one.
    calls.test(webhook).await;
    assert_eq!(calls.attempt().await.len(), 1);
    fail_for_a_day(&calls).await;
    assert_eq!(calls.show(webhook).await["enabled"], true);
    let failed = calls.world.get(&format!("/api/v1/webhooks/{webhook}/deliveries?state=failed")).await;
    assert_eq!(failed["data"][0]["id"], refused["id"]);
    assert!(calls.world.app.mails().is_empty());
}

async fn a_receiver_that_is_gone_is_disabled_at_once(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.receiver.queue([WebhookBehaviour::Status(410)]);
    calls.test(webhook).await;
    calls.attempt().await;
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["state"], &delivery["reason"]), (&json!("failed"), &json!("gone")));
    assert_eq!(calls.show(webhook).await["disabled_reason"], "gone");
    calls.world.app.run_jobs().await;
    let mails = calls.world.app.mails();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0].to.as_str(), "admin@example.com");
}

async fn what_waits_for_a_disabled_webhook_is_sent_by_hand(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.receiver.queue([WebhookBehaviour::Status(503)]);
    calls.test(webhook).await;
    calls.attempt().await;
    calls.world.patch(&format!("webhooks/{webhook}"), &json!({ "enabled": false })).await;
    calls.world.app.clock.advance(Span::seconds(6));
    assert!(calls.attempt().await.is_empty());
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["state"], &delivery["reason"]), (&json!("failed"), &json!("webhook_disabled")));
    calls.world.patch(&format!("webhooks/{webhook}"), &json!({ "enabled": true })).await;
    assert!(calls.attempt().await.is_empty(), "enabling sends nothing");
    let redeliver = format!("webhooks/{webhook}/deliveries/{}/redeliver", delivery["id"]);
    calls.world.post(&redeliver, &json!({})).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert_eq!(call.header("webhook-id"), delivery["event_id"]);
}

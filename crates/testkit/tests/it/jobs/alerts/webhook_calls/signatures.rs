//! Who a receiver can tell has called.

use domain::{Secret, Span};
use serde_json::json;
use testkit::{Engine, TestApp, on_both_engines};

use super::{Calls, allow_receiver, is_signed};
use crate::jobs::alerts::world::AlertWorld;

on_both_engines!(
    a_call_is_signed_as_the_specification_says,
    both_secrets_sign_while_one_replaces_the_other,
    calls_are_signed_after_the_installation_key_was_rotated,
);

async fn a_call_is_signed_as_the_specification_says(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, secret) = calls.webhook(&json!({})).await;
    let queued = calls.test(webhook).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert_eq!(call.target, "POST /hook");
    assert!(is_signed(&call, &secret));
    assert_eq!(call.header("webhook-id"), queued["event_id"]);
    assert_eq!(call.header("webhook-timestamp"), calls.world.app.clock.now().seconds().to_string());
    assert_eq!(call.header("content-type"), "application/json");
    assert!(call.header("user-agent").starts_with("Keepclear/"), "{}", call.header("user-agent"));
    assert_eq!(call.header("webhook-signature").split(' ').count(), 1);
}

async fn both_secrets_sign_while_one_replaces_the_other(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, first) = calls.webhook(&json!({})).await;
    let rotated = calls.world.post(&format!("webhooks/{webhook}/rotate"), &json!({})).await;
    let second = rotated["secret"].as_str().unwrap().to_owned();
    calls.test(webhook).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert!(is_signed(&call, &first) && is_signed(&call, &second));
    assert_eq!(call.header("webhook-signature").split(' ').count(), 2);
    calls.world.app.clock.advance(Span::minutes(24 * 60));
    calls.test(webhook).await;
    let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
    assert!(!is_signed(&call, &first) && is_signed(&call, &second));
    assert_eq!(call.header("webhook-signature").split(' ').count(), 1);
}

async fn calls_are_signed_after_the_installation_key_was_rotated(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        allow_receiver(config);
        config.installation.key = Secret::default();
    })
    .await;
    let receiver = testbed::WebhookReceiver::start();
    let calls = Calls { world: AlertWorld::new(app).await, receiver };
    let (webhook, first) = calls.webhook(&json!({})).await;
    let rotated = calls.world.post(&format!("webhooks/{webhook}/rotate"), &json!({})).await;
    let beside = calls.world.app.second_instance().await;
    calls.world.app.app.rotate_installation_key().await.unwrap();
    for app in [&calls.world.app, &beside] {
        calls.test(webhook).await;
        app.run_jobs().await;
        let call = calls.receiver.calls().pop().unwrap();
        assert!(is_signed(&call, &first) && is_signed(&call, rotated["secret"].as_str().unwrap()));
    }
    assert_eq!(calls.receiver.calls().len(), 2);
}

//! Receivers that do not answer: their other events wait, and nothing else does.

use std::sync::Arc;

use domain::Span;
use serde_json::{Value, json};
use testbed::{WebhookBehaviour, WebhookReceiver};
use testkit::{Engine, TestApp, on_both_engines};
use tokio::sync::oneshot;

use super::super::world::AlertWorld;
use super::{Calls, allow_receiver};

on_both_engines!(
    the_others_wait_while_a_receiver_hangs,
    mails_do_not_wait_for_a_receiver_that_hangs,
    webhooks_are_tested_twenty_times_an_hour,
    an_old_event_that_is_sent_again_does_not_disable_its_webhook,
);

/// Returns the deliveries of a webhook, oldest first.
async fn deliveries(calls: &Calls, webhook: i64) -> Vec<Value> {
    let mut list = calls.world.get(&format!("/api/v1/webhooks/{webhook}/deliveries")).await;
    let Value::Array(mut rows) = list["data"].take() else { panic!("no list: {list}") };
    rows.reverse();
    rows
}

async fn the_others_wait_while_a_receiver_hangs(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.world.rule(&json!({ "threshold": 1, "split_by": "machine" })).await;
    for machine in 1..=3 {
        calls.world.incursion(machine, &json!({})).await;
    }
    calls.world.app.clock.advance(Span::seconds(1));
    assert_eq!(calls.world.evaluate().await.fired, 3);
    calls.receiver.queue([WebhookBehaviour::Hang]);
    assert_eq!(calls.attempt().await.len(), 1, "the other two are not called");
    assert_eq!(calls.world.app.mails().len(), 3);
    let waiting = deliveries(&calls, webhook).await;
    let attempts: Vec<&Value> = waiting.iter().map(|delivery| &delivery["attempts"]).collect();
    assert_eq!(attempts, [&json!(1), &json!(0), &json!(0)]);
    let next = (calls.world.app.clock.now() + Span::seconds(4)).to_string();
    for delivery in &waiting[1..] {
        assert_eq!((&delivery["state"], &delivery["next_attempt_at"]), (&json!("queued"), &json!(next)));
    }
    assert!(calls.attempt().await.is_empty(), "nothing is due");
    calls.world.app.clock.advance(Span::seconds(6));
    assert_eq!(calls.attempt().await.len(), 3, "it answers again");
    assert!(deliveries(&calls, webhook).await.iter().all(|delivery| delivery["state"] == "sent"));
}

/// No call can end before the mails are sent, because the receiver never answers and may take a minute for that.
async fn mails_do_not_wait_for_a_receiver_that_hangs(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        allow_receiver(config);
        config.alerts.webhook_timeout_s = 60;
        config.jobs.workers = 1;
    });
    let calls = Calls { world: AlertWorld::new(app.await).await, receiver: WebhookReceiver::start() };
    calls.world.app.allow_leftover_jobs();
    for number in 0..14 {
        calls.webhook(&json!({ "name": format!("Receiver {number}") })).await;
    }
    calls.receiver.queue((0..100).map(|_| WebhookBehaviour::Hang));
    calls.world.rule(&json!({ "threshold": 1, "split_by": "machine" })).await;
    for machine in 1..=3 {
        calls.world.incursion(machine, &json!({})).await;
    }
    calls.world.app.clock.advance(Span::seconds(1));
    assert_eq!(calls.world.evaluate().await.fired, 3);
    let Calls { world, receiver } = calls;
    let (stop, stopped) = oneshot::channel::<()>();
    let running = Arc::clone(world.app.runner()).run(async { stopped.await.unwrap_or(()) });
    let running = tokio::spawn(running);
    while receiver.calls().is_empty() || world.app.mails().len() < 3 {
        tokio::task::yield_now().await;
    }
    let calls = "select cast(count(*) as text) from alert_deliveries
         where webhook_id is not null and state = 'queued' and attempts = 0";
    assert_eq!(testkit::query_raw_sql(world.app.database(), calls).await, ["42"]);
    // Ends what hangs.
    drop(receiver);
    stop.send(()).unwrap();
    running.await.unwrap();
}

async fn webhooks_are_tested_twenty_times_an_hour(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    for _ in 0..20 {
        calls.test(webhook).await;
    }
    let test = async || {
        let path = format!("/api/v1/webhooks/{webhook}/test");
        calls.world.send(&calls.world.admin, http::Method::POST, &path, Some(&json!({}))).await
    };
    assert_eq!(test().await.expect(409).code(), "too_many_tests");
    assert_eq!(calls.attempt().await.len(), 20);
    calls.world.advance_minutes(61);
    test().await.expect(200);
    assert_eq!(calls.attempt().await.len(), 1);
}

async fn an_old_event_that_is_sent_again_does_not_disable_its_webhook(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.test(webhook).await;
    assert_eq!(calls.attempt().await.len(), 1);
    let delivery = calls.delivery(webhook).await;
    calls.world.advance_minutes(3 * 24 * 60);
    calls.receiver.queue((0..5).map(|_| WebhookBehaviour::Status(500)));
    calls
        .world
        .post(&format!("webhooks/{webhook}/deliveries/{}/redeliver", delivery["id"]), &json!({}))
        .await;
    for _ in 0..5 {
        assert_eq!(calls.attempt().await.len(), 1);
        calls.world.advance_minutes(60);
    }
    assert_eq!(calls.show(webhook).await["disabled_at"], Value::Null);
    assert_eq!(calls.attempt().await.len(), 1, "it is tried for a day");
    assert_eq!(calls.delivery(webhook).await["state"], "sent");
}

//! Attempts that fail, and those after them.

use app::jobs::{LeaseStatus, WebhookCallJob};
use domain::Span;
use serde_json::{Value, json};
use testbed::WebhookBehaviour;
use testkit::{Engine, on_both_engines};

use super::{Calls, is_signed};

on_both_engines!(
    a_call_that_fails_is_made_again_with_the_same_id,
    attempts_are_made_at_their_times,
    a_gigabyte_is_not_read,
    a_receiver_without_tls_is_not_called,
    nobody_listens,
    a_killed_process_repeats_the_same_event,
    a_call_recorded_under_a_lost_lease_changes_nothing,
);

async fn a_call_that_fails_is_made_again_with_the_same_id(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, secret) = calls.webhook(&json!({})).await;
    let elsewhere = testbed::WebhookReceiver::start();
    calls.receiver.queue([
        WebhookBehaviour::Status(500),
        WebhookBehaviour::Hang,
        WebhookBehaviour::Redirect(elsewhere.url()),
        WebhookBehaviour::SlowHeaders,
        WebhookBehaviour::Close,
        WebhookBehaviour::Status(404),
    ]);
    calls.test(webhook).await;
    let mut timestamps = Vec::new();
    for (attempts, reason, status) in [
        (1, json!("status_500"), json!(500)),
        (2, json!("timed_out"), Value::Null),
        (3, json!("redirected"), Value::Null),
        (4, json!("timed_out"), Value::Null),
        (5, json!("unreachable"), Value::Null),
        (6, json!("status_404"), json!(404)),
        (7, Value::Null, json!(204)),
    ] {
        let [call]: [_; 1] = calls.attempt().await.try_into().unwrap();
        assert!(is_signed(&call, &secret), "each attempt is signed for its own time");
        timestamps.push(call.header("webhook-timestamp").to_owned());
        let delivery = calls.delivery(webhook).await;
        assert_eq!(delivery["event_id"], call.header("webhook-id"));
        assert_eq!(
            (&delivery["attempts"], &delivery["reason"], &delivery["status_code"]),
            (&json!(attempts), &reason, &status)
        );
        let state = if attempts == 7 { "sent" } else { "queued" };
        assert_eq!(delivery["state"], state);
        calls.world.app.clock.advance(Span::minutes(70));
    }
    assert!(timestamps.is_sorted());
    timestamps.dedup();
    assert_eq!(timestamps.len(), 7);
    assert!(elsewhere.calls().is_empty(), "redirects are not followed");
    assert!(calls.attempt().await.is_empty(), "it has arrived");
}

async fn attempts_are_made_at_their_times(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.receiver.queue((0..8).map(|_| WebhookBehaviour::Status(500)));
    calls.test(webhook).await;
    assert_eq!(calls.attempt().await.len(), 1);
    for delay_s in [5, 30, 120, 600, 1_800, 3_600, 7_200] {
        let next = calls.delivery(webhook).await["next_attempt_at"].clone();
        let now = calls.world.app.clock.now();
        let next = domain::Timestamp::parse(next.as_str().unwrap()).unwrap();
        // A tenth more or less, so that not everyone calls at once.
        let tenth = Span::millis(delay_s * 100);
        let planned = now + Span::seconds(delay_s);
        assert!(planned - tenth <= next && next <= planned + tenth, "{delay_s} s: {now} to {next}");
        calls.world.app.clock.advance(next - Span::millis(1) - now);
        assert!(calls.attempt().await.is_empty(), "{delay_s} s are not over");
        calls.world.app.clock.advance(Span::millis(1));
        assert_eq!(calls.attempt().await.len(), 1, "{delay_s} s are over");
    }
}

async fn a_gigabyte_is_not_read(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.receiver.queue([WebhookBehaviour::Gigabyte]);
    calls.test(webhook).await;
    assert_eq!(calls.attempt().await.len(), 1);
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["state"], &delivery["status_code"]), (&json!("sent"), &json!(200)));
    // What the sockets of both sides hold was sent as well.
    assert!(calls.receiver.sent_bytes() < 50_000_000, "{} bytes", calls.receiver.sent_bytes());
}

async fn a_receiver_without_tls_is_not_called(engine: Engine) {
    let calls = Calls::new(engine).await;
    let url = format!("https://{}/hook", calls.receiver.address());
    let (webhook, _) = calls.webhook(&json!({ "url": url })).await;
    calls.receiver.queue([WebhookBehaviour::NoTls]);
    calls.test(webhook).await;
    assert!(calls.attempt().await.is_empty());
    assert_eq!(calls.delivery(webhook).await["reason"], "tls");
}

async fn nobody_listens(engine: Engine) {
    let calls = Calls::new(engine).await;
    // Its port is taken, so that no other test listens there, and nobody accepts.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = json!({ "url": format!("http://127.0.0.1:{port}/hook") });
    let (webhook, _) = calls.webhook(&url).await;
    calls.test(webhook).await;
    calls.world.app.run_jobs().await;
    assert_eq!(calls.delivery(webhook).await["reason"], "unreachable");
    // Where the operator allows no private addresses any more, it is not even tried.
    let strict = calls.world.app.second_instance_with(|config| config.alerts.webhook_allow_private = false);
    let strict = strict.await;
    calls.world.app.clock.advance(Span::seconds(6));
    strict.run_jobs().await;
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["attempts"], &delivery["reason"]), (&json!(2), &json!("private_address")));
}

async fn a_killed_process_repeats_the_same_event(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.test(webhook).await;
    let app = &calls.world.app;
    let lease = app.app.claim_job(&["webhook_call"], "killed", Span::minutes(5)).await.unwrap().unwrap();
    let job: WebhookCallJob = lease.payload().unwrap();
    // It makes the call and is killed before it can record that.
    let call = app.app.prepare_webhook_call(&job).await.unwrap().unwrap();
    let client = &app.runner().context().webhooks;
    assert_eq!(client.post(&call.url, &call.headers, call.body).await.unwrap(), 204);
    assert!(calls.attempt().await.is_empty(), "the lease lasts");
    app.clock.advance(Span::minutes(6));
    assert_eq!(calls.attempt().await.len(), 1);
    let received = calls.receiver.calls();
    let [first, again] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(first.header("webhook-id"), again.header("webhook-id"));
    let delivery = calls.delivery(webhook).await;
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("sent"), &json!(1)));
}

async fn a_call_recorded_under_a_lost_lease_changes_nothing(engine: Engine) {
    let calls = Calls::new(engine).await;
    let (webhook, _) = calls.webhook(&json!({})).await;
    calls.test(webhook).await;
    let app = &calls.world.app.app;
    let lease = app.claim_job(&["webhook_call"], "slow", Span::minutes(5)).await.unwrap().unwrap();
    let job: WebhookCallJob = lease.payload().unwrap();
    calls.world.advance_minutes(6);
    assert_eq!(calls.attempt().await.len(), 1);
    let before = calls.delivery(webhook).await;
    let recorded = app.record_webhook_call(&lease, &job, Err("timed_out")).await.unwrap();
    assert_eq!(recorded, LeaseStatus::Lost);
    assert_eq!(calls.delivery(webhook).await, before);
    assert_eq!(before["state"], "sent");
}

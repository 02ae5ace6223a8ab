//! Messages and their deliveries.

use domain::{
    AlertDeliveryId, AlertEvent, AlertFiringId, AlertMessageId, AlertMessageKind, AlertMessageState,
    AlertRecipientId, DeliveryState, MessageEvent,
};
use store::{DeliveryOutcome, NewDelivery, RuleViewer};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    a_rule_has_one_waiting_message_of_each_kind,
    events_are_told_in_order_and_once,
    recent_messages_are_those_that_were_sent,
    an_attempt_is_recorded_while_the_delivery_is_queued,
    the_deliveries_of_a_firing_are_its_own,
    a_deleted_rule_sends_nothing_that_waits,
);

fn event(firing: AlertFiringId, event: AlertEvent) -> MessageEvent {
    MessageEvent { firing, event }
}

/// A mail that waits for its first attempt.
fn mail(message: AlertMessageId, recipient: AlertRecipientId) -> NewDelivery<'static> {
    NewDelivery {
        message: Some(message),
        recipient: Some(recipient),
        webhook: None,
        firing: None,
        event: None,
        event_id: None,
        state: DeliveryState::Queued,
        reason: None,
    }
}

async fn a_rule_has_one_waiting_message_of_each_kind(app: TestApp) {
    let rows = Rows::new(app).await;
    let (yard, depot) = (rows.add(&rule("Yard")).await.id, rows.add(&rule("Depot")).await.id);
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut messages = tx.alert_messages(&rows.scope);
    let held = messages.waiting(yard, AlertMessageKind::Held, at(90), at(10)).await.unwrap();
    assert_eq!(messages.waiting(yard, AlertMessageKind::Held, at(70), at(11)).await.unwrap(), held);
    let digest = messages.waiting(yard, AlertMessageKind::Digest, at(80), at(12)).await.unwrap();
    let of_depot = messages.waiting(depot, AlertMessageKind::Held, at(60), at(13)).await.unwrap();
    let found = messages.find(held).await.unwrap().unwrap();
    assert_eq!((found.rule, found.kind), (yard, AlertMessageKind::Held));
    assert_eq!(found.state, AlertMessageState::Waiting);
    assert_eq!((found.send_at, found.created_at), (at(70), at(10)), "the earlier time");
    messages.waiting(yard, AlertMessageKind::Held, at(99), at(14)).await.unwrap();
    for (now, expected) in [(59, vec![]), (70, vec![of_depot, held]), (80, vec![of_depot, held, digest])] {
        let due = messages.due(at(now), 9).await.unwrap();
        assert_eq!(due.iter().map(|message| message.id).collect::<Vec<_>>(), expected, "{now}");
    }
    assert_eq!(messages.due(at(80), 1).await.unwrap().len(), 1);
    assert_eq!(messages.next_send_at().await.unwrap(), Some(at(60)));
    assert_eq!(messages.count_due(yard, at(79)).await.unwrap(), 1);
    messages.postpone(held, at(90)).await.unwrap();
    assert_eq!(
        (messages.count_due(yard, at(79)).await.unwrap(), messages.count_due(yard, at(80)).await.unwrap()),
        (0, 1)
    );
    // Those of the other rule stay as they are, and so does what is due already.
    messages.make_due(yard, at(85)).await.unwrap();
    let times = [
        messages.find(held).await.unwrap().unwrap().send_at,
        messages.find(digest).await.unwrap().unwrap().send_at,
    ];
    assert_eq!(times, [at(85), at(80)]);
    assert_eq!(messages.find(of_depot).await.unwrap().unwrap().send_at, at(60));
    assert!(messages.end_waiting(held, AlertMessageState::Released, at(95)).await.unwrap());
    assert!(!messages.end_waiting(held, AlertMessageState::Dropped, at(96)).await.unwrap());
    assert!(messages.end_waiting(digest, AlertMessageState::Dropped, at(96)).await.unwrap());
    let released = messages.find(held).await.unwrap().unwrap();
    assert_eq!((released.state, released.send_at), (AlertMessageState::Released, at(95)));
    let next = messages.waiting(yard, AlertMessageKind::Held, at(200), at(100)).await.unwrap();
    assert_ne!(next, held);
    let mut messages = tx.alert_messages(&theirs);
    assert!(
        messages.find(next).await.unwrap().is_none() && messages.due(at(999), 9).await.unwrap().is_empty()
    );
}

async fn events_are_told_in_order_and_once(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let (first, second) = (rows.fire(&rule_of, &[1], at(1)).await, rows.fire(&rule_of, &[2], at(2)).await);
    let mut tx = rows.store.begin().await.unwrap();
    let mut messages = tx.alert_messages(&rows.scope);
    let id = messages.waiting(rule_of.id, AlertMessageKind::Held, at(90), at(10)).await.unwrap();
    let fired = [event(first, AlertEvent::Fired), event(second, AlertEvent::Fired)];
    let cleared = event(first, AlertEvent::Cleared);
    for one in [fired[1], cleared, fired[0], fired[0]] {
        messages.add_event(id, one).await.unwrap();
    }
    assert_eq!(messages.events(id).await.unwrap(), [fired[0], cleared, fired[1]]);
    messages.remove_events(id, &fired[..1]).await.unwrap();
    messages.remove_events(id, &fired[..1]).await.unwrap();
    messages.remove_events(id, &[]).await.unwrap();
    assert_eq!(messages.events(id).await.unwrap(), [cleared, fired[1]]);
    let next = messages.waiting(rule_of.id, AlertMessageKind::Digest, at(90), at(10)).await.unwrap();
    messages.move_events(id, next, &[cleared]).await.unwrap();
    assert_eq!(messages.events(id).await.unwrap(), [fired[1]]);
    assert_eq!(messages.events(next).await.unwrap(), [cleared]);
}

async fn recent_messages_are_those_that_were_sent(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add(&rule("Yard")).await.id;
    let mut tx = rows.store.begin().await.unwrap();
    let mut messages = tx.alert_messages(&rows.scope);
    for (kind, state, created) in [
        (AlertMessageKind::Single, AlertMessageState::Released, 10),
        (AlertMessageKind::Single, AlertMessageState::Released, 20),
        (AlertMessageKind::Held, AlertMessageState::Dropped, 30),
        (AlertMessageKind::Digest, AlertMessageState::Waiting, 40),
        (AlertMessageKind::Test, AlertMessageState::Released, 50),
    ] {
        messages.add(id, kind, state, at(created), at(created)).await.unwrap();
    }
    let (single, test) = ([AlertMessageKind::Single], [AlertMessageKind::Test]);
    for (kinds, since, expected) in [
        (&single[..], 9, (2, Some(at(10)))),
        (&single, 10, (1, Some(at(20)))),
        (&single, 20, (0, None)),
        (&test, 0, (1, Some(at(50)))),
        (&AlertMessageKind::ALL, 0, (3, Some(at(10)))),
        (&[], 0, (0, None)),
    ] {
        assert_eq!(messages.recent(id, kinds, at(since)).await.unwrap(), expected, "{kinds:?} {since}");
    }
}

async fn an_attempt_is_recorded_while_the_delivery_is_queued(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let mut tx = rows.store.begin().await.unwrap();
    let recipient = tx.alert_rules(&rows.scope).recipients(&[rule_of.id]).await.unwrap()[0].1.id;
    let (kind, released) = (AlertMessageKind::Single, AlertMessageState::Released);
    let message = tx.alert_messages(&rows.scope).add(rule_of.id, kind, released, at(5), at(5)).await.unwrap();
    let mut deliveries = tx.alert_deliveries(&rows.scope);
    let id = deliveries.add(&mail(message, recipient), at(5)).await.unwrap();
    let queued = deliveries.find(id).await.unwrap().unwrap();
    assert_eq!((queued.state, queued.attempts), (DeliveryState::Queued, 0));
    assert_eq!((queued.next_attempt_at, queued.last_attempt_at), (Some(at(5)), None));
    assert_eq!((queued.message, queued.recipient, queued.webhook), (Some(message), Some(recipient), None));
    let retry = DeliveryOutcome {
        state: DeliveryState::Queued,
        reason: Some("unreachable"),
        status_code: None,
        next_attempt_at: Some(at(20)),
    };
    assert!(deliveries.record(id, &retry, at(10)).await.unwrap());
    let tried = deliveries.find(id).await.unwrap().unwrap();
    assert_eq!((tried.attempts, tried.last_attempt_at, tried.sent_at), (1, Some(at(10)), None));
    assert_eq!((tried.next_attempt_at, tried.reason.as_deref()), (Some(at(20)), Some("unreachable")));
    let sent = DeliveryOutcome {
        state: DeliveryState::Sent,
        reason: None,
        status_code: Some(250),
        next_attempt_at: None,
    };
    assert!(deliveries.record(id, &sent, at(21)).await.unwrap());
    assert!(!deliveries.record(id, &retry, at(22)).await.unwrap(), "it was sent");
    let done = deliveries.find(id).await.unwrap().unwrap();
    assert_eq!((done.state, done.attempts, done.sent_at), (DeliveryState::Sent, 2, Some(at(21))));
    assert_eq!((done.reason, done.status_code, done.next_attempt_at), (None, Some(250), None));
    assert_eq!((done.created_at, done.updated_at), (at(5), at(21)));
    // What is not attempted counts no attempt.
    let other = deliveries.add(&mail(message, recipient), at(5)).await.unwrap();
    let state = DeliveryState::Suppressed;
    let suppressed = DeliveryOutcome { state, reason: Some("not_visible"), ..sent };
    assert!(deliveries.record(other, &suppressed, at(23)).await.unwrap());
    let done = deliveries.find(other).await.unwrap().unwrap();
    assert_eq!((done.state, done.attempts, done.last_attempt_at, done.sent_at), (state, 0, None, None));
    // A recipient who is gone leaves the record of what was sent.
    tx.commit().await.unwrap();
    rows.change(rule_of.id, &store::NewRule { recipients: Vec::new(), ..rule("Yard") }).await;
    let mut tx = rows.store.read().await.unwrap();
    let kept = tx.alert_deliveries(&rows.scope).find(id).await.unwrap().unwrap();
    assert_eq!((kept.recipient, kept.state), (None, DeliveryState::Sent));
    let theirs = rows.other_brand().await;
    assert!(tx.alert_deliveries(&theirs).find(id).await.unwrap().is_none());
}

async fn the_deliveries_of_a_firing_are_its_own(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let (first, second) = (rows.fire(&rule_of, &[1], at(1)).await, rows.fire(&rule_of, &[2], at(2)).await);
    let webhook = rows.add_webhook("Hook", None).await;
    let mut tx = rows.store.begin().await.unwrap();
    let recipient = tx.alert_rules(&rows.scope).recipients(&[rule_of.id]).await.unwrap()[0].1.id;
    let mut messages = tx.alert_messages(&rows.scope);
    let both = messages.waiting(rule_of.id, AlertMessageKind::Digest, at(9), at(3)).await.unwrap();
    for firing in [first, second] {
        messages.add_event(both, event(firing, AlertEvent::Fired)).await.unwrap();
    }
    let mut deliveries = tx.alert_deliveries(&rows.scope);
    let mailed = deliveries.add(&mail(both, recipient), at(4)).await.unwrap();
    let mut called = Vec::new();
    for firing in [first, second] {
        let call = NewDelivery {
            recipient: None,
            webhook: Some(webhook),
            firing: Some(firing),
            event: Some(AlertEvent::Fired),
            event_id: Some("evt_1"),
            ..mail(both, recipient)
        };
        called.push(deliveries.add(&call, at(4)).await.unwrap());
    }
    let apart = NewDelivery { message: None, webhook: Some(webhook), ..mail(both, recipient) };
    deliveries.add(&NewDelivery { recipient: None, ..apart }, at(4)).await.unwrap();
    for (firing, call) in [(first, called[0]), (second, called[1])] {
        let found: Vec<AlertDeliveryId> =
            deliveries.of_firing(firing).await.unwrap().into_iter().map(|delivery| delivery.id).collect();
        assert_eq!(found, [mailed, call]);
    }
}

async fn a_deleted_rule_sends_nothing_that_waits(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let mut tx = rows.store.begin().await.unwrap();
    let id = tx
        .alert_messages(&rows.scope)
        .waiting(rule_of.id, AlertMessageKind::Held, at(90), at(10))
        .await
        .unwrap();
    tx.alert_rules(&rows.scope).find_locked(rule_of.id, RuleViewer::Brand).await.unwrap().unwrap();
    tx.alert_rules(&rows.scope).delete(rule_of.id, at(20)).await.unwrap();
    let mut messages = tx.alert_messages(&rows.scope);
    assert!(messages.due(at(999), 9).await.unwrap().is_empty());
    assert_eq!(messages.find(id).await.unwrap().unwrap().state, AlertMessageState::Dropped);
}

//! Firings past their retention, and the messages about them.

use domain::{
    AlertEvent, AlertFiringId, AlertMessageId, AlertMessageKind, AlertMessageState, AlertRuleId, ClearReason,
    DeliveryState, MessageEvent, WebhookId,
};
use store::NewDelivery;
use testkit::{TestApp, count_rows, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    what_cleared_long_ago_is_deleted_with_what_was_told,
    the_oldest_go_first_and_no_more_than_asked_for,
    a_message_about_several_goes_with_the_last,
    a_deleted_rule_stays_until_its_last_firing_is_gone,
    tests_and_dropped_messages_are_deleted_apart,
);

impl Rows {
    async fn clear(&self, id: AlertFiringId, now: i64) {
        let mut tx = self.store.begin().await.unwrap();
        assert!(
            tx.alert_firings(&self.scope).clear(id, ClearReason::Recovered, None, at(now)).await.unwrap()
        );
        tx.commit().await.unwrap();
    }

    /// Adds a message about these firings, with a mail and the call of a webhook for each.
    async fn tell(&self, rule: AlertRuleId, webhook: WebhookId, firings: &[AlertFiringId]) -> AlertMessageId {
        let mut tx = self.store.begin().await.unwrap();
        let recipient = tx.alert_rules(&self.scope).recipients(&[rule]).await.unwrap()[0].1.id;
        let (kind, state) = (AlertMessageKind::Single, AlertMessageState::Released);
        let message = tx.alert_messages(&self.scope).add(rule, kind, state, at(5), at(5)).await.unwrap();
        let mail = NewDelivery {
            message: Some(message),
            recipient: Some(recipient),
            webhook: None,
            firing: None,
            event: None,
            event_id: None,
            state: DeliveryState::Sent,
            reason: None,
        };
        tx.alert_deliveries(&self.scope).add(&mail, at(5)).await.unwrap();
        for firing in firings.iter().copied() {
            let event = MessageEvent { firing, event: AlertEvent::Fired };
            tx.alert_messages(&self.scope).add_event(message, event).await.unwrap();
            let call = NewDelivery {
                recipient: None,
                webhook: Some(webhook),
                firing: Some(firing),
                event: Some(AlertEvent::Fired),
                ..mail.clone()
            };
            tx.alert_deliveries(&self.scope).add(&call, at(5)).await.unwrap();
        }
        tx.commit().await.unwrap();
        message
    }

    async fn delete_before(&self, before: i64, limit: i64) -> u64 {
        let mut tx = self.store.begin().await.unwrap();
        let deleted = tx.alert_firings(&self.scope).delete_before(at(before), limit).await.unwrap();
        tx.commit().await.unwrap();
        deleted
    }

    /// Returns the numbers of firings with their projects, messages with their events, deliveries, and rules.
    async fn counts(&self) -> [i64; 6] {
        let counts = count_rows(self.app.database()).await;
        [
            "alert_firings",
            "alert_firing_projects",
            "alert_messages",
            "alert_message_events",
            "alert_deliveries",
            "alert_rules",
        ]
        .map(|table| counts[table])
    }
}

async fn what_cleared_long_ago_is_deleted_with_what_was_told(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let webhook = rows.add_webhook("Hook", None).await;
    let mut firings = Vec::new();
    for split in 1..=3 {
        let id = rows.fire(&rule_of, &[split], at(1)).await;
        rows.tell(rule_of.id, webhook, &[id]).await;
        firings.push(id);
    }
    // The third is open.
    rows.clear(firings[0], 10).await;
    rows.clear(firings[1], 20).await;
    assert_eq!(rows.counts().await, [3, 3, 3, 3, 6, 1]);
    assert_eq!(rows.delete_before(10, 100).await, 0);
    assert_eq!(rows.delete_before(20, 100).await, 1);
    assert_eq!(rows.counts().await, [2, 2, 2, 2, 4, 1]);
    assert_eq!(rows.delete_before(1_000, 100).await, 1);
    assert_eq!(rows.counts().await, [1, 1, 1, 1, 2, 1]);
    assert_eq!(rows.firing(firings[2]).await.cleared_at, None);
    // The engine agrees that nothing refers to what is gone.
    rows.store.check_integrity(true).await.unwrap();
}

async fn the_oldest_go_first_and_no_more_than_asked_for(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let mut firings = Vec::new();
    for (split, cleared_at) in [(1, 30), (2, 10), (3, 20)] {
        let id = rows.fire(&rule_of, &[split], at(1)).await;
        rows.clear(id, cleared_at).await;
        firings.push(id);
    }
    assert_eq!(rows.delete_before(100, 2).await, 2);
    let mut tx = rows.store.read().await.unwrap();
    let left = tx.alert_firings(&rows.scope).among(&firings).await.unwrap();
    assert_eq!(left.iter().map(|firing| firing.id).collect::<Vec<_>>(), [firings[0]]);
    drop(tx);
    assert_eq!(rows.delete_before(100, 2).await, 1);
    assert_eq!(rows.delete_before(100, 2).await, 0);
}

async fn a_message_about_several_goes_with_the_last(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let webhook = rows.add_webhook("Hook", None).await;
    let (first, second) = (rows.fire(&rule_of, &[1], at(1)).await, rows.fire(&rule_of, &[2], at(1)).await);
    let message = rows.tell(rule_of.id, webhook, &[first, second]).await;
    rows.clear(first, 10).await;
    rows.clear(second, 20).await;
    assert_eq!(rows.counts().await, [2, 2, 1, 2, 3, 1]);
    assert_eq!(rows.delete_before(15, 10).await, 1);
    assert_eq!(rows.counts().await, [1, 1, 1, 1, 2, 1], "the mail about both, and the call about the second");
    let mut tx = rows.store.read().await.unwrap();
    let events = tx.alert_messages(&rows.scope).events(message).await.unwrap();
    assert_eq!(events, [MessageEvent { firing: second, event: AlertEvent::Fired }]);
    drop(tx);
    assert_eq!(rows.delete_before(25, 10).await, 1);
    assert_eq!(rows.counts().await, [0, 0, 0, 0, 0, 1]);
}

async fn a_deleted_rule_stays_until_its_last_firing_is_gone(app: TestApp) {
    let rows = Rows::new(app).await;
    let (yard, depot) = (rows.add(&rule("Yard")).await, rows.add(&rule("Depot")).await);
    let webhook = rows.add_webhook("Hook", None).await;
    let firing = rows.fire(&yard, &[1], at(1)).await;
    rows.tell(yard.id, webhook, &[firing]).await;
    let mut tx = rows.store.begin().await.unwrap();
    for id in [yard.id, depot.id] {
        tx.alert_rules(&rows.scope).delete(id, at(10)).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(rows.delete_before(10, 10).await, 0);
    assert_eq!(rows.counts().await, [1, 1, 1, 1, 2, 1], "the other had none");
    assert_eq!(rows.firing(firing).await.rule_name, "Yard");
    assert_eq!(rows.delete_before(11, 10).await, 1);
    assert_eq!(rows.counts().await, [0; 6]);
    rows.store.check_integrity(true).await.unwrap();
}

async fn tests_and_dropped_messages_are_deleted_apart(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let webhook = rows.add_webhook("Hook", None).await;
    let firing = rows.fire(&rule_of, &[1], at(1)).await;
    rows.tell(rule_of.id, webhook, &[firing]).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut messages = tx.alert_messages(&rows.scope);
    let mut of_state = Vec::new();
    for (kind, state) in [
        (AlertMessageKind::Test, AlertMessageState::Released),
        (AlertMessageKind::Held, AlertMessageState::Dropped),
        (AlertMessageKind::Digest, AlertMessageState::Waiting),
        (AlertMessageKind::Test, AlertMessageState::Released),
    ] {
        of_state.push(messages.add(rule_of.id, kind, state, at(5), at(5)).await.unwrap());
    }
    for (message, state) in [
        (Some(of_state[0]), DeliveryState::Sent),
        // Its mail has not been sent yet.
        (Some(of_state[3]), DeliveryState::Queued),
        (None, DeliveryState::Failed),
        (None, DeliveryState::Queued),
    ] {
        let delivery = NewDelivery {
            message,
            recipient: None,
            webhook: Some(webhook),
            firing: None,
            event: Some(AlertEvent::Test),
            event_id: None,
            state,
            reason: None,
        };
        tx.alert_deliveries(&rows.scope).add(&delivery, at(5)).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(rows.counts().await, [1, 1, 5, 1, 6, 1]);
    for (before, deleted, left) in [(5, 0, [1, 1, 5, 1, 6, 1]), (6, 3, [1, 1, 3, 1, 4, 1])] {
        let mut tx = rows.store.begin().await.unwrap();
        let count = tx.alert_firings(&rows.scope).delete_without_firing(at(before), 10).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!((count, rows.counts().await), (deleted, left), "{before}");
    }
}

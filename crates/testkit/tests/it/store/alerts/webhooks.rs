//! Webhooks: their values, secrets, rules and deliveries.

use domain::{
    AlertEvent, AlertRuleId, DeliveryState, Name, PageRequest, WebhookAddress, WebhookDisabled, WebhookId,
};
use store::{NewDelivery, NewWebhook};
use testkit::{TestApp, on_both_engines};

use super::{Rows, at, rule};

on_both_engines!(
    a_webhook_is_read_as_it_was_written,
    two_secrets_are_kept_during_a_rotation,
    a_webhook_follows_all_rules_or_some,
    a_webhook_is_disabled_once,
    webhooks_are_listed_by_name,
    deliveries_of_a_webhook_are_listed_and_queued_again,
    deleting_a_webhook_deletes_its_deliveries,
);

fn webhook(name: &str, rules: Option<Vec<AlertRuleId>>) -> NewWebhook {
    NewWebhook {
        name: Name::parse(name).unwrap(),
        url: WebhookAddress::parse("https://hooks.example.com/keepclear").unwrap(),
        rules,
        disabled_reason: None,
    }
}

impl Rows {
    pub(super) async fn add_webhook(&self, name: &str, rules: Option<Vec<AlertRuleId>>) -> WebhookId {
        let mut tx = self.store.begin().await.unwrap();
        let id = tx.webhooks(&self.scope).add(&webhook(name, rules), at(1)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }
}

async fn a_webhook_is_read_as_it_was_written(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut webhooks = tx.webhooks(&rows.scope);
    let id = webhooks.add(&webhook("Hook", Some(vec![rule_of.id, rule_of.id])), at(1)).await.unwrap();
    let added = webhooks.find_locked(id).await.unwrap().unwrap();
    assert_eq!((added.name.as_str(), added.url.as_str()), ("Hook", "https://hooks.example.com/keepclear"));
    assert_eq!((added.all_rules, added.disabled_at, added.disabled_reason), (false, None, None));
    assert_eq!((added.version, added.secret_since, added.created_at), (1, at(1), at(1)));
    assert_eq!(webhooks.rules(&[id]).await.unwrap(), [(id, rule_of.id)]);
    let to = NewWebhook { disabled_reason: Some(WebhookDisabled::ByUser), ..webhook("Other", None) };
    let changed = webhooks.change(id, &to, at(5)).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.all_rules, changed.version), ("Other", true, 2));
    assert_eq!((changed.disabled_at, changed.disabled_reason), (Some(at(5)), to.disabled_reason));
    assert_eq!(webhooks.rules(&[id]).await.unwrap(), []);
    // While it stays disabled, the time stays.
    assert_eq!(webhooks.change(id, &to, at(9)).await.unwrap().disabled_at, Some(at(5)));
    let enabled = webhooks.change(id, &webhook("Other", None), at(10)).await.unwrap();
    assert_eq!((enabled.disabled_at, enabled.disabled_reason), (None, None));
    webhooks.record_result(id, true, at(11)).await.unwrap();
    webhooks.record_result(id, false, at(12)).await.unwrap();
    let called = webhooks.find(id).await.unwrap().unwrap();
    assert_eq!((called.last_success_at, called.last_failure_at), (Some(at(11)), Some(at(12))));
    assert_eq!(called.version, enabled.version);
    assert!(tx.webhooks(&theirs).find(id).await.unwrap().is_none());
    assert!(tx.webhooks(&theirs).secrets(id).await.unwrap().is_none());
}

async fn two_secrets_are_kept_during_a_rotation(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_webhook("Hook", None).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut webhooks = tx.webhooks(&rows.scope);
    let none = webhooks.secrets(id).await.unwrap().unwrap();
    assert!(none.secret.is_none() && none.old_secret.is_none() && none.old_secret_until.is_none());
    webhooks.set_secret(id, b"first", None, at(2)).await.unwrap();
    webhooks.set_secret(id, b"second", Some((&b"first, as the old one"[..], at(99))), at(3)).await.unwrap();
    let both = webhooks.secrets(id).await.unwrap().unwrap();
    assert_eq!(both.secret.as_deref(), Some(&b"second"[..]));
    assert_eq!(both.old_secret.as_deref(), Some(&b"first, as the old one"[..]));
    let shown = webhooks.find(id).await.unwrap().unwrap();
    assert_eq!((shown.secret_since, shown.old_secret_until), (at(3), Some(at(99))));
    assert_eq!((both.old_secret_until, shown.version), (Some(at(99)), 3));
    // A lost secret disables it until there is a new one.
    assert!(webhooks.disable(id, WebhookDisabled::KeyLost, at(4)).await.unwrap());
    webhooks.set_secret(id, b"third", None, at(5)).await.unwrap();
    let enabled = webhooks.find(id).await.unwrap().unwrap();
    assert_eq!((enabled.disabled_at, enabled.disabled_reason, enabled.old_secret_until), (None, None, None));
    // Any other reason stays.
    assert!(webhooks.disable(id, WebhookDisabled::Gone, at(6)).await.unwrap());
    webhooks.set_secret(id, b"fourth", None, at(7)).await.unwrap();
    let disabled = webhooks.find(id).await.unwrap().unwrap();
    assert_eq!((disabled.disabled_at, disabled.disabled_reason), (Some(at(6)), Some(WebhookDisabled::Gone)));
}

async fn a_webhook_follows_all_rules_or_some(app: TestApp) {
    let rows = Rows::new(app).await;
    let (yard, depot) = (rows.add(&rule("Yard")).await.id, rows.add(&rule("Depot")).await.id);
    let all = rows.add_webhook("All", None).await;
    let some = rows.add_webhook("Some", Some(vec![depot])).await;
    let none = rows.add_webhook("None", Some(Vec::new())).await;
    let mut tx = rows.store.begin().await.unwrap();
    let mut webhooks = tx.webhooks(&rows.scope);
    assert_eq!(webhooks.for_rule(yard).await.unwrap(), [all]);
    assert_eq!(webhooks.for_rule(depot).await.unwrap(), [all, some]);
    assert!(webhooks.disable(all, WebhookDisabled::Failing, at(3)).await.unwrap());
    assert_eq!(webhooks.for_rule(yard).await.unwrap(), []);
    assert_eq!(webhooks.rules(&[all, some, none]).await.unwrap(), [(some, depot)]);
    // A deleted rule is followed by nobody, and the webhook says so.
    tx.alert_rules(&rows.scope).delete(depot, at(9)).await.unwrap();
    let mut webhooks = tx.webhooks(&rows.scope);
    assert_eq!(webhooks.rules(&[some]).await.unwrap(), []);
    let left = webhooks.find(some).await.unwrap().unwrap();
    assert_eq!((left.all_rules, left.version, left.updated_at), (false, 2, at(9)));
    assert_eq!(webhooks.find(none).await.unwrap().unwrap().version, 1);
}

async fn a_webhook_is_disabled_once(app: TestApp) {
    let rows = Rows::new(app).await;
    let id = rows.add_webhook("Hook", None).await;
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    assert!(!tx.webhooks(&theirs).disable(id, WebhookDisabled::Gone, at(2)).await.unwrap());
    let mut webhooks = tx.webhooks(&rows.scope);
    assert!(webhooks.disable(id, WebhookDisabled::Failing, at(3)).await.unwrap());
    assert!(!webhooks.disable(id, WebhookDisabled::Gone, at(4)).await.unwrap());
    let found = webhooks.find(id).await.unwrap().unwrap();
    assert_eq!((found.disabled_at, found.disabled_reason), (Some(at(3)), Some(WebhookDisabled::Failing)));
}

async fn webhooks_are_listed_by_name(app: TestApp) {
    let rows = Rows::new(app).await;
    for name in ["Émile", "beta", "Alpha"] {
        rows.add_webhook(name, None).await;
    }
    for (q, expected) in
        [(None, &["Alpha", "beta", "Émile"][..]), (Some("EMI"), &["Émile"]), (Some("x"), &[])]
    {
        let mut tx = rows.store.read().await.unwrap();
        let mut webhooks = tx.webhooks(&rows.scope);
        let (mut names, mut after) = (Vec::new(), None);
        loop {
            let page = webhooks.page(q, &PageRequest { limit: 1, after }).await.unwrap();
            names.extend(page.rows.into_iter().map(|row| row.name));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(names, expected);
        assert_eq!(webhooks.count(q).await.unwrap(), i64::try_from(expected.len()).unwrap());
    }
}

/// A call of a webhook without a firing.
fn test_of(webhook: WebhookId, state: DeliveryState) -> NewDelivery<'static> {
    NewDelivery {
        message: None,
        recipient: None,
        webhook: Some(webhook),
        firing: None,
        event: Some(AlertEvent::Test),
        event_id: Some("evt_1"),
        state,
        reason: None,
    }
}

async fn deliveries_of_a_webhook_are_listed_and_queued_again(app: TestApp) {
    let rows = Rows::new(app).await;
    let (first, second) = (rows.add_webhook("First", None).await, rows.add_webhook("Second", None).await);
    let mut tx = rows.store.begin().await.unwrap();
    let mut deliveries = tx.alert_deliveries(&rows.scope);
    let mut ids = Vec::new();
    for state in DeliveryState::ALL {
        ids.push(deliveries.add(&test_of(first, state), at(5)).await.unwrap());
    }
    let elsewhere = deliveries.add(&test_of(second, DeliveryState::Sent), at(5)).await.unwrap();
    let [queued, sent, failed, suppressed] = ids[..] else { panic!("four states") };
    for (states, expected) in [
        (&[][..], vec![suppressed, failed, sent, queued]),
        (&[DeliveryState::Failed, DeliveryState::Queued], vec![failed, queued]),
    ] {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let request = PageRequest { limit: 1, after };
            let page = deliveries.page_of_webhook(first, states, &request).await.unwrap();
            found.extend(page.rows.into_iter().map(|row| row.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, expected);
        let count = deliveries.count_of_webhook(first, states).await.unwrap();
        assert_eq!(count, i64::try_from(expected.len()).unwrap());
    }
    assert!(deliveries.find_of_webhook(first, elsewhere).await.unwrap().is_none());
    assert!(deliveries.find_of_webhook(second, elsewhere).await.unwrap().is_some());
    for (id, is_queued_again) in [(queued, false), (sent, true), (failed, true), (suppressed, false)] {
        assert_eq!(deliveries.requeue(id, at(50)).await.unwrap(), is_queued_again, "{id}");
    }
    let again = deliveries.find(failed).await.unwrap().unwrap();
    assert_eq!((again.state, again.attempts), (DeliveryState::Queued, 0));
    assert_eq!((again.next_attempt_at, again.event_id.as_deref()), (Some(at(50)), Some("evt_1")));
    assert_eq!((again.created_at, again.updated_at), (at(5), at(50)));
}

async fn deleting_a_webhook_deletes_its_deliveries(app: TestApp) {
    let rows = Rows::new(app).await;
    let rule_of = rows.add(&rule("Yard")).await;
    let (gone, kept) =
        (rows.add_webhook("Gone", Some(vec![rule_of.id])).await, rows.add_webhook("Kept", None).await);
    let theirs = rows.other_brand().await;
    let mut tx = rows.store.begin().await.unwrap();
    for webhook in [gone, kept] {
        let delivery = test_of(webhook, DeliveryState::Queued);
        tx.alert_deliveries(&rows.scope).add(&delivery, at(5)).await.unwrap();
    }
    tx.webhooks(&theirs).delete(kept).await.unwrap();
    tx.webhooks(&rows.scope).delete(gone).await.unwrap();
    assert!(tx.webhooks(&rows.scope).find(gone).await.unwrap().is_none());
    assert_eq!(tx.alert_deliveries(&rows.scope).count_of_webhook(gone, &[]).await.unwrap(), 0);
    assert_eq!(tx.alert_deliveries(&rows.scope).count_of_webhook(kept, &[]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(testkit::count_rows(rows.app.database()).await["webhook_rules"], 0);
}

//! Deliveries: one event for one webhook each. They are added with what they are about, and sent by a job.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::access::ManageBrand;
use domain::{
    AlertDelivery, AlertDeliveryId, AlertEvent, AlertMessageId, AlertRuleId, BrandId, DeliveryState,
    MessageEvent, Page, PageRequest, Span, Timestamp, WebhookId,
};
use serde_json::json;
use store::{NewDelivery, Tx};

use super::{ACTION, AUDITED_KIND, webhook_disabled, webhook_not_found};
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::WebhookCallJob;
use crate::{App, Caller, Error, ErrorKind};

/// Tests of the webhooks of a brand within [`TEST_PERIOD`].
const MAX_TESTS: i64 = 20;
const TEST_PERIOD: Span = Span::minutes(60);

#[macros::boxed]
impl App {
    /// Sends a test event to a webhook.
    pub async fn test_webhook(
        &self,
        caller: &Caller<ManageBrand>,
        id: WebhookId,
    ) -> Result<AlertDelivery, Error> {
        caller.require_unrestricted(ACTION)?;
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.begin().await?;
        let webhook = tx.webhooks(scope).find_locked(id).await?.ok_or_else(webhook_not_found)?;
        if webhook.disabled_at.is_some() {
            return Err(webhook_disabled("The webhook is disabled; enable it first."));
        }
        if tx.alert_deliveries(scope).count_webhook_tests(now - TEST_PERIOD).await? >= MAX_TESTS {
            let detail = format!("The webhooks of a brand can be tested {MAX_TESTS} times an hour.");
            return Err(Error::new(ErrorKind::Conflict, "too_many_tests", detail));
        }
        let event_id = self.new_event_id();
        let new = NewDelivery {
            message: None,
            recipient: None,
            webhook: Some(id),
            firing: None,
            event: Some(AlertEvent::Test),
            event_id: Some(&event_id),
            state: DeliveryState::Queued,
            reason: None,
        };
        let delivery = self.add_webhook_delivery(&mut tx, scope.brand(), &new, now).await?;
        let delivery = tx.alert_deliveries(scope).find(delivery).await?.ok_or_else(delivery_not_found)?;
        tx.commit().await?;
        Ok(delivery)
    }

    /// Returns a page of the deliveries of a webhook, the newest first, with the total if requested. No states mean all.
    pub async fn list_webhook_deliveries(
        &self,
        caller: &Caller<ManageBrand>,
        id: WebhookId,
        states: &[DeliveryState],
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<AlertDelivery>, Option<i64>), Error> {
        caller.require_unrestricted(ACTION)?;
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        tx.webhooks(scope).find(id).await?.ok_or_else(webhook_not_found)?;
        let found = tx.alert_deliveries(scope).page_of_webhook(id, states, page).await?;
        let total = match include_total {
            true => Some(tx.alert_deliveries(scope).count_of_webhook(id, states).await?),
            false => None,
        };
        Ok((found, total))
    }

    /// Sends an event again, with the same event id, whether it was received before or not.
    pub async fn redeliver(
        &self,
        caller: &Caller<ManageBrand>,
        id: WebhookId,
        delivery: AlertDeliveryId,
    ) -> Result<AlertDelivery, Error> {
        caller.require_unrestricted(ACTION)?;
        let (scope, now) = (caller.scope(), self.clock.now());
        let mut tx = self.store.begin().await?;
        let webhook = tx.webhooks(scope).find_locked(id).await?.ok_or_else(webhook_not_found)?;
        let found = tx.alert_deliveries(scope).find_of_webhook(id, delivery).await?;
        let found = found.ok_or_else(delivery_not_found)?;
        if webhook.disabled_at.is_some() {
            return Err(webhook_disabled("The webhook is disabled; enable it first."));
        }
        if !tx.alert_deliveries(scope).requeue(delivery, now).await? {
            let detail = "The delivery is waiting for its next attempt.";
            return Err(Error::new(ErrorKind::Conflict, "already_queued", detail));
        }
        let job = WebhookCallJob { brand: scope.brand(), delivery, since: Some(now) };
        self.enqueue(&mut tx, Some(scope.brand()), &job).await?;
        let entry = AuditEntry::by_caller(caller).on("webhook.redelivered", AUDITED_KIND, id.0);
        let details = json!({ "delivery": delivery, "event_id": found.event_id });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        let requeued = tx.alert_deliveries(scope).find(delivery).await?.ok_or_else(delivery_not_found)?;
        tx.commit().await?;
        Ok(requeued)
    }
}

impl App {
    /// Adds deliveries and jobs for the webhooks of a rule, in the transaction of the event, and returns how many. A test has no firing.
    pub(crate) async fn add_webhook_events(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        rule: AlertRuleId,
        message: Option<AlertMessageId>,
        event: MessageEvent,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let scope = self.scope_of(brand);
        let webhooks = tx.webhooks(&scope).for_rule(rule).await?;
        // One for all: a receiver behind two webhooks sees that it is the same event.
        let event_id = self.new_event_id();
        let mut added = 0;
        for webhook in webhooks {
            let new = NewDelivery {
                message,
                recipient: None,
                webhook: Some(webhook),
                firing: (event.event != AlertEvent::Test).then_some(event.firing),
                event: Some(event.event),
                event_id: Some(&event_id),
                state: DeliveryState::Queued,
                reason: None,
            };
            self.add_webhook_delivery(tx, brand, &new, now).await?;
            added += 1;
        }
        Ok(added)
    }

    /// Adds a delivery with the job of its first attempt.
    async fn add_webhook_delivery(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        new: &NewDelivery<'_>,
        now: Timestamp,
    ) -> Result<AlertDeliveryId, Error> {
        let delivery = tx.alert_deliveries(&self.scope_of(brand)).add(new, now).await?;
        self.enqueue(tx, Some(brand), &WebhookCallJob { brand, delivery, since: None }).await?;
        Ok(delivery)
    }

    /// Returns the id by which receivers recognise an event that they got before.
    fn new_event_id(&self) -> String {
        format!("evt_{}", BASE64_URL_SAFE_NO_PAD.encode(self.random.bytes::<16>()))
    }
}

fn delivery_not_found() -> Error {
    Error::not_found("delivery")
}

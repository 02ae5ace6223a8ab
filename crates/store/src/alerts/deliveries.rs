//! Deliveries: one message to one recipient, or one event to one webhook. `webhook_deliveries` lists those of webhooks.

use domain::{
    AlertDelivery, AlertDeliveryId, AlertEvent, AlertFiringId, AlertMessageId, AlertRecipientId,
    DeliveryState, Timestamp, WebhookId,
};

use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewDelivery<'a> {
    pub message: Option<AlertMessageId>,
    pub recipient: Option<AlertRecipientId>,
    pub webhook: Option<WebhookId>,
    /// Of webhooks: the firing, what happened to it, and the id that the receiver knows the event by.
    pub firing: Option<AlertFiringId>,
    pub event: Option<AlertEvent>,
    pub event_id: Option<&'a str>,
    pub state: DeliveryState,
    pub reason: Option<&'a str>,
}

/// What became of an attempt, or why there will be none.
#[derive(Clone, Debug)]
pub struct DeliveryOutcome<'a> {
    /// Still queued if another attempt follows.
    pub state: DeliveryState,
    pub reason: Option<&'a str>,
    /// The answer of a webhook.
    pub status_code: Option<i64>,
    pub next_attempt_at: Option<Timestamp>,
}

pub(super) const COLUMNS: &str = "select d.id, d.message_id, d.recipient_id, d.webhook_id, d.firing_id, d.event, d.event_id, d.state,
    d.reason, d.status_code, d.attempts, d.last_attempt_at, d.next_attempt_at, d.sent_at, d.created_at, d.updated_at
    from alert_deliveries d";

/// The deliveries of a brand.
pub struct AlertDeliveries<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn alert_deliveries<'a>(&'a mut self, scope: &'a Scope) -> AlertDeliveries<'a> {
        AlertDeliveries(self, scope)
    }
}

#[macros::boxed]
impl AlertDeliveries<'_> {
    /// Adds a delivery. One that is queued is due now.
    pub async fn add(&mut self, new: &NewDelivery<'_>, now: Timestamp) -> Result<AlertDeliveryId, Error> {
        let next_attempt_at = (new.state == DeliveryState::Queued).then_some(now);
        let Id(id) = self
            .0
            .one(sql!(
                "insert into alert_deliveries (brand_id, message_id, recipient_id, webhook_id, firing_id, event, event_id,
                     state, reason, attempts, next_attempt_at, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $11) returning id",
                self.1.brand(),
                new.message,
                new.recipient,
                new.webhook,
                new.firing,
                new.event.map(AlertEvent::as_str),
                new.event_id,
                new.state.as_str(),
                new.reason,
                next_attempt_at,
                now
            ))
            .await?;
        Ok(id)
    }

    pub async fn find(&mut self, id: AlertDeliveryId) -> Result<Option<AlertDelivery>, Error> {
        let statement = self.of_brand().push_with(" and d.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Records the outcome of an attempt, if the delivery is still queued, and counts the attempt unless it was suppressed. False:
    /// nothing was changed.
    pub async fn record(
        &mut self,
        id: AlertDeliveryId,
        outcome: &DeliveryOutcome<'_>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let attempts: i64 = if outcome.state == DeliveryState::Suppressed { 0 } else { 1 };
        let recorded = self
            .0
            .execute(sql!(
                "update alert_deliveries set state = $3, reason = $4, status_code = $5, attempts = attempts + $6,
                     last_attempt_at = case when $6 > 0 then $8 else last_attempt_at end, next_attempt_at = $7,
                     sent_at = case when $3 = 'sent' then $8 end, updated_at = $8
                 where brand_id = $1 and id = $2 and state = 'queued'",
                self.1.brand(),
                id,
                outcome.state.as_str(),
                outcome.reason,
                outcome.status_code,
                attempts,
                outcome.next_attempt_at,
                now
            ))
            .await?;
        Ok(recorded > 0)
    }

    /// Gives a delivery up that is still queued, without an attempt. False: nothing was changed.
    pub async fn give_up(
        &mut self,
        id: AlertDeliveryId,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text =
            "update alert_deliveries set state = 'failed', reason = $3, next_attempt_at = null, updated_at = $4
             where brand_id = $1 and id = $2 and state = 'queued'";
        Ok(self.0.execute(sql!(text, self.1.brand(), id, reason, now)).await? > 0)
    }

    /// Sets the time of the next attempt of a delivery that is still queued.
    pub async fn postpone(
        &mut self,
        id: AlertDeliveryId,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), Error> {
        let text = "update alert_deliveries set next_attempt_at = $3, updated_at = $4
             where brand_id = $1 and id = $2 and state = 'queued'";
        self.0.execute(sql!(text, self.1.brand(), id, until, now)).await?;
        Ok(())
    }

    /// Returns the deliveries that are queued although their next attempt was due before a time.
    pub async fn overdue(&mut self, before: Timestamp) -> Result<Vec<AlertDeliveryId>, Error> {
        let text = "select id from alert_deliveries where brand_id = $1 and state = 'queued' and next_attempt_at < $2
             order by id";
        let found: Vec<Id<AlertDeliveryId>> = self.0.all(sql!(text, self.1.brand(), before)).await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    /// Returns the deliveries that reported a firing, in the order in which they were added: mails through their messages, calls of
    /// webhooks by themselves.
    pub async fn of_firing(&mut self, firing: AlertFiringId) -> Result<Vec<AlertDelivery>, Error> {
        let statement = sql!(
            "select d.id, d.message_id, d.recipient_id, d.webhook_id, d.firing_id, d.event, d.event_id, d.state, d.reason,
                 d.status_code, d.attempts, d.last_attempt_at, d.next_attempt_at, d.sent_at, d.created_at, d.updated_at
             from (select * from alert_deliveries where brand_id = $1 and firing_id = $2
                 union all
                 select * from alert_deliveries where brand_id = $1 and firing_id is null and message_id in (
                     select e.message_id from alert_message_events e where e.brand_id = $1 and e.firing_id = $2)) d
             order by d.id",
            self.1.brand(),
            firing
        );
        self.0.all(statement).await
    }

    pub(super) fn of_brand(&self) -> Statement {
        sql!(COLUMNS).push_with(" where d.brand_id = $?", [self.1.brand().into()])
    }
}

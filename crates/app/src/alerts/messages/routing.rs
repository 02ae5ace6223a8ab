//! Decides how people are notified of an event, and adds its messages, deliveries and jobs in the transaction of the event.

use domain::{
    AlertEvent, AlertFiring, AlertMessageId, AlertMessageKind, AlertMessageState, AlertRecipient, AlertRule,
    AlertRuleId, BrandId, DeliveryState, MessageEvent, TimeZone, Timestamp, UserState,
};
use store::{NewDelivery, Scope, Tx};

use super::{DIGEST_PERIOD, MessagePlan, hours_begin_at};
use crate::platform::jobs::AlertMail;
use crate::{App, Error};

/// The kinds of messages that count against the limit of an hour.
const COUNTED_KINDS: [AlertMessageKind; 3] =
    [AlertMessageKind::Single, AlertMessageKind::Held, AlertMessageKind::Digest];

impl App {
    /// Decides by active hours when an event is sent. `zone` is the clock of the site concerned.
    pub(crate) fn plan_message(&self, rule: &AlertRule, zone: &TimeZone, now: Timestamp) -> MessagePlan {
        MessagePlan::of(hours_begin_at(rule, zone, now), rule.outside_hours)
    }

    /// Returns when a rule may send its next message; none if it may now. As many as are due already have precedence.
    pub(super) async fn next_message_at(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rule: AlertRuleId,
        due: i64,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        let limit = i64::from(self.alerts.setup.config.max_messages_per_hour);
        let since = now - DIGEST_PERIOD;
        let (count, oldest) = tx.alert_messages(scope).recent(rule, &COUNTED_KINDS, since).await?;
        Ok((count + due >= limit).then(|| oldest.unwrap_or(now) + DIGEST_PERIOD))
    }

    /// Sends an event as planned: adds it to a message, and what is sent now with its deliveries and jobs. A clearing is sent only if its
    /// firing was, and only if the rule says so.
    pub(crate) async fn add_event_message(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        rule: &AlertRule,
        event: MessageEvent,
        plan: MessagePlan,
        now: Timestamp,
    ) -> Result<(), Error> {
        let scope = self.scope_of(brand);
        if event.event == AlertEvent::Cleared {
            if !rule.notify_on_clear {
                return Ok(());
            }
            // An alarm that is still held stays in its message, which looks at it again when it is due.
            let firing = tx.alert_firings(&scope).among(&[event.firing]).await?.pop();
            if !firing.as_ref().is_some_and(was_told) {
                return Ok(());
            }
        }
        match plan {
            MessagePlan::Now => self.tell_event(tx, &scope, rule, event, now).await,
            MessagePlan::Hold { until } => hold_event(tx, &scope, rule.id, event, until, now).await,
            MessagePlan::Drop => Ok(()),
        }
    }

    /// Sends an event, or collects it if the rule has sent too many messages. Webhooks get it at once, because programs count for
    /// themselves.
    async fn tell_event(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rule: &AlertRule,
        event: MessageEvent,
        now: Timestamp,
    ) -> Result<(), Error> {
        let due = tx.alert_messages(scope).count_due(rule.id, now).await?;
        let message = match self.next_message_at(tx, scope, rule.id, due, now).await? {
            None => {
                let (kind, state) = (AlertMessageKind::Single, AlertMessageState::Released);
                let message = tx.alert_messages(scope).add(rule.id, kind, state, now, now).await?;
                tx.alert_messages(scope).add_event(message, event).await?;
                self.deliver_message(tx, scope, rule.id, (message, kind), now).await?;
                message
            }
            Some(send_at) => {
                let kind = AlertMessageKind::Digest;
                let message = tx.alert_messages(scope).waiting(rule.id, kind, send_at, now).await?;
                tx.alert_messages(scope).add_event(message, event).await?;
                message
            }
        };
        self.add_webhook_events(tx, scope.brand(), rule.id, Some(message), event, now).await?;
        Ok(())
    }

    /// Adds a delivery for each recipient of a rule, with a job for each who still gets mails. Returns the number of jobs.
    pub(in crate::alerts) async fn deliver_message(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        rule: AlertRuleId,
        (message, kind): (AlertMessageId, AlertMessageKind),
        now: Timestamp,
    ) -> Result<u64, Error> {
        let mut queued = 0;
        for (_, recipient) in tx.alert_rules(scope).recipients(&[rule]).await? {
            let reason = match (recipient.unsubscribed_at, recipient.refused_at) {
                (Some(_), _) => Some("unsubscribed"),
                (None, Some(_)) => Some("refused"),
                (None, None) if kind == AlertMessageKind::Test => {
                    reason_for_no_test(tx, scope, &recipient).await?
                }
                (None, None) => None,
            };
            let new = NewDelivery {
                message: Some(message),
                recipient: Some(recipient.id),
                webhook: None,
                firing: None,
                event: None,
                event_id: None,
                state: if reason.is_none() { DeliveryState::Queued } else { DeliveryState::Suppressed },
                reason,
            };
            let delivery = tx.alert_deliveries(scope).add(&new, now).await?;
            if reason.is_none() {
                let job = AlertMail { brand: scope.brand(), delivery };
                self.enqueue(tx, Some(scope.brand()), &job).await?;
                queued += 1;
            }
        }
        Ok(queued)
    }
}

/// Returns why someone gets no test, if that is known now, so that nobody is promised mails which are not sent: a stranger who has left
/// one alert of the brand gets no tests of others.
async fn reason_for_no_test(
    tx: &mut Tx,
    scope: &Scope,
    recipient: &AlertRecipient,
) -> Result<Option<&'static str>, Error> {
    match (recipient.user, &recipient.email) {
        (Some(user), _) => {
            let found = tx.users_of(scope).find(user).await?;
            let is_active = found.is_some_and(|user| user.state == UserState::Active);
            Ok((!is_active).then_some("user_deactivated"))
        }
        (None, Some(email)) => {
            let has_left = tx.alert_rules(scope).has_unsubscribed(&email.to_lowercase()).await?;
            Ok(has_left.then_some("unsubscribed"))
        }
        (None, None) => Ok(None),
    }
}

/// Whether somebody has been notified of a firing.
pub(super) fn was_told(firing: &AlertFiring) -> bool {
    firing.is_told && firing.held_until.is_none()
}

/// Adds an event to the message of a rule that waits for active hours. Sites with clocks of their own share it: it is due when the first of
/// them begins, and what is not due then goes on waiting.
async fn hold_event(
    tx: &mut Tx,
    scope: &Scope,
    rule: AlertRuleId,
    event: MessageEvent,
    until: Timestamp,
    now: Timestamp,
) -> Result<(), Error> {
    let message = tx.alert_messages(scope).waiting(rule, AlertMessageKind::Held, until, now).await?;
    tx.alert_messages(scope).add_event(message, event).await?;
    Ok(())
}

//! Attempts to call a webhook: what is sent, and what follows from the outcome.
//!
//! Attempts have times of their own instead of those of the job runner, because a receiver can be away for a day: each is a job, and an
//! attempt that fails records itself, enqueues the next one and ends its job, in one transaction. A process that is killed in between
//! makes the same attempt again, with the same event id.

use domain::{AlertEvent, DeliveryState, Span, Timestamp, Webhook, WebhookDisabled};
use store::{DeliveryOutcome, Scope};

use super::circuit_breakers::{Admission, CallPermit};
use super::signing::sign;
use crate::alerts::attempts::AttemptTimes;
use crate::platform::jobs::{Lease, LeaseStatus, WebhookCallJob};
use crate::{App, Error};

/// How long an event is tried.
pub(super) const MAX_AGE: Span = Span::minutes(24 * 60);

/// How often and for how long an event is tried.
const TIMES: AttemptTimes = AttemptTimes {
    delays_s: &[5, 30, 2 * 60, 10 * 60, 30 * 60, 60 * 60, 2 * 60 * 60, 4 * 60 * 60],
    max_age: MAX_AGE,
};

/// The reason of a delivery whose receiver says that it is gone for good, by status 410.
const GONE: &str = "gone";

/// One attempt: what to POST.
#[derive(Clone, Debug)]
pub struct WebhookCall {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

#[macros::boxed]
impl App {
    /// Waits until a call of the webhook may run, and returns its place, or none if there is nothing to call. Fails with the status of
    /// the lease if the receiver does not answer others: then the job and its delivery wait, and no attempt is counted.
    pub async fn admit_webhook_call(
        &self,
        lease: &Lease,
        job: &WebhookCallJob,
    ) -> Result<Result<Option<CallPermit>, LeaseStatus>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let found = tx.alert_deliveries(&scope).find(job.delivery).await?;
        let queued = found.filter(|found| found.state == DeliveryState::Queued);
        let Some((delivery, id)) = queued.and_then(|queued| queued.webhook.map(|id| (queued, id))) else {
            return Ok(Ok(None));
        };
        let webhook = tx.webhooks(&scope).find(id).await?.filter(|found| found.disabled_at.is_none());
        let Some(webhook) = webhook else { return Ok(Ok(None)) };
        drop(tx);
        let is_test = delivery.event == Some(AlertEvent::Test);
        let until = match self.alerts.circuit_breakers.enter(&webhook, is_test, &self.clock).await {
            Admission::Admitted(permit) => return Ok(Ok(Some(permit))),
            Admission::Postponed { until } => until,
        };
        let mut tx = self.store.begin().await?;
        let lease_status = self.repeat_job_in(&mut tx, lease, until).await?;
        if lease_status == LeaseStatus::Held {
            tx.alert_deliveries(&scope).postpone(job.delivery, until, self.clock.now()).await?;
            tx.commit().await?;
        }
        Ok(Err(lease_status))
    }

    /// Returns the next attempt at a delivery, or `None` if there is nothing left to send: it was sent or deleted, or its webhook is
    /// disabled. Then it has failed, so that it can be sent again by hand when the webhook is enabled.
    pub async fn prepare_webhook_call(&self, job: &WebhookCallJob) -> Result<Option<WebhookCall>, Error> {
        let (scope, now) = (self.scope_of(job.brand), self.clock.now());
        let mut tx = self.store.read().await?;
        let found = tx.alert_deliveries(&scope).find(job.delivery).await?;
        let Some(delivery) = found.filter(|found| found.state == DeliveryState::Queued) else {
            return Ok(None);
        };
        let Some((id, event_id)) = delivery.webhook.zip(delivery.event_id.clone()) else { return Ok(None) };
        let Some(webhook) = tx.webhooks(&scope).find(id).await? else { return Ok(None) };
        let secrets = match webhook.disabled_at {
            Some(_) => Vec::new(),
            None => self.signing_secrets(&mut tx, &scope, id, now).await?,
        };
        drop(tx);
        if secrets.is_empty() {
            self.give_up_call(&scope, job).await?;
            return Ok(None);
        }
        let Some(body) = self.webhook_body(job.brand, &delivery).await? else { return Ok(None) };
        let timestamp_s = now.seconds();
        let signature = sign(&secrets, &event_id, timestamp_s, &body);
        let headers = vec![
            ("content-type", "application/json".to_owned()),
            ("user-agent", concat!("Keepclear/", env!("CARGO_PKG_VERSION")).to_owned()),
            ("webhook-id", event_id),
            ("webhook-timestamp", timestamp_s.to_string()),
            ("webhook-signature", signature),
        ];
        Ok(Some(WebhookCall { url: webhook.url, headers, body }))
    }

    /// Records an attempt by the status of the answer, or by the reason why there was none. Enqueues the next attempt, or gives up and
    /// disables the webhook, and finishes the job, in one transaction.
    pub async fn record_webhook_call(
        &self,
        lease: &Lease,
        job: &WebhookCallJob,
        outcome: Result<u16, &'static str>,
    ) -> Result<LeaseStatus, Error> {
        let (scope, now) = (self.scope_of(job.brand), self.clock.now());
        let (status_code, reason) = describe(outcome);
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let found = tx.alert_deliveries(&scope).find(job.delivery).await?;
        let waiting = found.filter(|found| found.state == DeliveryState::Queued);
        let webhook = match waiting.as_ref().and_then(|delivery| delivery.webhook) {
            Some(id) => tx.webhooks(&scope).find_locked(id).await?,
            None => None,
        };
        // Both are gone if they were deleted meanwhile.
        let Some((delivery, webhook)) = waiting.zip(webhook) else {
            tx.commit().await?;
            return Ok(lease_status);
        };
        // What is sent again by hand is tried as long as something new.
        let since = job.since.unwrap_or(delivery.created_at);
        let next_attempt_at = match reason.as_deref() {
            None | Some(GONE) => None,
            Some(_) => TIMES.next(since, delivery.attempts + 1, now, self.jitter_permille()),
        };
        let state = match (&reason, next_attempt_at) {
            (None, _) => DeliveryState::Sent,
            (Some(_), Some(_)) => DeliveryState::Queued,
            (Some(_), None) => DeliveryState::Failed,
        };
        let outcome = DeliveryOutcome { state, reason: reason.as_deref(), status_code, next_attempt_at };
        tx.alert_deliveries(&scope).record(delivery.id, &outcome, now).await?;
        tx.webhooks(&scope).record_result(webhook.id, reason.is_none(), now).await?;
        if let Some(at) = next_attempt_at {
            self.enqueue_at(&mut tx, Some(job.brand), job, at).await?;
        }
        let is_gone = reason.as_deref() == Some(GONE);
        if state == DeliveryState::Failed
            && let Some(why) = reason_to_disable(&webhook, since, is_gone)
        {
            self.disable_webhook(&mut tx, job.brand, webhook.id, why, delivery.id).await?;
        }
        tx.commit().await?;
        match reason {
            None => self.alerts.stats.webhook_sent(),
            Some(_) => self.alerts.stats.webhook_failed(),
        }
        Ok(lease_status)
    }
}

impl App {
    /// Marks a delivery that is not sent because its webhook is disabled.
    async fn give_up_call(&self, scope: &Scope, job: &WebhookCallJob) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.alert_deliveries(scope).give_up(job.delivery, "webhook_disabled", self.clock.now()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Returns by how much a delay is stretched, so that receivers that were away are not called by everyone at once: 900 to 1100.
    pub(in crate::alerts) fn jitter_permille(&self) -> i64 {
        900 + i64::from(u16::from_be_bytes(self.random.bytes()) % 201)
    }
}

/// Returns the status and the reason that rows store of an attempt; there is no reason if it succeeded.
fn describe(outcome: Result<u16, &'static str>) -> (Option<i64>, Option<String>) {
    match outcome {
        Ok(status @ 200..=299) => (Some(status.into()), None),
        Ok(status @ 410) => (Some(status.into()), Some(GONE.to_owned())),
        Ok(status) => (Some(status.into()), Some(format!("status_{status}"))),
        Err(reason) => (None, Some(reason.to_owned())),
    }
}

/// Returns why a webhook is disabled after a delivery that failed for good. A receiver that takes other events is not disabled.
fn reason_to_disable(webhook: &Webhook, since: Timestamp, is_gone: bool) -> Option<WebhookDisabled> {
    if is_gone {
        return Some(WebhookDisabled::Gone);
    }
    let has_succeeded = webhook.last_success_at.is_some_and(|at| at >= since);
    (!has_succeeded).then_some(WebhookDisabled::Failing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATED: Timestamp = Timestamp::from_seconds(1_772_366_430);

    #[test]
    fn attempts_become_rarer_and_end_after_a_day() {
        let (mut now, mut attempts, mut delays) = (CREATED, 1, Vec::new());
        while let Some(next) = TIMES.next(CREATED, attempts, now, 1_000) {
            delays.push((next - now).whole_seconds());
            (now, attempts) = (next, attempts + 1);
        }
        assert_eq!(delays[..9], [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 14_400]);
        assert_eq!(now, CREATED + MAX_AGE, "the last is made after a day");
        assert_eq!(delays.iter().sum::<i64>(), 24 * 3_600);
        assert_eq!(attempts, 14);
    }

    #[test]
    fn delays_are_stretched_by_a_tenth_at_most() {
        let after = |permille| {
            let next = TIMES.next(CREATED, 4, CREATED, permille).unwrap();
            (next - CREATED).whole_seconds()
        };
        assert_eq!((after(900), after(1_000), after(1_100)), (540, 600, 660));
    }

    #[test]
    fn an_old_event_is_tried_three_times() {
        let now = CREATED + MAX_AGE + MAX_AGE;
        assert_eq!(TIMES.next(CREATED, 1, now, 1_000), Some(now + Span::seconds(5)));
        assert_eq!(TIMES.next(CREATED, 2, now, 1_000), Some(now + Span::seconds(30)));
        assert_eq!(TIMES.next(CREATED, 3, now, 1_000), None);
    }

    #[test]
    fn only_a_status_of_success_is_one() {
        assert_eq!(describe(Ok(204)), (Some(204), None));
        assert_eq!(describe(Ok(500)), (Some(500), Some("status_500".to_owned())));
        assert_eq!(describe(Ok(410)), (Some(410), Some("gone".to_owned())));
        assert_eq!(describe(Err("timed_out")), (None, Some("timed_out".to_owned())));
    }
}

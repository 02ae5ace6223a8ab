//! What came of a mail, recorded with its job.

use domain::{DeliveryState, Span};
use store::{DeliveryOutcome, Scope, Tx};

use crate::alerts::attempts::AttemptTimes;
use crate::platform::jobs::{AlertMail, Lease, LeaseStatus};
use crate::{App, Error};

/// How often and for how long a mail is tried while the mail server is away: over a long weekend.
const TIMES: AttemptTimes = AttemptTimes {
    delays_s: &[10, 30, 60, 2 * 60, 5 * 60, 10 * 60, 20 * 60, 30 * 60],
    max_age: Span::minutes(3 * 24 * 60),
};

#[macros::boxed]
impl App {
    /// Records that a mail was handed over and finishes its job, in one transaction.
    pub async fn record_alert_email_sent(
        &self,
        lease: &Lease,
        job: &AlertMail,
    ) -> Result<LeaseStatus, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let outcome = ended(DeliveryState::Sent, None);
        tx.alert_deliveries(&scope).record(job.delivery, &outcome, self.clock.now()).await?;
        tx.commit().await?;
        self.alerts.stats.mail_sent();
        Ok(lease_status)
    }

    /// Records that the mail server has refused the recipient for good, and finishes the job, in one transaction. The reason is the status
    /// of the server, or a word; no further mails are sent to the recipient until they are set anew.
    pub async fn record_alert_email_refused(
        &self,
        lease: &Lease,
        job: &AlertMail,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        self.refuse_recipient(&mut tx, &scope, job, reason).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Records that a mail cannot be sent, whatever one does, and finishes its job, in one transaction.
    pub async fn record_alert_email_failed(
        &self,
        lease: &Lease,
        job: &AlertMail,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let outcome = ended(DeliveryState::Failed, Some(reason));
        tx.alert_deliveries(&scope).record(job.delivery, &outcome, self.clock.now()).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Records an attempt that failed, and lets the job make the next one later, with the same message id, or gives up after three
    /// days, in one transaction. Such attempts do not count as those of the job, which would end after half a day.
    pub async fn record_alert_email_delayed(
        &self,
        lease: &Lease,
        job: &AlertMail,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let (scope, now) = (self.scope_of(job.brand), self.clock.now());
        let mut tx = self.store.begin().await?;
        let found = tx.alert_deliveries(&scope).find(job.delivery).await?;
        let queued = found.filter(|found| found.state == DeliveryState::Queued);
        let next_attempt_at = queued.and_then(|delivery| {
            TIMES.next(delivery.created_at, delivery.attempts + 1, now, self.jitter_permille())
        });
        let lease_status = match next_attempt_at {
            Some(at) => self.repeat_job_in(&mut tx, lease, at).await?,
            None => self.finish_job_in(&mut tx, lease).await?,
        };
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let state = if next_attempt_at.is_some() { DeliveryState::Queued } else { DeliveryState::Failed };
        let outcome = DeliveryOutcome { next_attempt_at, ..ended(state, Some(reason)) };
        tx.alert_deliveries(&scope).record(job.delivery, &outcome, now).await?;
        tx.commit().await?;
        Ok(lease_status)
    }
}

impl App {
    /// Marks a delivery and its recipient as refused.
    pub(super) async fn refuse_recipient(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        job: &AlertMail,
        reason: &str,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let delivery = tx.alert_deliveries(scope).find(job.delivery).await?;
        if let Some(recipient) = delivery.and_then(|delivery| delivery.recipient) {
            tx.alert_rules(scope).refuse(recipient, reason, now).await?;
        }
        let outcome = DeliveryOutcome {
            status_code: reason.parse().ok(),
            ..ended(DeliveryState::Failed, Some("refused"))
        };
        tx.alert_deliveries(scope).record(job.delivery, &outcome, now).await?;
        self.alerts.stats.mail_refused();
        Ok(())
    }
}

/// The outcome of a delivery after which there are no further attempts.
pub(super) fn ended(state: DeliveryState, reason: Option<&str>) -> DeliveryOutcome<'_> {
    DeliveryOutcome { state, reason, status_code: None, next_attempt_at: None }
}

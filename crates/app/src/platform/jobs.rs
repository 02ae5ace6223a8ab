//! The use cases that enqueue, claim and finish jobs; `job_payloads` has what jobs say.
//!
//! The runner and the handlers are in the crate `jobs`. The rows are changed here, because only use cases have access to the store.

use std::sync::Arc;

use domain::{BrandId, JobId, Span, Timestamp};
pub use store::Claimable;
use store::{Claimant, ClaimedJob, JobCounts, NewJob, Tx};
use tokio::sync::Notify;

pub use crate::platform::job_payloads::{
    AccountMail, AccountNotice, AlertMail, ExportBuild, Job, LinkChange, Reattribution, ReportBuild,
    ReportMail, ReportSlot, RunFailureMail, SiteReportBuild, WebhookCallJob, WebhookNotice,
};
use crate::{App, Error};

/// Maximum length of a stored reason.
const MAX_REASON_CHARS: usize = 1_000;

/// A lease on a job. Changes under it are refused once another worker has taken the job over.
#[derive(Clone, Debug)]
pub struct Lease(ClaimedJob);

impl Lease {
    pub fn job(&self) -> JobId {
        self.0.id
    }

    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// Parses the payload; fails if it does not fit the kind in this version.
    pub fn payload<J: Job>(&self) -> Result<J, serde_json::Error> {
        serde_json::from_str(&self.0.payload)
    }

    /// Returns the number of attempts, including this one.
    pub fn attempt(&self) -> i64 {
        self.0.attempts
    }

    /// Returns how many attempts were repeated without being counted: each claim raises the fence, and counts as an attempt only if it
    /// was not repeated.
    pub fn repeats(&self) -> i64 {
        self.0.fence - self.0.attempts
    }

    pub fn brand(&self) -> Option<BrandId> {
        self.0.brand
    }

    pub fn enqueued_at(&self) -> Timestamp {
        self.0.created_at
    }
}

/// Whether this worker still holds a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what was done under a lost lease must not be committed"]
pub enum LeaseStatus {
    Held,
    /// Another worker has taken the job over, or it has ended: nothing was changed, and nothing may be committed.
    Lost,
}

/// How an attempt ended that works on a record which others may change meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a superseded attempt must be repeated"]
pub enum AttemptEnd {
    /// The job was marked as done in the transaction of its effect, or the lease was lost.
    Finished(LeaseStatus),
    /// The record was reset, or the access of its author changed, so that nothing was stored and the attempt must be repeated.
    Superseded,
}

impl LeaseStatus {
    fn from_held(is_held: bool) -> Self {
        if is_held { Self::Held } else { Self::Lost }
    }
}

#[macros::boxed]
impl App {
    /// Enqueues a job in the transaction that causes it; a worker of this process is woken on commit.
    pub(crate) async fn enqueue<J: Job>(
        &self,
        tx: &mut Tx,
        brand: Option<BrandId>,
        job: &J,
    ) -> Result<JobId, Error> {
        self.enqueue_at(tx, brand, job, self.clock.now()).await
    }

    /// The same for a job that is due later.
    pub(crate) async fn enqueue_at<J: Job>(
        &self,
        tx: &mut Tx,
        brand: Option<BrandId>,
        job: &J,
        run_at: Timestamp,
    ) -> Result<JobId, Error> {
        let payload = serde_json::to_string(job).map_err(Error::internal)?;
        let new = NewJob { kind: J::KIND, payload: &payload, run_at, brand };
        let id = tx.jobs(&self.platform).enqueue(&new, self.clock.now()).await?;
        let is_call = J::KIND == WebhookCallJob::KIND;
        let notify = Arc::clone(if is_call { &self.call_notify } else { &self.job_notify });
        tx.after_commit(move || notify.notify_one());
        Ok(id)
    }

    /// Notified when this process has enqueued a job that is not a call of a webhook.
    pub fn job_notify(&self) -> &Notify {
        &self.job_notify
    }

    /// Notified when this process has enqueued a call of a webhook; such calls have workers of their own.
    pub fn call_notify(&self) -> &Notify {
        &self.call_notify
    }

    /// Claims the next job of these kinds for the duration of the lease. Just after the clock was set forward, jobs are not taken over from
    /// other workers: their leases only appear to have expired, and they could not renew them yet.
    pub async fn claim_job(
        &self,
        kinds: &[&'static str],
        worker: &str,
        lease: Span,
    ) -> Result<Option<Lease>, Error> {
        self.claim_next_job(None, &[Claimable::any(kinds)], worker, lease).await
    }

    /// Claims the next of these jobs, starting with the brands after the one that was served last.
    pub async fn claim_next_job(
        &self,
        last_brand: Option<BrandId>,
        claimable: &[Claimable],
        worker: &str,
        lease: Span,
    ) -> Result<Option<Lease>, Error> {
        let can_take_over = self.watch_clock(lease).await?;
        let now = self.clock.now();
        let mut tx = self.store.read().await?;
        let abandoned = can_take_over && tx.jobs(&self.platform).has_abandoned(claimable, now).await?;
        let mut due = tx.jobs(&self.platform).due_brands(claimable, now).await?;
        drop(tx);
        if !abandoned && due.is_empty() {
            return Ok(None);
        }
        // Each brand gets a job before any gets a second.
        let next = due.partition_point(|brand| *brand <= last_brand);
        due.rotate_left(next);
        let claimant = Claimant { worker, now, leased_until: now + lease };
        let mut tx = self.store.begin().await?;
        let mut claimed = match abandoned {
            true => tx.jobs(&self.platform).claim_abandoned(claimable, claimant).await?,
            false => None,
        };
        for brand in due {
            if claimed.is_some() {
                break;
            }
            // None if other processes were faster.
            claimed = tx.jobs(&self.platform).claim_for_brand(brand, claimable, claimant).await?;
        }
        tx.commit().await?;
        Ok(claimed.map(Lease))
    }

    /// Extends a lease from now.
    pub async fn extend_lease(&self, Lease(job): &Lease, by: Span) -> Result<LeaseStatus, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let is_held = tx.jobs(&self.platform).extend(job.id, job.fence, now + by, now).await?;
        tx.commit().await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Marks a job as done in the transaction of its effect, so that both happen or neither.
    pub async fn finish_job_in(&self, tx: &mut Tx, Lease(job): &Lease) -> Result<LeaseStatus, Error> {
        let is_held = tx.jobs(&self.platform).finish(job.id, job.fence, self.clock.now()).await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Marks a job as done that has no effect on rows.
    pub async fn finish_job(&self, lease: &Lease) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Schedules a job for another attempt.
    pub async fn retry_job(
        &self,
        Lease(job): &Lease,
        after: Span,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let reason = sanitize_reason(reason);
        let is_held = tx.jobs(&self.platform).retry(job.id, job.fence, now + after, &reason, now).await?;
        tx.commit().await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Schedules the same attempt once more, without counting it.
    pub async fn repeat_job(&self, Lease(job): &Lease, after: Span) -> Result<LeaseStatus, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let is_held = tx.jobs(&self.platform).repeat(job.id, job.fence, now + after, now).await?;
        tx.commit().await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Schedules the same attempt for a time, without counting it, in the transaction of what follows from it.
    pub(crate) async fn repeat_job_in(
        &self,
        tx: &mut Tx,
        Lease(job): &Lease,
        at: Timestamp,
    ) -> Result<LeaseStatus, Error> {
        let is_held = tx.jobs(&self.platform).repeat(job.id, job.fence, at, self.clock.now()).await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Marks a job as failed permanently.
    pub async fn fail_job(&self, lease: &Lease, reason: &str) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.fail_job_in(&mut tx, lease, reason).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// The same in the transaction of what follows from it.
    pub(crate) async fn fail_job_in(
        &self,
        tx: &mut Tx,
        Lease(job): &Lease,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let reason = sanitize_reason(reason);
        let is_held = tx.jobs(&self.platform).fail(job.id, job.fence, &reason, self.clock.now()).await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Returns the number of jobs by state, for /metrics.
    pub async fn job_counts(&self) -> Result<JobCounts, Error> {
        Ok(self.store.read().await?.jobs(&self.platform).counts().await?)
    }

    /// Takes a slot of periodic work; false if another process has it.
    pub async fn take_slot(&self, reconciler: &'static str, slot: i64) -> Result<bool, Error> {
        let mut tx = self.store.begin().await?;
        let is_taken = tx.jobs(&self.platform).take_slot(reconciler, slot, self.clock.now()).await?;
        tx.commit().await?;
        Ok(is_taken)
    }
}

fn sanitize_reason(reason: &str) -> String {
    // Reasons from other servers may contain anything, and PostgreSQL does not accept NUL.
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect()
}

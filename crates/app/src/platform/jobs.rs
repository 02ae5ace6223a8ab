//! Work that outlives its request: what it is made of, and how it is enqueued, held and let go.
//!
//! The runner and the handlers stand in the crate `jobs`; the rows they change are changed here, since only use cases
//! hold the key to them.

use std::sync::Arc;

use domain::{
    AccountChange, AccountLinkId, BaseStationId, BrandId, ExportId, JobId, MachineId, Span, TagId, Timestamp,
    UserId,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
pub use store::Claimable;
use store::{Claimant, ClaimedJob, JobCounts, NewJob, Tx};
use tokio::sync::Notify;

use crate::{App, Error};

/// How much of a reason is kept with a job, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// A job's payload: a small struct with ids, never with secrets. Its fields may only ever be added to, with a default:
/// those that were enqueued by the version before still wait.
pub trait Job: Serialize + DeserializeOwned + Send + Sync {
    /// Its stable name.
    const KIND: &'static str;
}

/// Mails a link to the user it was made for: an invitation, a password reset.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountMail {
    /// The link. Its secret is derived when the mail is written.
    pub link: AccountLinkId,
}

impl Job for AccountMail {
    const KIND: &'static str = "account_mail";
}

/// Mails a user what was changed about their sign-in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountNotice {
    /// The tenant.
    pub brand: BrandId,
    /// Whom.
    pub user: UserId,
    /// What was changed.
    pub change: AccountChange,
}

impl Job for AccountNotice {
    const KIND: &'static str = "account_notice";
}

/// What a link was changed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkChange {
    /// The machines a station was on.
    Station(BaseStationId),
    /// Who wore a tag.
    Tag(TagId),
    /// The sites a machine was at.
    Machine(MachineId),
    /// What was true of a site: its boundary, zone or project.
    Sites,
}

/// Attributes facts anew that lie after a change of links.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reattribution {
    /// The tenant.
    pub brand: BrandId,
    /// What changed.
    pub change: LinkChange,
    /// From when on.
    pub from: Timestamp,
}

impl Job for Reattribution {
    const KIND: &'static str = "reattribution";
}

/// Makes the file of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportBuild {
    /// The tenant.
    pub brand: BrandId,
    /// The export.
    pub export: ExportId,
}

impl Job for ExportBuild {
    const KIND: &'static str = "export_making";
}

/// A job that this worker holds. Whatever is done under it is refused once another worker has taken it over.
#[derive(Clone, Debug)]
pub struct Lease(ClaimedJob);

impl Lease {
    /// Which job.
    pub fn job(&self) -> JobId {
        self.0.id
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// What it is given; fails if that is not what its kind is given in this version.
    pub fn payload<J: Job>(&self) -> Result<J, serde_json::Error> {
        serde_json::from_str(&self.0.payload)
    }

    /// How often it has been begun, this time included.
    pub fn attempt(&self) -> i64 {
        self.0.attempts
    }

    /// The tenant it is done for.
    pub fn brand(&self) -> Option<BrandId> {
        self.0.brand
    }

    /// When it was enqueued.
    pub fn enqueued_at(&self) -> Timestamp {
        self.0.created_at
    }
}

/// Whether a job is still this worker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what was done under a lost lease must not be committed"]
pub enum LeaseStatus {
    /// It is.
    Held,
    /// Another worker has taken it over, or it has ended: nothing was changed, and nothing may be committed.
    Lost,
}

impl LeaseStatus {
    fn from_held(is_held: bool) -> Self {
        if is_held { Self::Held } else { Self::Lost }
    }
}

impl App {
    /// Adds a job in the transaction of what it follows from; a worker of this process is woken when that commits.
    pub(crate) async fn enqueue<J: Job>(
        &self,
        tx: &mut Tx,
        brand: Option<BrandId>,
        job: &J,
    ) -> Result<JobId, Error> {
        let now = self.clock.now();
        let payload = serde_json::to_string(job).map_err(Error::internal)?;
        let new = NewJob { kind: J::KIND, payload: &payload, run_at: now, brand };
        let id = tx.jobs(&self.platform).enqueue(&new, now).await?;
        let notify = Arc::clone(&self.job_notify);
        tx.after_commit(move || notify.notify_one());
        Ok(id)
    }

    /// Done when this process has enqueued something since this was last awaited.
    pub fn job_notify(&self) -> &Notify {
        &self.job_notify
    }

    /// Takes the next job of these kinds for so long, if there is one. What another worker holds is not taken over while the clock has
    /// just been set forward: its lease looks over, and it has not had the time to renew it.
    pub async fn claim_job(
        &self,
        kinds: &[&'static str],
        worker: &str,
        lease: Span,
    ) -> Result<Option<Lease>, Error> {
        self.claim_next_job(None, &[Claimable::any(kinds)], worker, lease).await
    }

    /// Takes the next of these jobs for so long, if there is one, beginning with the brands after the one that had the last turn.
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
        // Each brand gets one before any gets a second.
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

    /// Holds a job for so long from now.
    pub async fn extend_lease(&self, Lease(job): &Lease, by: Span) -> Result<LeaseStatus, Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let is_held = tx.jobs(&self.platform).extend(job.id, job.fence, now + by, now).await?;
        tx.commit().await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Marks a job as done in the transaction of its effect, so that the two happen together or not at all.
    pub async fn finish_job_in(&self, tx: &mut Tx, Lease(job): &Lease) -> Result<LeaseStatus, Error> {
        let is_held = tx.jobs(&self.platform).finish(job.id, job.fence, self.clock.now()).await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// Marks a job as done whose effect is not on rows.
    pub async fn finish_job(&self, lease: &Lease) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        tx.commit().await?;
        Ok(lease_status)
    }

    /// Puts a job back to be tried again after so long.
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

    /// Gives a job up.
    pub async fn fail_job(&self, Lease(job): &Lease, reason: &str) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let now = self.clock.now();
        let is_held = tx.jobs(&self.platform).fail(job.id, job.fence, &sanitize_reason(reason), now).await?;
        tx.commit().await?;
        Ok(LeaseStatus::from_held(is_held))
    }

    /// How many jobs stand where, for /metrics.
    pub async fn job_counts(&self) -> Result<JobCounts, Error> {
        Ok(self.store.read().await?.jobs(&self.platform).counts().await?)
    }

    /// Takes a tick of periodic work; false if another process has it.
    pub async fn take_slot(&self, reconciler: &'static str, slot: i64) -> Result<bool, Error> {
        let mut tx = self.store.begin().await?;
        let is_taken = tx.jobs(&self.platform).take_slot(reconciler, slot, self.clock.now()).await?;
        tx.commit().await?;
        Ok(is_taken)
    }
}

fn sanitize_reason(reason: &str) -> String {
    // What came from another server may hold anything, and PostgreSQL takes no NUL.
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect()
}

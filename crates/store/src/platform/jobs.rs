//! The job queue, and the slots of periodic work.

use domain::{BrandId, JobId, Timestamp};

use crate::engine::page::Count;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    /// Selects the handler.
    pub kind: &'static str,
    /// JSON with ids, never with secrets.
    pub payload: &'a str,
    /// Earliest time at which the job may start.
    pub run_at: Timestamp,
    pub brand: Option<BrandId>,
}

/// A job that a worker has leased. The claim ends with the lease, or when another worker claims the job with a higher fence.
#[derive(Clone, Debug, macros::FromRow)]
pub struct ClaimedJob {
    pub id: JobId,
    /// Selects the handler.
    pub kind: String,
    pub payload: String,
    /// Number of attempts, including this one.
    pub attempts: i64,
    /// Fencing token: grows with every claim, and updates with a lower one are refused.
    pub fence: i64,
    #[row(column = "brand_id")]
    pub brand: Option<BrandId>,
    /// Time at which the job was enqueued.
    pub created_at: Timestamp,
}

/// Number of jobs per state. Jobs that are done are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Enqueued, or waiting for a retry.
    pub waiting: i64,
    /// Leased by a worker, which may be alive or not.
    pub running: i64,
    /// Failed for good.
    pub failed: i64,
}

#[derive(macros::FromRow)]
struct StateCount(#[row(column = "state")] String, #[row(column = "count")] i64);

#[derive(macros::FromRow)]
struct Payload(#[row(column = "payload")] String);

/// All jobs of the installation.
pub struct Jobs<'a>(pub(crate) &'a mut Tx);

impl Tx {
    pub fn jobs(&mut self, _: &Platform) -> Jobs<'_> {
        Jobs(self)
    }
}

#[macros::boxed]
impl Jobs<'_> {
    /// Adds a job in the transaction of the change that requires it.
    pub async fn enqueue(&mut self, new: &NewJob<'_>, now: Timestamp) -> Result<JobId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into jobs (kind, payload, state, attempts, fence, run_at, brand_id, created_at, updated_at)
                 values ($1, $2, 'waiting', 0, 0, $3, $4, $5, $5) returning id",
                new.kind,
                new.payload,
                new.run_at,
                new.brand,
                now
            ))
            .await?;
        Ok(id)
    }

    /// Extends the lease. Returns false if the job is no longer held under this fence.
    pub async fn extend(
        &mut self,
        id: JobId,
        fence: i64,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update = sql!("update jobs set leased_until = $1, updated_at = $2", leased_until, now);
        self.update_if_leased(update, id, fence).await
    }

    /// Marks the job as done. Returns false if it is no longer held under this fence; the caller must then drop the transaction.
    pub async fn finish(&mut self, id: JobId, fence: i64, now: Timestamp) -> Result<bool, Error> {
        let update = sql!(
            "update jobs set state = 'done', worker = null, leased_until = null, last_error = null,
                 updated_at = $1, finished_at = $1",
            now
        );
        self.update_if_leased(update, id, fence).await
    }

    /// Schedules another attempt. Returns false if the job is no longer held under this fence.
    pub async fn retry(
        &mut self,
        id: JobId,
        fence: i64,
        run_at: Timestamp,
        reason: &str,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update = sql!(
            "update jobs set state = 'waiting', worker = null, leased_until = null, run_at = $1, last_error = $2,
                 updated_at = $3",
            run_at,
            reason,
            now
        );
        self.update_if_leased(update, id, fence).await
    }

    /// Schedules the same attempt once more, without counting it. Returns false if the job is no longer held under this fence.
    pub async fn repeat(
        &mut self,
        id: JobId,
        fence: i64,
        run_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let update = sql!(
            "update jobs set state = 'waiting', worker = null, leased_until = null, run_at = $1, attempts = attempts - 1,
                 updated_at = $2",
            run_at,
            now
        );
        self.update_if_leased(update, id, fence).await
    }

    /// Marks the job as failed for good. Returns false if it is no longer held under this fence.
    pub async fn fail(&mut self, id: JobId, fence: i64, reason: &str, now: Timestamp) -> Result<bool, Error> {
        let update = sql!(
            "update jobs set state = 'failed', worker = null, leased_until = null, last_error = $1,
                 updated_at = $2, finished_at = $2",
            reason,
            now
        );
        self.update_if_leased(update, id, fence).await
    }

    async fn update_if_leased(&mut self, update: Statement, id: JobId, fence: i64) -> Result<bool, Error> {
        let condition = " where id = $? and fence = $? and state = 'running'";
        Ok(self.0.execute(update.push_with(condition, [id.into(), fence.into()])).await? > 0)
    }

    pub async fn counts(&mut self) -> Result<JobCounts, Error> {
        let rows: Vec<StateCount> = self
            .0
            .all(sql!("select state, count(*) as count from jobs where state <> 'done' group by state"))
            .await?;
        let mut counts = JobCounts::default();
        for StateCount(state, count) in rows {
            match state.as_str() {
                "waiting" => counts.waiting = count,
                "running" => counts.running = count,
                _ => counts.failed = count,
            }
        }
        Ok(counts)
    }

    /// Returns the payloads of the jobs of a kind and brand that wait or run.
    pub async fn unfinished_payloads(
        &mut self,
        kind: &'static str,
        brand: BrandId,
    ) -> Result<Vec<String>, Error> {
        let text =
            "select payload from jobs where kind = $1 and brand_id = $2 and state in ('waiting', 'running')";
        let rows: Vec<Payload> = self.0.all(sql!(text, kind, brand)).await?;
        Ok(rows.into_iter().map(|Payload(payload)| payload).collect())
    }

    /// Deletes jobs that were done, or failed, before these times and returns their number.
    pub async fn delete_finished(&mut self, done: Timestamp, failed: Timestamp) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "delete from jobs where finished_at is not null
                     and (state = 'done' and finished_at < $1 or state = 'failed' and finished_at < $2)",
                done,
                failed
            ))
            .await
    }

    /// Takes a slot of periodic work. Returns false if another process has it.
    pub async fn take_slot(
        &mut self,
        reconciler: &'static str,
        slot: i64,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let taken = self
            .0
            .execute(sql!(
                "insert into job_slots (reconciler, slot, taken_at) values ($1, $2, $3)
                 on conflict (reconciler, slot) do nothing",
                reconciler,
                slot,
                now
            ))
            .await?;
        Ok(taken > 0)
    }

    /// Counts the recorded slots of a reconciler.
    pub async fn slots(&mut self, reconciler: &'static str) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!("select count(*) as count from job_slots where reconciler = $1", reconciler))
            .await?;
        Ok(count)
    }

    /// Deletes slots that were taken before this time.
    pub async fn delete_slots_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from job_slots where taken_at < $1", before)).await
    }
}

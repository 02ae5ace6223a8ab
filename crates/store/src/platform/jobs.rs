//! Work that outlives its request: jobs, and the slots of periodic work.

use domain::{BrandId, JobId, Timestamp};

use crate::engine::page::Count;
use crate::engine::row::{FromRow, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Platform, Tx};

/// What a new job is made of.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    /// Which handler does it.
    pub kind: &'static str,
    /// JSON with ids, never with secrets.
    pub payload: &'a str,
    /// Not before then.
    pub run_at: Timestamp,
    /// The tenant it is done for.
    pub brand: Option<BrandId>,
}

/// A job that a worker holds, until its lease is over or someone with a higher fence holds it.
#[derive(Clone, Debug)]
pub struct ClaimedJob {
    /// Its id.
    pub id: JobId,
    /// Which handler does it.
    pub kind: String,
    /// What it is given.
    pub payload: String,
    /// How often it has been begun, this time included.
    pub attempts: i64,
    /// Grows with every claim; what holds a lower one is refused.
    pub fence: i64,
    /// The tenant.
    pub brand: Option<BrandId>,
    /// When it was enqueued.
    pub created_at: Timestamp,
}

/// How many jobs stand where; done ones are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobCounts {
    /// Enqueued, or to be tried again.
    pub waiting: i64,
    /// Held by a worker, be it alive or not.
    pub running: i64,
    /// Given up.
    pub failed: i64,
}

impl FromRow for ClaimedJob {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            kind: row.get("kind")?,
            payload: row.get("payload")?,
            attempts: row.get("attempts")?,
            fence: row.get("fence")?,
            brand: row.get("brand_id")?,
            created_at: row.get("created_at")?,
        })
    }
}

struct StateCount(String, i64);

impl FromRow for StateCount {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self(row.get("state")?, row.get("count")?))
    }
}

/// All jobs of the installation.
pub struct Jobs<'a>(pub(crate) &'a mut Tx);

impl Tx {
    /// All jobs of the installation.
    pub fn jobs(&mut self, _: &Platform) -> Jobs<'_> {
        Jobs(self)
    }
}

impl Jobs<'_> {
    /// Adds one, in the transaction of what it follows from.
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

    /// Holds one for longer; false if it is no longer held under this fence.
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

    /// It is done; false if it is no longer held under this fence, and then the transaction is to be dropped.
    pub async fn finish(&mut self, id: JobId, fence: i64, now: Timestamp) -> Result<bool, Error> {
        let update = sql!(
            "update jobs set state = 'done', worker = null, leased_until = null, last_error = null,
                 updated_at = $1, finished_at = $1",
            now
        );
        self.update_if_leased(update, id, fence).await
    }

    /// It is to be tried again; false if it is no longer held under this fence.
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

    /// It is given up; false if it is no longer held under this fence.
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

    /// How many stand where.
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

    /// Forgets what was done, or given up, before then; tells how many.
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

    /// Takes a tick of periodic work; false if another process has it.
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

    /// How many ticks of a reconciler are on record.
    pub async fn slots(&mut self, reconciler: &'static str) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!("select count(*) as count from job_slots where reconciler = $1", reconciler))
            .await?;
        Ok(count)
    }

    /// Forgets ticks that were taken before then.
    pub async fn delete_slots_before(&mut self, before: Timestamp) -> Result<u64, Error> {
        self.0.execute(sql!("delete from job_slots where taken_at < $1", before)).await
    }
}

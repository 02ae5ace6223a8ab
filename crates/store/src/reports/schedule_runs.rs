//! The slots of schedules: which are due, what became of them, and what pauses them.

use domain::{
    BrandId, NextRun, PauseReason, ReportId, ReportScheduleId, ReportState, RunState, Timestamp, UserId,
};

use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::reports::schedules::ReportSchedules;
use crate::{Error, Platform, Tx};

/// The outcome of a slot, or of a run besides the slots.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleRun {
    /// None for a run that takes no slot.
    pub slot_at: Option<Timestamp>,
    pub ran_at: Timestamp,
    /// None if there is no report yet.
    pub report: Option<ReportId>,
    pub next: Option<NextRun>,
    pub paused_reason: Option<PauseReason>,
}

/// A run whose report has ended, but whose schedule does not say so yet.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct EndedRun {
    #[row(column = "brand_id")]
    pub brand: BrandId,
    #[row(column = "schedule_id")]
    pub schedule: ReportScheduleId,
    #[row(column = "report_id")]
    pub report: ReportId,
    /// That of the report.
    pub state: ReportState,
    pub reason: Option<String>,
}

#[derive(macros::FromRow)]
struct DueSchedule {
    brand_id: BrandId,
    id: ReportScheduleId,
}

#[macros::boxed]
impl Tx {
    /// Returns up to `limit` due schedules of all brands, the most overdue first.
    pub async fn due_schedules(
        &mut self,
        _: &Platform,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<(BrandId, ReportScheduleId)>, Error> {
        let text = "select brand_id, id from report_schedules where next_run_at <= $1 order by next_run_at, id limit $2";
        let due: Vec<DueSchedule> = self.all(sql!(text, now, limit)).await?;
        Ok(due.into_iter().map(|one| (one.brand_id, one.id)).collect())
    }

    /// Returns up to `limit` runs of all brands whose reports have ended, the oldest first.
    pub async fn ended_runs(&mut self, _: &Platform, limit: i64) -> Result<Vec<EndedRun>, Error> {
        let text = "select x.brand_id, x.schedule_id, x.report_id, r.state, r.reason
             from report_schedule_runs x join reports r on r.brand_id = x.brand_id and r.id = x.report_id
             where r.state not in ('queued', 'running') order by x.report_id limit $1";
        self.all(sql!(text, limit)).await
    }
}

#[macros::boxed]
impl ReportSchedules<'_> {
    /// Records the beginning of a run of a schedule that was found and locked.
    pub async fn record_run(
        &mut self,
        id: ReportScheduleId,
        run: &ScheduleRun,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update report_schedules set last_slot_at = coalesce($3, last_slot_at), last_run_at = $4, last_report_id = $5,
                     last_run_state = $6, last_run_reason = null, next_slot_at = $7, next_run_at = $8, paused_reason = $9,
                     version = version + 1, updated_at = $10
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                run.slot_at,
                run.ran_at,
                run.report,
                RunState::Running.as_str(),
                run.next.map(|next| next.slot_at),
                run.next.map(|next| next.run_at),
                run.paused_reason.map(PauseReason::as_str),
                now
            ))
            .await?;
        if let Some(report) = run.report {
            let text =
                "insert into report_schedule_runs (brand_id, report_id, schedule_id) values ($1, $2, $3)";
            self.0.execute(sql!(text, self.1.brand(), report, id)).await?;
        }
        Ok(())
    }

    /// Moves the next run of a schedule that was found and locked.
    pub async fn postpone(
        &mut self,
        id: ReportScheduleId,
        next: NextRun,
        now: Timestamp,
    ) -> Result<(), Error> {
        let text = "update report_schedules set next_slot_at = $3, next_run_at = $4, version = version + 1, updated_at = $5
             where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id, next.slot_at, next.run_at, now)).await?;
        Ok(())
    }

    /// Removes a run whose report has ended; returns false if another process was faster.
    pub async fn close_run(&mut self, report: ReportId) -> Result<bool, Error> {
        let text = "delete from report_schedule_runs where brand_id = $1 and report_id = $2";
        Ok(self.0.execute(sql!(text, self.1.brand(), report)).await? > 0)
    }

    /// Records how the last run of a schedule ended that was found and locked.
    pub async fn record_outcome(
        &mut self,
        id: ReportScheduleId,
        (state, reason): (RunState, Option<&str>),
        now: Timestamp,
    ) -> Result<(), Error> {
        let text = "update report_schedules set last_run_state = $3, last_run_reason = $4, version = version + 1, updated_at = $5
             where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, self.1.brand(), id, state.as_str(), reason, now)).await?;
        Ok(())
    }

    /// Pauses all schedules of an author that are not paused yet, and returns how many.
    pub async fn pause_of_author(
        &mut self,
        author: UserId,
        reason: PauseReason,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let (brand, lock) = (self.1.brand(), self.0.row_lock());
        // Wherever several schedules are locked, it is in the order of their ids.
        let text = "select id from report_schedules where brand_id = $1 and author_id = $2 and paused_reason is null order by id";
        let running: Vec<Id<ReportScheduleId>> = self.0.all(sql!(text, brand, author).push(lock)).await?;
        for Id(id) in &running {
            let text =
                "update report_schedules set paused_reason = $3, next_slot_at = null, next_run_at = null,
                     version = version + 1, updated_at = $4
                 where brand_id = $1 and id = $2";
            self.0.execute(sql!(text, brand, *id, reason.as_str(), now)).await?;
        }
        Ok(running.len() as u64)
    }
}

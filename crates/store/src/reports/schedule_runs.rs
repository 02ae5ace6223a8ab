//! The slots of schedules: which are due, what became of them, and what pauses them.

use domain::{BrandId, PauseReason, ReportId, ReportScheduleId, Timestamp, UserId};

use crate::engine::statement::sql;
use crate::reports::schedules::ReportSchedules;
use crate::{Error, Platform, Tx};

/// The outcome of a slot, or of a run besides the slots.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleRun {
    /// None for a run that takes no slot.
    pub slot_at: Option<Timestamp>,
    pub ran_at: Timestamp,
    /// None if there is no report; the schedule then still shows the one before.
    pub report: Option<ReportId>,
    pub next_run_at: Option<Timestamp>,
    pub paused_reason: Option<PauseReason>,
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
}

#[macros::boxed]
impl ReportSchedules<'_> {
    /// Records a run of a schedule that was found and locked.
    pub async fn record_run(
        &mut self,
        id: ReportScheduleId,
        run: &ScheduleRun,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update report_schedules set last_slot_at = coalesce($3, last_slot_at), last_run_at = $4,
                     last_report_id = coalesce($5, last_report_id), next_run_at = $6, paused_reason = $7, version = version + 1,
                     updated_at = $8
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                run.slot_at,
                run.ran_at,
                run.report,
                run.next_run_at,
                run.paused_reason.map(PauseReason::as_str),
                now
            ))
            .await?;
        Ok(())
    }

    /// Pauses all schedules of an author that are not paused yet, and returns how many.
    pub async fn pause_of_author(
        &mut self,
        author: UserId,
        reason: PauseReason,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let text = "update report_schedules set paused_reason = $3, next_run_at = null, version = version + 1, updated_at = $4
             where brand_id = $1 and author_id = $2 and paused_reason is null";
        self.0.execute(sql!(text, self.1.brand(), author, reason.as_str(), now)).await
    }
}

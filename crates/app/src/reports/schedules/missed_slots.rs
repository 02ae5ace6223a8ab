//! Slots that could not be run when they were due, because of a fault of the service. They are left to a job, which is retried; if none of
//! its attempts succeeds, the schedule says so.

use domain::access::ScheduleReports;
use domain::{BrandId, ReportSchedule, ReportScheduleId, RunState, RunTimes, TimeZone};
use store::{ScheduleRun, ScheduleViewer};

use super::author_of;
use super::runs::{RunningSlot, find_due};
use crate::platform::jobs::{Lease, LeaseStatus, ReportSlot, RunFailureMail};
use crate::{App, Error, ErrorKind};

#[macros::boxed]
impl App {
    /// Runs a slot that was left to a job, unless it is no longer wanted.
    pub async fn run_missed_slot(&self, lease: &Lease, job: &ReportSlot) -> Result<LeaseStatus, Error> {
        let (scope, viewer) = (self.scope_of(job.brand), ScheduleViewer::Brand);
        let seen = self.store.read().await?.report_schedules(&scope).find(job.schedule, viewer).await?;
        let Some(seen) = seen else { return self.finish_job(lease).await };
        let user = author_of(&seen)?;
        let author = match self.load_author::<ScheduleReports>(job.brand, user).await? {
            Ok(author) => author,
            Err(lookup) => {
                self.pause_author(&scope, job.schedule, (user, lookup)).await?;
                return self.finish_job(lease).await;
            }
        };
        let mut tx = self.store.begin().await?;
        let found = tx.report_schedules(&scope).find_locked(job.schedule, viewer).await?;
        // Slots that pass while a schedule is paused are not made up.
        let missed = found.filter(|found| is_missed(found, job) && found.paused_reason.is_none());
        if let Some(schedule) = missed {
            let times = self.times_of(&mut tx, &author.scope, &schedule).await?;
            let period = times.period_of(job.slot_at, self.clock.now());
            let slot = RunningSlot { slot_at: job.slot_at, period, next: schedule.next_run() };
            self.add_slot_report(&mut tx, &author, &schedule, &slot).await?;
        }
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(lease_status)
    }

    /// Gives up a slot that was left to a job, for a reason that the log has: the schedule and a mail to its author say so.
    pub async fn give_up_slot(
        &self,
        lease: &Lease,
        job: &ReportSlot,
        reason: &str,
    ) -> Result<LeaseStatus, Error> {
        let (scope, now) = (self.scope_of(job.brand), self.clock.now());
        let mut tx = self.store.begin().await?;
        let found = tx.report_schedules(&scope).find_locked(job.schedule, ScheduleViewer::Brand).await?;
        if let Some(schedule) = found.filter(|found| is_missed(found, job)) {
            // With a report, the last run was one by hand.
            if schedule.last_report.is_none() {
                let outcome = (RunState::Failed, Some(reason));
                tx.report_schedules(&scope).record_outcome(schedule.id, outcome, now).await?;
            }
            if schedule.paused_reason.is_none() {
                let (brand, schedule) = (job.brand, job.schedule);
                let mail = RunFailureMail { brand, schedule, report: None, reason: reason.to_owned() };
                self.enqueue(&mut tx, Some(brand), &mail).await?;
            }
        }
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Held {
            tx.commit().await?;
        }
        Ok(lease_status)
    }

    /// Leaves a slot that cannot be run to a job; returns whether that worked.
    pub(super) async fn has_left_slot(&self, brand: BrandId, id: ReportScheduleId) -> Result<bool, Error> {
        match self.leave_slot(brand, id).await {
            Ok(()) => Ok(true),
            Err(error) if error.kind == ErrorKind::Unavailable => Err(error),
            Err(error) => {
                tracing::error!("the slot of report schedule {id} could not be left to a job: {error}");
                Ok(false)
            }
        }
    }

    async fn leave_slot(&self, brand: BrandId, id: ReportScheduleId) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(brand), self.clock.now());
        let mut tx = self.store.begin().await?;
        let Some((schedule, due)) = find_due(&mut tx, &scope, id, now).await? else { return Ok(()) };
        let times = match self.times_of(&mut tx, &scope, &schedule).await {
            Ok(times) => times,
            // The stored request may be what cannot be read.
            Err(error) if error.kind == ErrorKind::Internal => RunTimes {
                rule: schedule.rule,
                period: schedule.period,
                clock: TimeZone::utc(),
                zones: Vec::new(),
            },
            Err(error) => return Err(error),
        };
        let (slot_at, next) = match times.last_and_next(due.slot_at, now) {
            (Some(last), next) => (last, next),
            // It is due all the same, and must not be found again.
            (None, _) => (due.slot_at, times.next_after(due.slot_at)),
        };
        let run = ScheduleRun {
            slot_at: Some(slot_at),
            ran_at: now,
            report: None,
            next: Some(next),
            paused_reason: None,
        };
        tx.report_schedules(&scope).record_run(id, &run, now).await?;
        self.enqueue(&mut tx, Some(brand), &ReportSlot { brand, schedule: id, slot_at }).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Whether the last slot of a schedule is the one that was left to a job.
fn is_missed(schedule: &ReportSchedule, job: &ReportSlot) -> bool {
    schedule.last_slot_at == Some(job.slot_at)
}

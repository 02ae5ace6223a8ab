//! The slots of schedules. A schedule is locked while its slot is run, so that each is run once, however many workers there are.

use domain::access::ScheduleReports;
use domain::{
    BrandId, NextRun, PauseReason, Period, Report, ReportSchedule, ReportScheduleId, RunTimes, Timestamp,
    UserId,
};
use serde_json::json;
use store::{ScheduleRun, ScheduleViewer, Scope, Tx};

use super::times::Timing;
use super::{AUDITED_KIND, ScheduleReach, author_cannot_schedule, author_of, schedule_not_found, viewer};
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::reports::NewReport;
use crate::reports::request::{ReportOrder, ReportRequest};
use crate::{App, AuthorLookup, Caller, Error, ErrorKind};

/// Due schedules that are read at once.
const BATCH_SIZE: usize = 100;

/// A slot that is run.
pub(super) struct RunningSlot {
    pub slot_at: Timestamp,
    pub period: Period,
    pub next: Option<NextRun>,
}

#[macros::boxed]
impl App {
    /// Makes and mails the report of a schedule now, besides its slots. It counts among the unfinished reports of the caller, who may not
    /// be its author.
    pub async fn run_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        id: ReportScheduleId,
        reach: ScheduleReach,
    ) -> Result<Report, Error> {
        let (viewer, scope, now) = (viewer(caller, reach)?, caller.scope(), self.clock.now());
        let seen = self.store.read().await?.report_schedules(scope).find(id, viewer).await?;
        let author = author_of(&seen.ok_or_else(schedule_not_found)?)?;
        let author = self.load_author::<ScheduleReports>(scope.brand(), author).await?;
        let author = author.map_err(author_cannot_schedule)?;

        let (requester, mut tx) = (caller.identity.user, self.store.begin().await?);
        self.check_unfinished_reports(&mut tx, scope, requester).await?;
        let schedule = tx.report_schedules(scope).find_locked(id, viewer).await?;
        let schedule = schedule.ok_or_else(schedule_not_found)?;
        if tx.report_schedules(scope).recipients(&[id]).await?.is_empty() {
            let detail = "The schedule has no recipients; add one first.";
            return Err(Error::new(ErrorKind::Conflict, "no_recipients", detail));
        }
        let times = self.times_of(&mut tx, &author.scope, &schedule).await?;
        let period = times.period_of(now, now);
        let report = self.add_scheduled_report(&mut tx, (&author, requester), &schedule, period).await?;
        let run = ScheduleRun {
            slot_at: None,
            ran_at: now,
            report: Some(report.id),
            next: schedule.next_run(),
            paused_reason: schedule.paused_reason,
        };
        tx.report_schedules(scope).record_run(id, &run, now).await?;
        let act = AuditEntry::by_caller(caller).on("report_schedule.run", AUDITED_KIND, id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "report": report.id }))).await?;
        tx.commit().await?;
        Ok(report)
    }

    /// Records how earlier runs ended, and runs the schedules whose slot has come; returns how many. Of the slots that were missed, the
    /// last is made up.
    pub async fn run_due_schedules(&self) -> Result<u64, Error> {
        self.settle_runs().await?;
        let mut ran = 0;
        loop {
            let now = self.clock.now();
            let limit = i64::try_from(BATCH_SIZE).map_err(Error::internal)?;
            let due = self.store.read().await?.due_schedules(&self.platform, now, limit).await?;
            let mut all_moved = true;
            for (brand, id) in &due {
                match self.run_slot(*brand, *id).await {
                    Ok(true) => ran += 1,
                    Ok(false) => {}
                    Err(error) if error.kind == ErrorKind::Unavailable => return Err(error),
                    Err(error) => {
                        tracing::error!("report schedule {id} could not be run, a job tries again: {error}");
                        all_moved &= self.has_left_slot(*brand, *id).await?;
                    }
                }
            }
            // Each of them has run, was paused or is due later, so that the next ones are others. One that did not move must neither keep
            // the others from running nor be found again and again.
            if due.len() < BATCH_SIZE || !all_moved {
                return Ok(ran);
            }
        }
    }

    /// Runs the slot of a schedule that was found to be due, if it still is; returns whether there is a report.
    async fn run_slot(&self, brand: BrandId, id: ReportScheduleId) -> Result<bool, Error> {
        let scope = self.scope_of(brand);
        let seen = self.store.read().await?.report_schedules(&scope).find(id, ScheduleViewer::Brand).await?;
        let Some(seen) = seen else { return Ok(false) };
        let user = author_of(&seen)?;
        let author = match self.load_author::<ScheduleReports>(brand, user).await? {
            Ok(author) => author,
            Err(lookup) => {
                self.pause_author(&scope, id, (user, lookup)).await?;
                return Ok(false);
            }
        };
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let Some((schedule, due)) = find_due(&mut tx, &scope, id, now).await? else { return Ok(false) };
        let times = self.times_of(&mut tx, &author.scope, &schedule).await?;
        let (last, next) = times.last_and_next(due.slot_at, now);
        let Some(slot_at) = last else {
            // By now its reports also cover a worksite further west.
            tx.report_schedules(&scope).postpone(id, next, now).await?;
            tx.commit().await?;
            return Ok(false);
        };
        let slot = RunningSlot { slot_at, period: times.period_of(slot_at, now), next: Some(next) };
        self.add_slot_report(&mut tx, &author, &schedule, &slot).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Pauses all schedules of an author who may not have any; one of them was to be run.
    pub(super) async fn pause_author(
        &self,
        scope: &Scope,
        id: ReportScheduleId,
        (author, lookup): (UserId, AuthorLookup),
    ) -> Result<(), Error> {
        let (reason, now) = (pause_reason(lookup), self.clock.now());
        let mut tx = self.store.begin().await?;
        if tx.report_schedules(scope).pause_of_author(author, reason, now).await? == 0 {
            return Ok(());
        }
        let entry = AuditEntry::by_service(Some(scope.brand()), None);
        let entry = entry.on("report_schedule.paused", AUDITED_KIND, id.0);
        let details = json!({ "reason": reason.as_str(), "author": author });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Adds the report of a slot, and records the run.
    pub(super) async fn add_slot_report(
        &self,
        tx: &mut Tx,
        author: &Author,
        schedule: &ReportSchedule,
        slot: &RunningSlot,
    ) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(author.scope.brand()), self.clock.now());
        let report = self.add_scheduled_report(tx, (author, author.user), schedule, slot.period).await?;
        let run = ScheduleRun {
            slot_at: Some(slot.slot_at),
            ran_at: now,
            report: Some(report.id),
            next: slot.next,
            paused_reason: None,
        };
        tx.report_schedules(&scope).record_run(schedule.id, &run, now).await?;
        let entry = AuditEntry::by_service(Some(scope.brand()), None);
        let entry = entry.on("report_schedule.run", AUDITED_KIND, schedule.id.0);
        let details = json!({ "report": report.id, "slot_at": slot.slot_at });
        self.record_audit(tx, entry.with_details(details)).await?;
        Ok(())
    }

    /// Adds the report of a run and its job.
    async fn add_scheduled_report(
        &self,
        tx: &mut Tx,
        (author, requester): (&Author, UserId),
        schedule: &ReportSchedule,
        period: Period,
    ) -> Result<Report, Error> {
        let preferences = tx.preferences(&author.scope, author.user).get().await?.effective();
        let request = ReportRequest::of_schedule(schedule, period, preferences)?;
        let order = ReportOrder { author, requester, request: &request, schedule: Some(schedule.id) };
        self.add_report(tx, &order, self.clock.now()).await
    }

    /// Returns when a schedule runs whose author sees what is in this scope.
    pub(super) async fn times_of(
        &self,
        tx: &mut Tx,
        author: &Scope,
        schedule: &ReportSchedule,
    ) -> Result<RunTimes, Error> {
        let report = NewReport::of_schedule(schedule)?;
        self.run_times(tx, author, &Timing::of(schedule, &report)).await
    }
}

/// Finds and locks a schedule with its next run, if that has come and nobody else has done it.
pub(super) async fn find_due(
    tx: &mut Tx,
    scope: &Scope,
    id: ReportScheduleId,
    now: Timestamp,
) -> Result<Option<(ReportSchedule, NextRun)>, Error> {
    let found = tx.report_schedules(scope).find_locked(id, ScheduleViewer::Brand).await?;
    Ok(found.and_then(|schedule| {
        let due = schedule.next_run().filter(|next| next.run_at <= now)?;
        Some((schedule, due))
    }))
}

fn pause_reason(lookup: AuthorLookup) -> PauseReason {
    match lookup {
        AuthorLookup::Deactivated => PauseReason::AuthorDeactivated,
        AuthorLookup::PermissionMissing => PauseReason::PermissionMissing,
    }
}

//! The slots of schedules. A schedule is locked while its slot is run, so that each is run once, however many workers there are.

use domain::access::ScheduleReports;
use domain::{BrandId, Day, PauseReason, Report, ReportSchedule, ReportScheduleId, TimeZone, Timestamp};
use serde_json::json;
use store::{ScheduleRun, ScheduleViewer, Scope, Tx};

use super::{
    AUDITED_KIND, ScheduleReach, author_cannot_schedule, author_of, clock_of, schedule_not_found, viewer,
};
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::reports::NewReport;
use crate::reports::request::{ReportOrder, ReportRequest};
use crate::reports::use_cases::MAX_UNFINISHED;
use crate::{App, AuthorLookup, Caller, Error, ErrorKind};

/// Due schedules that are read at once.
const BATCH_SIZE: usize = 100;

#[macros::boxed]
impl App {
    /// Makes and mails the report of a schedule now, besides its slots.
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

        let mut tx = self.store.begin().await?;
        let schedule = tx.report_schedules(scope).find_locked(id, viewer).await?;
        let schedule = schedule.ok_or_else(schedule_not_found)?;
        if tx.report_schedules(scope).recipients(&[id]).await?.is_empty() {
            let detail = "The schedule has no recipients; add one first.";
            return Err(Error::new(ErrorKind::Conflict, "no_recipients", detail));
        }
        if tx.reports_of(scope).count_unfinished(author.user).await? >= MAX_UNFINISHED {
            let detail = format!("{MAX_UNFINISHED} reports of the author are unfinished; wait for them.");
            return Err(Error::new(ErrorKind::Conflict, "too_many_reports", detail));
        }
        let zone = self.zone_of_schedule(&mut tx, scope.brand(), &schedule).await?;
        let report = self.add_scheduled_report(&mut tx, &author, &schedule, (now, &zone)).await?;
        let run = ScheduleRun {
            slot_at: None,
            ran_at: now,
            report: Some(report.id),
            next_run_at: schedule.next_run_at,
            paused_reason: schedule.paused_reason,
        };
        tx.report_schedules(scope).record_run(id, &run, now).await?;
        let act = AuditEntry::by_caller(caller).on("report_schedule.run", AUDITED_KIND, id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "report": report.id }))).await?;
        tx.commit().await?;
        Ok(report)
    }

    /// Runs the schedules whose slot has come; returns how many. Of the slots that were missed, the last is made up.
    pub async fn run_due_schedules(&self) -> Result<u64, Error> {
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
                        tracing::error!("report schedule {id} could not be run: {error}");
                        all_moved &= self.has_skipped_slot(*brand, *id).await?;
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
        let author = author_of(&seen)?;
        let found = self.load_author::<ScheduleReports>(brand, author).await?;

        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let Some((schedule, due)) = find_due(&mut tx, &scope, id, now).await? else { return Ok(false) };
        let entry = AuditEntry::by_service(Some(brand), None);
        let has_report = match found {
            Ok(author) => {
                let zone = self.zone_of_schedule(&mut tx, brand, &schedule).await?;
                let (slot_at, next) = schedule.rule.last_and_next(due, now, &zone);
                let report = self.add_scheduled_report(&mut tx, &author, &schedule, (slot_at, &zone)).await?;
                let run = ScheduleRun {
                    slot_at: Some(slot_at),
                    ran_at: now,
                    report: Some(report.id),
                    next_run_at: Some(next),
                    paused_reason: None,
                };
                tx.report_schedules(&scope).record_run(id, &run, now).await?;
                let entry = entry.on("report_schedule.run", AUDITED_KIND, id.0);
                let details = json!({ "report": report.id, "slot_at": slot_at });
                self.record_audit(&mut tx, entry.with_details(details)).await?;
                true
            }
            Err(lookup) => {
                // None of the author's schedules can run.
                let reason = pause_reason(lookup);
                tx.report_schedules(&scope).pause_of_author(author, reason, now).await?;
                let entry = entry.on("report_schedule.paused", AUDITED_KIND, id.0);
                let details = json!({ "reason": reason.as_str(), "author": author });
                self.record_audit(&mut tx, entry.with_details(details)).await?;
                false
            }
        };
        tx.commit().await?;
        Ok(has_report)
    }

    /// Skips a slot that cannot be run; returns whether that worked.
    async fn has_skipped_slot(&self, brand: BrandId, id: ReportScheduleId) -> Result<bool, Error> {
        match self.skip_slot(brand, id).await {
            Ok(()) => Ok(true),
            Err(error) if error.kind == ErrorKind::Unavailable => Err(error),
            Err(error) => {
                tracing::error!("the slot of report schedule {id} could not be skipped: {error}");
                Ok(false)
            }
        }
    }

    /// Gives up a slot that cannot be run for a reason that the log has, so that others do not wait for it.
    async fn skip_slot(&self, brand: BrandId, id: ReportScheduleId) -> Result<(), Error> {
        let (scope, now) = (self.scope_of(brand), self.clock.now());
        let mut tx = self.store.begin().await?;
        let Some((schedule, due)) = find_due(&mut tx, &scope, id, now).await? else { return Ok(()) };
        let zone = match self.zone_of_schedule(&mut tx, brand, &schedule).await {
            Ok(zone) => zone,
            // The stored request may be what cannot be read.
            Err(error) if error.kind == ErrorKind::Internal => TimeZone::utc(),
            Err(error) => return Err(error),
        };
        let (slot_at, next) = schedule.rule.last_and_next(due, now, &zone);
        let run = ScheduleRun {
            slot_at: Some(slot_at),
            ran_at: now,
            report: None,
            next_run_at: Some(next),
            paused_reason: None,
        };
        tx.report_schedules(&scope).record_run(id, &run, now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Adds the report of a run and its job. Its period is that before the local day of `at`.
    async fn add_scheduled_report(
        &self,
        tx: &mut Tx,
        author: &Author,
        schedule: &ReportSchedule,
        (at, zone): (Timestamp, &TimeZone),
    ) -> Result<Report, Error> {
        let preferences = tx.preferences(&author.scope, author.user).get().await?.effective();
        let today = Day::from_number(zone.local(at).day);
        let request = ReportRequest::of_schedule(schedule, schedule.period.before(today), preferences)?;
        let order = ReportOrder { author, request: &request, schedule: Some(schedule.id) };
        self.add_report(tx, &order, self.clock.now()).await
    }

    async fn zone_of_schedule(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        schedule: &ReportSchedule,
    ) -> Result<TimeZone, Error> {
        let worksite = match schedule.zone_worksite {
            Some(worksite) => Some(worksite),
            None => clock_of(None, &NewReport::of_schedule(schedule)?),
        };
        self.zone_of_clock(tx, brand, worksite).await
    }
}

/// Finds and locks a schedule with its slot, if that has come and nobody else has run it.
async fn find_due(
    tx: &mut Tx,
    scope: &Scope,
    id: ReportScheduleId,
    now: Timestamp,
) -> Result<Option<(ReportSchedule, Timestamp)>, Error> {
    let found = tx.report_schedules(scope).find_locked(id, ScheduleViewer::Brand).await?;
    Ok(found.and_then(|schedule| {
        let due = schedule.next_run_at.filter(|at| *at <= now)?;
        Some((schedule, due))
    }))
}

fn pause_reason(lookup: AuthorLookup) -> PauseReason {
    match lookup {
        AuthorLookup::Deactivated => PauseReason::AuthorDeactivated,
        AuthorLookup::PermissionMissing => PauseReason::PermissionMissing,
    }
}

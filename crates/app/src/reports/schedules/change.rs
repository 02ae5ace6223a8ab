//! Creating, changing, pausing and resuming schedules.

use std::collections::BTreeSet;

use domain::access::ScheduleReports;
use domain::insights::IncursionFilter;
use domain::preferences::Preferences;
use domain::{
    Change, Day, EmailAddress, Invalid, Name, PauseReason, Period, ReportKind, ReportPeriod,
    ReportScheduleId, Review, ScheduleRule, StoredResponse, TimeZone, WorksiteId,
};
use serde_json::json;
use store::{NewSchedule, Scope, Tx};

use super::{
    AUDITED_KIND, NewReportSchedule, ReportScheduleChange, ScheduleReach, ScheduleView, audit_fields,
    author_cannot_schedule, author_of, clock_of, schedule_not_found, viewer,
};
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::reports::NewReport;
use crate::reports::request::ReportRequest;
use crate::{App, Caller, Error, ErrorKind, Idempotent, IfMatch};

/// Maximum number of schedules per author.
const MAX_SCHEDULES: i64 = 100;

#[macros::boxed]
impl App {
    pub async fn create_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        new: NewReportSchedule,
        idempotent: Idempotent<'_, ScheduleView>,
    ) -> Result<StoredResponse, Error> {
        let (scope, user, now) = (caller.scope(), caller.identity.user, self.clock.now());
        let preferences = self.preferences_of(caller).await?;
        let period = new.period.unwrap_or(ReportPeriod::usual(new.rule.cadence.kind()));
        let is_repeated = self.has_stored_response(idempotent.key()).await?;
        let mut tx = self.store.read().await?;
        if let Some(worksite) = new.zone_worksite
            && !is_repeated
        {
            check_clock(&mut tx, scope, worksite).await?;
        }
        let worksite = clock_of(new.zone_worksite, &new.report);
        let zone = self.zone_of_clock(&mut tx, scope.brand(), worksite).await?;
        drop(tx);
        if !is_repeated {
            self.check_next_report(caller, &new.report, (period, &zone), preferences.clone()).await?;
        }
        let row = NewSchedule {
            kind: new.report.kind,
            format: new.report.format,
            request: ReportRequest::to_schedule_json(&new.report, &preferences)?,
            name: new.name,
            period,
            rule: new.rule,
            zone_worksite: new.zone_worksite,
            paused_reason: new.paused.then_some(PauseReason::ByUser),
            next_run_at: (!new.paused).then(|| new.rule.next_after(now, &zone)),
            recipients: new.recipients,
        };
        self.run_idempotent(idempotent, async |tx| {
            // One creation at a time: two concurrent ones would both find the last place free.
            tx.users(&self.platform).by_id_locked(user).await?;
            if tx.report_schedules(scope).count_of(user).await? >= MAX_SCHEDULES {
                let detail = format!("You already have {MAX_SCHEDULES} report schedules; delete some.");
                return Err(Error::new(ErrorKind::Conflict, "too_many_schedules", detail));
            }
            let schedule = tx.report_schedules(scope).add(user, &row, now).await?;
            let view = self.view_schedule(tx, scope.brand(), schedule).await?;
            let id = view.schedule.id.0;
            let act = AuditEntry::by_caller(caller).on("report_schedule.created", AUDITED_KIND, id);
            self.record_audit(tx, act.with_details(json!({ "after": audit_fields(&view) }))).await?;
            Ok(view)
        })
        .await
    }

    /// Changes, pauses or resumes a schedule.
    pub async fn change_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        id: ReportScheduleId,
        reach: ScheduleReach,
        if_match: &IfMatch,
        change: ReportScheduleChange,
    ) -> Result<ScheduleView, Error> {
        let (viewer, scope, now) = (viewer(caller, reach)?, caller.scope(), self.clock.now());
        // What takes connections of its own comes before the transaction.
        let seen = self.find_report_schedule(caller, id, reach).await?;
        let preferences = self.check_schedule_change(caller, &seen, &change).await?;

        let mut tx = self.store.begin().await?;
        let before = tx.report_schedules(scope).find_locked(id, viewer).await?;
        let before = before.ok_or_else(schedule_not_found)?;
        if_match.check(before.version)?;
        let before = self.view_schedule(&mut tx, scope.brand(), before).await?;
        let to = self.change_of_schedule(&mut tx, caller, &before, change, &preferences).await?;
        if is_same(&before, &to) {
            return Ok(before);
        }
        let worksite = clock_of(to.zone_worksite, &to.report);
        let is_same_clock = worksite == clock_of(before.schedule.zone_worksite, &before.report)
            && to.rule == before.schedule.rule
            && before.schedule.paused_reason.is_none();
        let next_run_at = match to.paused_reason {
            Some(_) => None,
            None if is_same_clock => before.schedule.next_run_at,
            None => {
                let zone = self.zone_of_clock(&mut tx, scope.brand(), worksite).await?;
                Some(to.rule.next_after(now, &zone))
            }
        };
        let row = NewSchedule { next_run_at, ..to.into_row() };
        let after = tx.report_schedules(scope).change(id, &row, now).await?;
        let after = self.view_schedule(&mut tx, scope.brand(), after).await?;
        let act = AuditEntry::by_caller(caller).on("report_schedule.changed", AUDITED_KIND, id.0);
        let details = json!({ "before": audit_fields(&before), "after": audit_fields(&after) });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(after)
    }

    /// Refuses a change to a report that could not be made, and to resume a schedule whose author may not have one. Returns the
    /// preferences of the author.
    async fn check_schedule_change(
        &self,
        caller: &Caller<ScheduleReports>,
        seen: &ScheduleView,
        change: &ReportScheduleChange,
    ) -> Result<Preferences, Error> {
        let scope = caller.scope();
        let author = author_of(&seen.schedule)?;
        let preferences = self.store.read().await?.preferences(scope, author).get().await?.effective();
        if let Change::Set(report) = &change.report {
            let period = change.period.or(seen.schedule.period);
            self.check_next_report(caller, report, (period, &seen.time_zone), preferences.clone()).await?;
        }
        if change.paused == Change::Set(false) && seen.schedule.paused_reason.is_some() {
            let author = self.load_author::<ScheduleReports>(scope.brand(), author).await?;
            author.map_err(author_cannot_schedule)?;
        }
        Ok(preferences)
    }

    /// Refuses a report that could not be made if the schedule ran now.
    async fn check_next_report(
        &self,
        caller: &Caller<ScheduleReports>,
        report: &NewReport,
        (period, zone): (ReportPeriod, &TimeZone),
        preferences: Preferences,
    ) -> Result<(), Error> {
        let now = self.clock.now();
        let today = Day::from_number(zone.local(now).day);
        let report = with_period(report, period.before(today));
        self.resolve_report(&Author::of_caller(caller), &report, preferences, now).await?;
        Ok(())
    }

    /// Returns the values after a change.
    async fn change_of_schedule(
        &self,
        tx: &mut Tx,
        caller: &Caller<ScheduleReports>,
        before: &ScheduleView,
        change: ReportScheduleChange,
        preferences: &Preferences,
    ) -> Result<ChangedSchedule, Error> {
        let schedule = &before.schedule;
        let zone_worksite = change.zone_worksite.or(schedule.zone_worksite);
        if let Some(worksite) = zone_worksite
            && zone_worksite != schedule.zone_worksite
        {
            check_clock(tx, caller.scope(), worksite).await?;
        }
        let (report, request) = match change.report {
            Change::Keep => (before.report.clone(), schedule.request.clone()),
            Change::Set(report) => {
                let request = ReportRequest::to_schedule_json(&report, preferences)?;
                (*report, request)
            }
        };
        let recipients = match change.recipients {
            Change::Set(recipients) => recipients,
            Change::Keep => stored_addresses(before)?,
        };
        let paused_reason = match change.paused {
            Change::Keep => schedule.paused_reason,
            Change::Set(true) => Some(schedule.paused_reason.unwrap_or(PauseReason::ByUser)),
            Change::Set(false) => None,
        };
        if paused_reason.is_none() && recipients.is_empty() {
            let text = "must have at least one address before the schedule can run";
            return Err(Error::invalid_field("recipients", Invalid::new("required", text)));
        }
        Ok(ChangedSchedule {
            name: change.name.or(Name::parse_stored(&schedule.name).map_err(Error::internal)?),
            report,
            request,
            period: change.period.or(schedule.period),
            rule: change.rule.or(schedule.rule),
            zone_worksite,
            paused_reason,
            recipients,
        })
    }
}

/// The values of a schedule after a change, except for its next slot.
struct ChangedSchedule {
    name: Name,
    report: NewReport,
    request: String,
    period: ReportPeriod,
    rule: ScheduleRule,
    zone_worksite: Option<WorksiteId>,
    paused_reason: Option<PauseReason>,
    recipients: Vec<EmailAddress>,
}

impl ChangedSchedule {
    fn into_row(self) -> NewSchedule {
        NewSchedule {
            name: self.name,
            kind: self.report.kind,
            format: self.report.format,
            request: self.request,
            period: self.period,
            rule: self.rule,
            zone_worksite: self.zone_worksite,
            paused_reason: self.paused_reason,
            next_run_at: None,
            recipients: self.recipients,
        }
    }
}

fn is_same(before: &ScheduleView, to: &ChangedSchedule) -> bool {
    let schedule = &before.schedule;
    let stored: BTreeSet<String> =
        before.recipients.iter().map(|recipient| recipient.email.to_lowercase()).collect();
    let wanted: BTreeSet<String> = to.recipients.iter().map(EmailAddress::key).collect();
    let is_same_report = (schedule.kind, schedule.format, &schedule.request)
        == (to.report.kind, to.report.format, &to.request);
    let is_same_time = (schedule.period, schedule.rule, schedule.zone_worksite, schedule.paused_reason)
        == (to.period, to.rule, to.zone_worksite, to.paused_reason);
    is_same_report && is_same_time && schedule.name == to.name.as_str() && stored == wanted
}

fn stored_addresses(view: &ScheduleView) -> Result<Vec<EmailAddress>, Error> {
    let addresses = view.recipients.iter().map(|recipient| EmailAddress::parse(&recipient.email));
    addresses.collect::<Result<_, _>>().map_err(Error::internal)
}

/// Refuses the clock of a worksite that the caller does not see.
async fn check_clock(tx: &mut Tx, scope: &Scope, worksite: WorksiteId) -> Result<(), Error> {
    match tx.worksites(scope).find_without_boundary(worksite).await? {
        Some(_) => Ok(()),
        None => {
            let text = "is not a worksite that you see";
            Err(Error::missing_relation("zone_worksite_id", "unknown_worksite", text))
        }
    }
}

/// Returns the report of a run: with its period.
fn with_period(report: &NewReport, period: Period) -> NewReport {
    let mut report = report.clone();
    let usual = || IncursionFilter { reviews: Review::COUNTED.to_vec(), ..IncursionFilter::default() };
    match &mut report.pivot {
        Some((filter, _)) => filter.period = Some(period),
        // A pivot that is missing is reported as such.
        None if report.kind == ReportKind::Pivot => {}
        None => report.filter.get_or_insert_with(|| Box::new(usual())).period = Some(period),
    }
    report
}

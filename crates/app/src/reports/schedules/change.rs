//! Creating, changing, pausing and resuming schedules.

use domain::access::ScheduleReports;
use domain::preferences::Preferences;
use domain::{
    Change, EmailAddress, Invalid, Name, NextRun, PauseReason, ReportPeriod, ScheduleRule, SortedSet,
    StoredResponse, WorksiteId,
};
use serde_json::json;
use store::{NewSchedule, Scope, Tx};

use super::checks::{check_clock, unseen_by_author};
use super::times::{Timing, clock_of};
use super::{
    AUDITED_KIND, NewReportSchedule, ReportScheduleChange, ScheduleReach, ScheduleView, audit_fields,
    author_cannot_schedule, author_of, schedule_not_found, viewer,
};
use crate::accounts::authors::Author;
use crate::platform::audit::AuditEntry;
use crate::reports::NewReport;
use crate::reports::request::ReportRequest;
use crate::{App, AuthorLookup, Caller, Error, ErrorKind, Idempotent, IfMatch};

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
            let author = Author::of_caller(caller);
            self.check_next_report(&author, &new.report, (period, &zone), preferences.clone()).await?;
        }
        let timing = Timing { rule: new.rule, period, zone_worksite: new.zone_worksite, report: &new.report };
        let times = self.run_times(&mut self.store.read().await?, scope, &timing).await?;
        let row = NewSchedule {
            kind: new.report.kind,
            format: new.report.format,
            request: ReportRequest::to_schedule_json(&new.report, &preferences)?,
            name: new.name,
            period,
            rule: new.rule,
            zone_worksite: new.zone_worksite,
            paused_reason: new.paused.then_some(PauseReason::ByUser),
            next: (!new.paused).then(|| times.next_after(now)),
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

    /// Changes, pauses or resumes a schedule. The change was made from the schedule as it was seen: returns none if it has another version
    /// by now, and the change must be made anew.
    pub async fn change_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        seen: &ScheduleView,
        reach: ScheduleReach,
        if_match: &IfMatch,
        change: ReportScheduleChange,
    ) -> Result<Option<ScheduleView>, Error> {
        let (viewer, scope, now) = (viewer(caller, reach)?, caller.scope(), self.clock.now());
        // What takes connections of its own comes before the transaction.
        let user = author_of(&seen.schedule)?;
        let author = self.load_schedule_author(caller, user).await?;
        let is_own = user == caller.identity.user;
        let worded = |error: Error| if is_own { error } else { unseen_by_author(error) };
        let checked = self.check_schedule_change(scope, seen, author.as_ref(), &change).await;
        let preferences = checked.map_err(worded)?;
        // The schedule of an author who may not have one is checked as far as it can be.
        let author = author.map_or_else(|_| scope.clone(), |author| author.scope);

        let mut tx = self.store.begin().await?;
        let before = tx.report_schedules(scope).find_locked(seen.schedule.id, viewer).await?;
        let before = before.ok_or_else(schedule_not_found)?;
        if_match.check(before.version)?;
        if before.version != seen.schedule.version {
            return Ok(None);
        }
        let before = self.view_schedule(&mut tx, scope.brand(), before).await?;
        let changed = self.change_of_schedule(&mut tx, &author, &before, change, &preferences).await;
        let to = changed.map_err(worded)?;
        if is_same(&before, &to) {
            return Ok(Some(before));
        }
        let next = match to.paused_reason {
            Some(_) => None,
            None => Some(self.next_run_of(&mut tx, &author, &before, &to).await?),
        };
        let id = before.schedule.id;
        let after = tx.report_schedules(scope).change(id, &to.into_row(next), now).await?;
        let after = self.view_schedule(&mut tx, scope.brand(), after).await?;
        let act = AuditEntry::by_caller(caller).on("report_schedule.changed", AUDITED_KIND, id.0);
        let details = json!({ "before": audit_fields(&before), "after": audit_fields(&after) });
        self.record_audit(&mut tx, act.with_details(details)).await?;
        tx.commit().await?;
        Ok(Some(after))
    }

    /// Refuses a change to a report that could not be made for the author, and to resume a schedule whose author may not have one. Returns
    /// the preferences of the author.
    async fn check_schedule_change(
        &self,
        scope: &Scope,
        seen: &ScheduleView,
        author: Result<&Author, &AuthorLookup>,
        change: &ReportScheduleChange,
    ) -> Result<Preferences, Error> {
        let is_resumed = change.paused == Change::Set(false) && seen.schedule.paused_reason.is_some();
        let able = || author.map_err(|lookup| author_cannot_schedule(*lookup));
        if is_resumed {
            able()?;
        }
        let user = author_of(&seen.schedule)?;
        let preferences = self.store.read().await?.preferences(scope, user).get().await?.effective();
        if let Change::Set(report) = &change.report {
            let period = change.period.or(seen.schedule.period);
            self.check_next_report(able()?, report, (period, &seen.time_zone), preferences.clone()).await?;
        }
        Ok(preferences)
    }

    /// Returns the next run after a change. A slot that has not changed stays, even if its worksite has another clock by now.
    async fn next_run_of(
        &self,
        tx: &mut Tx,
        author: &Scope,
        before: &ScheduleView,
        to: &ChangedSchedule,
    ) -> Result<NextRun, Error> {
        let ChangedSchedule { rule, period, zone_worksite, report, .. } = to;
        let timing = Timing { rule: *rule, period: *period, zone_worksite: *zone_worksite, report };
        let times = self.run_times(tx, author, &timing).await?;
        let is_same_clock = *rule == before.schedule.rule
            && clock_of(*zone_worksite, report) == clock_of(before.schedule.zone_worksite, &before.report);
        Ok(match before.schedule.next_run() {
            Some(next) if is_same_clock => times.run_of(next.slot_at),
            _ => times.next_after(self.clock.now()),
        })
    }

    /// Returns the values after a change.
    async fn change_of_schedule(
        &self,
        tx: &mut Tx,
        author: &Scope,
        before: &ScheduleView,
        change: ReportScheduleChange,
        preferences: &Preferences,
    ) -> Result<ChangedSchedule, Error> {
        let schedule = &before.schedule;
        let zone_worksite = change.zone_worksite.or(schedule.zone_worksite);
        if let Some(worksite) = zone_worksite
            && zone_worksite != schedule.zone_worksite
        {
            check_clock(tx, author, worksite).await?;
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

/// The values of a schedule after a change, except for its next run.
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
    fn into_row(self, next: Option<NextRun>) -> NewSchedule {
        NewSchedule {
            name: self.name,
            kind: self.report.kind,
            format: self.report.format,
            request: self.request,
            period: self.period,
            rule: self.rule,
            zone_worksite: self.zone_worksite,
            paused_reason: self.paused_reason,
            next,
            recipients: self.recipients,
        }
    }
}

fn is_same(before: &ScheduleView, to: &ChangedSchedule) -> bool {
    let schedule = &before.schedule;
    let stored: SortedSet<String> =
        before.recipients.iter().map(|recipient| recipient.email.to_lowercase()).collect();
    let wanted: SortedSet<String> = to.recipients.iter().map(EmailAddress::key).collect();
    let is_same_report = (schedule.kind, schedule.format, &schedule.request)
        == (to.report.kind, to.report.format, &to.request);
    let is_same_time = (schedule.period, schedule.rule, schedule.zone_worksite, schedule.paused_reason)
        == (to.period, to.rule, to.zone_worksite, to.paused_reason);
    is_same_report && is_same_time && schedule.name == to.name.as_str() && stored == wanted
}

fn stored_addresses(view: &ScheduleView) -> Result<Vec<EmailAddress>, Error> {
    let addresses = view.recipients.iter().map(|recipient| EmailAddress::parse_stored(&recipient.email));
    addresses.collect::<Result<_, _>>().map_err(Error::internal)
}

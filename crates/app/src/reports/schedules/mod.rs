//! Schedules: reports that are made and mailed by themselves.
//!
//! A schedule belongs to its author: nobody else sees it, except those who manage the brand and ask for those of others. Its reports
//! contain what the author may see when they are made. `change` has what people do with schedules and `checks` what is refused,
//! `times` says when they run, `runs` has their slots, `missed_slots` those that failed, and `outcomes` what became of them. `mail` and
//! `failure_mail` have the mails to their recipients and authors.

mod change;
mod checks;
mod failure_mail;
mod mail;
mod missed_slots;
mod outcomes;
mod runs;
mod times;

use std::collections::HashMap;

use domain::access::{ManageBrand, ScheduleReports};
use domain::{
    BrandId, Change, EmailAddress, Name, Page, PageRequest, PauseReason, ReportPeriod, ReportRecipient,
    ReportSchedule, ReportScheduleFilter, ReportScheduleId, ScheduleRule, TimeZone, UserId, WorksiteId,
};
use serde_json::{Value, json};
use store::{ScheduleViewer, Tx};

use super::NewReport;
use crate::platform::audit::AuditEntry;
use crate::{App, AuthorLookup, Caller, Error, ErrorKind, IfMatch};

use times::clock_of;

pub use failure_mail::RunFailureEmail;
pub use mail::{Delivery, ReportEmail};

/// Kind of record in the audit log.
const AUDITED_KIND: &str = "report_schedule";

#[derive(Clone, Debug)]
pub struct NewReportSchedule {
    pub name: Name,
    /// Its filters have no period, because each run has its own.
    pub report: NewReport,
    /// None for the one that is usual for the cadence.
    pub period: Option<ReportPeriod>,
    pub rule: ScheduleRule,
    /// The worksite by whose clock it runs. None for the worksite of the report, or the brand's clock if it has none.
    pub zone_worksite: Option<WorksiteId>,
    /// At least one, and at most [`ReportRecipient::MAX`].
    pub recipients: Vec<EmailAddress>,
    pub paused: bool,
}

#[derive(Clone, Debug)]
pub struct ReportScheduleChange {
    pub name: Change<Name>,
    pub report: Change<Box<NewReport>>,
    pub period: Change<ReportPeriod>,
    pub rule: Change<ScheduleRule>,
    pub zone_worksite: Change<Option<WorksiteId>>,
    pub recipients: Change<Vec<EmailAddress>>,
    pub paused: Change<bool>,
}

/// A schedule with its recipients.
#[derive(Clone, Debug)]
pub struct ScheduleView {
    pub schedule: ReportSchedule,
    /// What its reports contain, without a period.
    pub report: NewReport,
    pub recipients: Vec<ReportRecipient>,
    /// The time zone of its clock.
    pub time_zone: TimeZone,
}

/// Whose schedules a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScheduleReach {
    #[default]
    Own,
    /// All of the brand, for those who manage it.
    Brand,
}

#[macros::boxed]
impl App {
    /// Returns a page of schedules, sorted by name, with the total if requested.
    pub async fn list_report_schedules(
        &self,
        caller: &Caller<ScheduleReports>,
        filter: &ReportScheduleFilter,
        reach: ScheduleReach,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<ScheduleView>, Option<i64>), Error> {
        let (viewer, scope) = (viewer(caller, reach)?, caller.scope());
        let mut tx = self.store.read().await?;
        let found = tx.report_schedules(scope).page(filter, viewer, page).await?;
        let total = match include_total {
            true => Some(tx.report_schedules(scope).count(filter, viewer).await?),
            false => None,
        };
        let rows = self.view_schedules(&mut tx, scope.brand(), found.rows).await?;
        Ok((Page { rows, next: found.next }, total))
    }

    pub async fn find_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        id: ReportScheduleId,
        reach: ScheduleReach,
    ) -> Result<ScheduleView, Error> {
        let (viewer, scope) = (viewer(caller, reach)?, caller.scope());
        let mut tx = self.store.read().await?;
        let found = tx.report_schedules(scope).find(id, viewer).await?.ok_or_else(schedule_not_found)?;
        self.view_schedule(&mut tx, scope.brand(), found).await
    }

    /// Deletes a schedule and returns what it was. Its reports stay.
    pub async fn delete_report_schedule(
        &self,
        caller: &Caller<ScheduleReports>,
        id: ReportScheduleId,
        reach: ScheduleReach,
        if_match: &IfMatch,
    ) -> Result<ScheduleView, Error> {
        let (viewer, scope) = (viewer(caller, reach)?, caller.scope());
        let mut tx = self.store.begin().await?;
        let found = tx.report_schedules(scope).find_locked(id, viewer).await?;
        let found = found.ok_or_else(schedule_not_found)?;
        if_match.check(found.version)?;
        let deleted = self.view_schedule(&mut tx, scope.brand(), found).await?;
        tx.report_schedules(scope).delete(id).await?;
        let act = AuditEntry::by_caller(caller).on("report_schedule.deleted", AUDITED_KIND, id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "before": audit_fields(&deleted) }))).await?;
        tx.commit().await?;
        Ok(deleted)
    }

    /// Adds to a schedule what is shown with it.
    async fn view_schedule(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        schedule: ReportSchedule,
    ) -> Result<ScheduleView, Error> {
        let mut views = self.view_schedules(tx, brand, vec![schedule]).await?;
        views.pop().ok_or_else(|| Error::internal("a schedule is shown as none"))
    }

    async fn view_schedules(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        schedules: Vec<ReportSchedule>,
    ) -> Result<Vec<ScheduleView>, Error> {
        let scope = self.scope_of(brand);
        let ids: Vec<ReportScheduleId> = schedules.iter().map(|schedule| schedule.id).collect();
        let mut recipients: HashMap<ReportScheduleId, Vec<ReportRecipient>> = HashMap::new();
        for (schedule, recipient) in tx.report_schedules(&scope).recipients(&ids).await? {
            recipients.entry(schedule).or_default().push(recipient);
        }
        let mut views = Vec::with_capacity(schedules.len());
        let mut zones: HashMap<Option<WorksiteId>, TimeZone> = HashMap::new();
        for schedule in schedules {
            let report = NewReport::of_schedule(&schedule)?;
            let worksite = clock_of(schedule.zone_worksite, &report);
            let time_zone = match zones.get(&worksite) {
                Some(zone) => zone.clone(),
                None => self.zone_of_clock(tx, brand, worksite).await?,
            };
            zones.entry(worksite).or_insert_with(|| time_zone.clone());
            let recipients = recipients.remove(&schedule.id).unwrap_or_default();
            views.push(ScheduleView { schedule, report, recipients, time_zone });
        }
        Ok(views)
    }
}

/// Returns whose schedules a caller sees.
fn viewer(caller: &Caller<ScheduleReports>, reach: ScheduleReach) -> Result<ScheduleViewer, Error> {
    match reach {
        ScheduleReach::Own => Ok(ScheduleViewer::Author(caller.identity.user)),
        ScheduleReach::Brand => {
            caller.with_permission::<ManageBrand>()?;
            caller.require_unrestricted("manage the schedules of others")?;
            Ok(ScheduleViewer::Brand)
        }
    }
}

fn author_of(schedule: &ReportSchedule) -> Result<UserId, Error> {
    let id = schedule.author.id.ok_or_else(|| Error::internal("a schedule has no author"))?;
    Ok(UserId(id))
}

fn schedule_not_found() -> Error {
    Error::not_found("report schedule")
}

/// Refuses what needs an author who may schedule reports.
fn author_cannot_schedule(lookup: AuthorLookup) -> Error {
    let detail = match lookup {
        AuthorLookup::Deactivated => "The author of the schedule has been deactivated.",
        AuthorLookup::PermissionMissing => "The author of the schedule may no longer schedule reports.",
    };
    Error::new(ErrorKind::Conflict, "author_cannot_schedule", detail)
}

/// Returns the fields for the audit log. Others read it, so that names and addresses are left out.
fn audit_fields(view: &ScheduleView) -> Value {
    let schedule = &view.schedule;
    let paused_reason = schedule.paused_reason.map(PauseReason::as_str);
    json!({
        "kind": schedule.kind.as_str(), "format": schedule.format.as_str(), "period": schedule.period.as_str(),
        "cadence": schedule.rule.cadence.kind().as_str(),
        "time": ScheduleRule::format_time(schedule.rule.minute_of_day),
        "recipients": view.recipients.len(), "paused_reason": paused_reason,
    })
}

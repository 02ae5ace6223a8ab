//! What callers do with reports: request, list, find, delete and make them again.

use domain::access::{ManageBrand, ReadInsights};
use domain::{
    Actor, BrandId, Listing, Report, ReportFilter, ReportId, ReportState, Sorting, StoredResponse, Timestamp,
    UserId, Window,
};
use serde_json::json;
use store::{NewReportRow, Projects, ReportCoverage, ReportViewer, Scope, Tx};

use super::request::ReportOrder;
use super::{NewReport, ReportView};
use crate::accounts::authors::Author;
use crate::accounts::names::RedactNames;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::ReportBuild;
use crate::{App, Caller, Error, ErrorKind, Idempotent, Names};

/// Maximum number of unfinished reports that a user has requested or has made again.
pub(super) const MAX_UNFINISHED: i64 = 20;
/// The same for all users of a brand together, with those of schedules. What an erasure has made again does not count.
const MAX_UNFINISHED_OF_BRAND: i64 = 200;

impl RedactNames for Report {
    fn redact_names(&mut self) {
        self.redact_users();
    }

    fn redact_users(&mut self) {
        self.author.redact_users();
    }
}

#[macros::boxed]
impl App {
    /// Requests a report. Everything that can be checked in advance is refused before there is a job.
    pub async fn request_report(
        &self,
        caller: &Caller<ReadInsights>,
        new: NewReport,
        idempotent: Idempotent<'_, Report>,
    ) -> Result<StoredResponse, Error> {
        let (author, now) = (Author::of_caller(caller), self.clock.now());
        let preferences = self.preferences_of(caller).await?;
        // A retry gets the stored response, so that nothing is looked up: what was asked for may be gone by now.
        let request = match self.has_stored_response(idempotent.key()).await? {
            true => None,
            false => Some(self.resolve_report(&author, &new, preferences, now).await?),
        };
        self.run_idempotent(idempotent, async |tx| {
            let missing = || Error::internal("a stored response expired while it was looked for");
            let request = request.as_ref().ok_or_else(missing)?;
            self.check_unfinished_reports(tx, caller.scope(), author.user).await?;
            let order = ReportOrder { author: &author, requester: author.user, request, schedule: None };
            let report = self.add_report(tx, &order, now).await?;
            let act = AuditEntry::by_caller(caller).on("report.requested", "report", report.id.0);
            let details = json!({
                "kind": report.kind.as_str(), "format": report.format.as_str(), "from": report.from, "to": report.to,
                "names_people": report.names_people,
            });
            self.record_audit(tx, act.with_details(details)).await?;
            Ok(caller.names().redact_record(report))
        })
        .await
    }

    /// Refuses another run for a user, or for their brand, if there are too many unfinished ones. The user stays locked until the end of
    /// the transaction: two concurrent requests would both find the last place free.
    pub(super) async fn check_unfinished_reports(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        user: UserId,
    ) -> Result<(), Error> {
        tx.users(&self.platform).by_id_locked(user).await?;
        let detail = if tx.reports_of(scope).count_unfinished(user).await? >= MAX_UNFINISHED {
            format!("{MAX_UNFINISHED} of your reports are unfinished; wait for them or delete some.")
        } else if tx.reports_of(scope).count_unfinished_of_brand().await? >= MAX_UNFINISHED_OF_BRAND {
            format!("{MAX_UNFINISHED_OF_BRAND} reports of your brand are unfinished; wait for some of them.")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Conflict, "too_many_reports", detail))
    }

    /// Adds the row of a report and its job, in the transaction of the caller or of the schedule.
    pub(crate) async fn add_report(
        &self,
        tx: &mut Tx,
        order: &ReportOrder<'_>,
        now: Timestamp,
    ) -> Result<Report, Error> {
        let ReportOrder { author, requester, request, schedule } = order;
        let (from, to) = request.period();
        let brand = self.scope_of(author.scope.brand());
        let new = NewReportRow {
            author: author.user,
            requester: *requester,
            kind: request.kind,
            format: request.format,
            subject: request.subject,
            schedule: *schedule,
            site_report: request.site_report,
            request: request.to_json()?,
            from: from.to_string(),
            to: to.to_string(),
            coverage: coverage_of_scope(&author.scope),
            names_people: request.names_people(author.names),
        };
        let id = tx.reports_of(&brand).add(&new, now).await?;
        self.enqueue_report(tx, brand.brand(), id).await?;
        tx.reports_of(&brand).find(id).await?.ok_or_else(report_not_found)
    }

    /// Returns a window of the reports whose projects and names the caller may see, with the total if requested.
    pub async fn list_reports(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &ReportFilter,
        sorting: Sorting,
        window: &Window,
        include_total: bool,
    ) -> Result<Listing<ReportView>, Error> {
        let (scope, viewer) = (caller.scope(), viewer_of(caller));
        let mut tx = self.store.read().await?;
        let slice = tx.visible_reports(scope, viewer).slice(filter, sorting, window).await?;
        let total = match include_total {
            true => Some(tx.visible_reports(scope, viewer).count(filter).await?),
            false => None,
        };
        drop(tx);
        let found = Listing::new(slice, total, None).map(|report| caller.names().redact_record(report));
        let Listing { rows, previous, next, total, changes } = found;
        let rows = self.view_reports(caller, rows).await?;
        Ok(Listing { rows, previous, next, total, changes })
    }

    /// Returns a report whose projects and names the caller may see.
    pub async fn find_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
    ) -> Result<ReportView, Error> {
        let report = self.find_visible_report(caller, id).await?;
        self.view_report(caller, report).await
    }

    pub(super) async fn find_visible_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
    ) -> Result<Report, Error> {
        let found =
            self.store.read().await?.visible_reports(caller.scope(), viewer_of(caller)).find(id).await?;
        found.map(|report| caller.names().redact_record(report)).ok_or_else(report_not_found)
    }

    /// Cancels a report that was never ready, or deletes its figures and files. Deleting twice is fine.
    pub async fn delete_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
    ) -> Result<ReportView, Error> {
        let (scope, viewer) = (caller.scope(), viewer_of(caller));
        let mut tx = self.store.begin().await?;
        let before = tx.visible_reports(scope, viewer).find_locked(id).await?.ok_or_else(report_not_found)?;
        check_author(caller, &before.author, "delete a report")?;
        let reason = match before.state {
            ReportState::Queued | ReportState::Running if before.finished_at.is_none() => "cancelled",
            ReportState::Queued | ReportState::Running | ReportState::Ready => "deleted",
            ReportState::Failed | ReportState::Expired => {
                drop(tx);
                return self.view_report(caller, caller.names().redact_record(before)).await;
            }
        };
        let gone = tx.reports_of(scope).end(&before, reason, self.clock.now()).await?;
        let act = AuditEntry::by_caller(caller).on("report.deleted", "report", id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "state": before.state.as_str() }))).await?;
        let after = tx.reports_of(scope).find(id).await?.ok_or_else(report_not_found)?;
        tx.commit().await?;
        self.delete_report_objects(&gone).await;
        self.view_report(caller, caller.names().redact_record(after)).await
    }

    /// Makes the file of a report again from its figures, with current names. The files that it has stay until then. One that is being
    /// made stays as it is.
    pub async fn remake_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: ReportId,
    ) -> Result<ReportView, Error> {
        let (scope, viewer) = (caller.scope(), viewer_of(caller));
        let mut tx = self.store.begin().await?;
        let before = tx.visible_reports(scope, viewer).find_locked(id).await?.ok_or_else(report_not_found)?;
        check_author(caller, &before.author, "have a report made again")?;
        if before.state.is_unfinished() {
            return Ok(caller.names().redact_record(before).into());
        }
        self.check_unfinished_reports(&mut tx, scope, caller.identity.user).await?;
        if !tx.reports_of(scope).queue_again(id, caller.identity.user, self.clock.now()).await? {
            let detail = "The report has no figures any more, or never had any. Request a new one.";
            return Err(Error::new(ErrorKind::Conflict, "no_figures", detail));
        }
        self.enqueue_report(&mut tx, scope.brand(), id).await?;
        let act = AuditEntry::by_caller(caller).on("report.remade", "report", id.0);
        self.record_audit(&mut tx, act).await?;
        let after = tx.reports_of(scope).find(id).await?.ok_or_else(report_not_found)?;
        tx.commit().await?;
        Ok(caller.names().redact_record(after).into())
    }

    /// Enqueues a new job for each report that lost its files, in the transaction of the erasure.
    pub(crate) async fn remake_after_erasure(
        &self,
        tx: &mut Tx,
        brand: BrandId,
        reports: &[ReportId],
    ) -> Result<(), Error> {
        for report in reports {
            self.enqueue_report(tx, brand, *report).await?;
        }
        Ok(())
    }

    async fn enqueue_report(&self, tx: &mut Tx, brand: BrandId, report: ReportId) -> Result<(), Error> {
        let job = self.enqueue(tx, Some(brand), &ReportBuild { brand, report }).await?;
        tx.reports_of(&self.scope_of(brand)).set_job(report, job).await?;
        Ok(())
    }
}

/// Refuses what only the author of a report, and those who manage the brand, may do.
pub(super) fn check_author(
    caller: &Caller<ReadInsights>,
    author: &Actor,
    doing: &'static str,
) -> Result<(), Error> {
    let is_author = author.id == Some(caller.identity.user.0);
    if is_author || caller.identity.has_permission::<ManageBrand>() {
        return Ok(());
    }
    let detail = format!("Only its author, or someone who manages the brand, can {doing}.");
    Err(Error::new(ErrorKind::Forbidden, "not_yours", detail))
}

/// Returns what a report covers before its figures are known: everything that its author sees.
pub(super) fn coverage_of_scope(scope: &Scope) -> ReportCoverage {
    match scope.projects() {
        Projects::All => ReportCoverage::AllProjects,
        Projects::Only(projects) => ReportCoverage::Projects(projects.clone()),
    }
}

fn viewer_of(caller: &Caller<ReadInsights>) -> ReportViewer {
    ReportViewer { sees_names: caller.names() == Names::Shown }
}

pub(super) fn report_not_found() -> Error {
    Error::not_found("report")
}

pub(super) fn report_expired() -> Error {
    let detail = "The report has expired or was deleted.";
    Error::new(ErrorKind::NotFound, "report_expired", detail)
}

pub(super) fn report_failed() -> Error {
    let detail = "There is no file: the report failed or was cancelled.";
    Error::new(ErrorKind::NotFound, "report_failed", detail)
}

pub(super) fn report_not_ready() -> Error {
    Error::new(ErrorKind::Conflict, "not_ready", "The file is not ready yet.")
}

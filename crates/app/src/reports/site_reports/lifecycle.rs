//! What callers do with written site reports: request, list, find and delete them.

use domain::access::ReadInsights;
use domain::insights::IncursionFilter;
use domain::{
    Listing, Period, PeriodBound, ReportState, Review, SiteReport, SiteReportFilter, SiteReportId, Sorting,
    StoredResponse, Timestamp, Window, WorksiteId,
};
use serde_json::json;
use store::{Scope, Tx};

use super::{NewSiteReport, SiteReportView};
use crate::accounts::names::RedactNames;
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::SiteReportBuild;
use crate::reports::lifecycle::{MAX_UNFINISHED, check_author, coverage_of_scope};
use crate::{App, Caller, Error, ErrorKind, Idempotent};

impl RedactNames for SiteReport {
    fn redact_names(&mut self) {
        self.redact_users();
    }

    fn redact_users(&mut self) {
        self.author.redact_users();
    }
}

#[macros::boxed]
impl App {
    /// Requests a written site report. It contains what its author may see when it is written.
    pub async fn request_site_report(
        &self,
        caller: &Caller<ReadInsights>,
        new: NewSiteReport,
        idempotent: Idempotent<'_, SiteReportView>,
    ) -> Result<StoredResponse, Error> {
        let (scope, now) = (caller.scope(), self.clock.now());
        let language = match new.language {
            Some(language) => language,
            None => self.language_of(caller).await?,
        };
        let (from, to) = self.fix_site_report_period(scope, &new, now).await?;
        let row = store::NewSiteReport {
            author: caller.identity.user,
            worksite: new.worksite,
            language: language.as_str(),
            from: from.to_string(),
            to: to.to_string(),
            coverage: coverage_of_scope(scope),
        };
        let brand = self.scope_of(caller.identity.brand());
        self.run_idempotent(idempotent, async |tx| {
            check_worksite(tx, scope, new.worksite).await?;
            // One request at a time: two concurrent ones would both find the last place free.
            tx.users(&self.platform).by_id_locked(row.author).await?;
            if tx.site_reports_of(&brand).count_unfinished(row.author).await? >= MAX_UNFINISHED {
                let detail = format!(
                    "{MAX_UNFINISHED} of your site reports are unfinished; wait for them or delete some."
                );
                return Err(Error::new(ErrorKind::Conflict, "too_many_reports", detail));
            }
            let id = tx.site_reports_of(&brand).add(&row, now).await?;
            let job = SiteReportBuild { brand: brand.brand(), site_report: id };
            let job = self.enqueue(tx, Some(brand.brand()), &job).await?;
            tx.site_reports_of(&brand).set_job(id, job).await?;
            let act = AuditEntry::by_caller(caller).on("site_report.requested", "site_report", id.0);
            let details = json!({
                "worksite": row.worksite.0, "language": row.language, "from": row.from, "to": row.to,
            });
            self.record_audit(tx, act.with_details(details)).await?;
            let report = tx.site_reports_of(&brand).find(id).await?.ok_or_else(site_report_not_found)?;
            let report = caller.names().redact_record(report);
            // Nothing is written yet, so that there are no names to put in.
            Ok(SiteReportView { report, facts: Vec::new(), sentences: Vec::new(), reason_text: None })
        })
        .await
    }

    /// Returns a window of the site reports whose projects the caller may see, with the total if requested.
    pub async fn list_site_reports(
        &self,
        caller: &Caller<ReadInsights>,
        filter: &SiteReportFilter,
        sorting: Sorting,
        window: &Window,
        include_total: bool,
    ) -> Result<Listing<SiteReportView>, Error> {
        let scope = caller.scope();
        let mut tx = self.store.read().await?;
        let slice = tx.visible_site_reports(scope).slice(filter, sorting, window).await?;
        let total = match include_total {
            true => Some(tx.visible_site_reports(scope).count(filter).await?),
            false => None,
        };
        drop(tx);
        let Listing { rows, previous, next, total, changes } = Listing::new(slice, total, None);
        let rows = self.view_site_reports(caller, rows).await?;
        Ok(Listing { rows, previous, next, total, changes })
    }

    /// Returns a site report whose projects the caller may see.
    pub async fn find_site_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: SiteReportId,
    ) -> Result<SiteReportView, Error> {
        let found = self.store.read().await?.visible_site_reports(caller.scope()).find(id).await?;
        self.view_site_report(caller, found.ok_or_else(site_report_not_found)?).await
    }

    /// Cancels a site report that is unfinished, or deletes its facts and sentences. Deleting twice is fine.
    pub async fn delete_site_report(
        &self,
        caller: &Caller<ReadInsights>,
        id: SiteReportId,
    ) -> Result<SiteReportView, Error> {
        let scope = caller.scope();
        let mut tx = self.store.begin().await?;
        let found = tx.visible_site_reports(scope).find_locked(id).await?;
        let before = found.ok_or_else(site_report_not_found)?;
        check_author(caller, &before.author, "delete a site report")?;
        let reason = match before.state {
            ReportState::Queued | ReportState::Running => "cancelled",
            ReportState::Ready => "deleted",
            ReportState::Failed | ReportState::Expired => {
                drop(tx);
                return self.view_site_report(caller, before).await;
            }
        };
        tx.site_reports_of(scope).end(&before, reason, self.clock.now()).await?;
        let act = AuditEntry::by_caller(caller).on("site_report.deleted", "site_report", id.0);
        self.record_audit(&mut tx, act.with_details(json!({ "state": before.state.as_str() }))).await?;
        let after = tx.site_reports_of(scope).find(id).await?.ok_or_else(site_report_not_found)?;
        tx.commit().await?;
        self.view_site_report(caller, after).await
    }

    async fn view_site_report(
        &self,
        caller: &Caller<ReadInsights>,
        report: SiteReport,
    ) -> Result<SiteReportView, Error> {
        let view = self.view_site_reports(caller, vec![report]).await?.pop();
        view.ok_or_else(|| Error::internal("a site report has no view"))
    }

    /// Returns the bounds of the requested period; one without an end ends now.
    async fn fix_site_report_period(
        &self,
        scope: &Scope,
        new: &NewSiteReport,
        now: Timestamp,
    ) -> Result<(PeriodBound, PeriodBound), Error> {
        let filter = site_filter(new.worksite, new.period);
        let bounds = self.resolve_report_period(scope, &filter, now).await?;
        bounds.map_err(|(name, invalid)| Error::invalid_field(name, invalid))
    }
}

/// Returns the filter for the incursions of a worksite that count.
pub(super) fn site_filter(worksite: WorksiteId, period: Period) -> IncursionFilter {
    IncursionFilter {
        period: Some(period),
        worksites: vec![worksite],
        reviews: Review::COUNTED.to_vec(),
        ..IncursionFilter::default()
    }
}

/// Refuses a worksite that is not visible in the scope.
pub(super) async fn check_worksite(tx: &mut Tx, scope: &Scope, worksite: WorksiteId) -> Result<(), Error> {
    match tx.worksites(scope).find_without_boundary(worksite).await? {
        Some(_) => Ok(()),
        None => {
            let text = "is not a worksite that you see";
            Err(Error::missing_relation("worksite_id", "unknown_worksite", text))
        }
    }
}

fn site_report_not_found() -> Error {
    Error::not_found("site report")
}

//! Mails that tell the author of a schedule that a run failed.

use domain::{EmailAddress, Name, Timestamp, UserState};
use serde_json::json;
use store::ScheduleViewer;
use texts::{Language, reports, values};

use super::mail::describe_period;
use super::{AUDITED_KIND, author_of};
use crate::platform::audit::AuditEntry;
use crate::platform::jobs::{Lease, LeaseStatus, RunFailureMail};
use crate::reports::names::title_for_mails;
use crate::{App, Error};

/// Contents of the mail about a run that failed.
#[derive(Clone, Debug)]
pub struct RunFailureEmail {
    pub recipient: EmailAddress,
    pub recipient_name: Name,
    pub brand_name: String,
    /// The recipient's.
    pub language: Language,
    pub schedule_name: String,
    pub report_title: String,
    /// Formatted for people; none if the run did not even have a report.
    pub period: Option<String>,
    /// A sentence.
    pub reason: &'static str,
    /// None if the schedule has been paused meanwhile.
    pub next_run_at: Option<Timestamp>,
    /// In which the mail gives times: the recipient's.
    pub time_zone: String,
}

#[macros::boxed]
impl App {
    /// Returns the contents of a mail, or `None` if there is nobody left to tell: the schedule was deleted, or its author deactivated.
    pub async fn find_run_failure_email(
        &self,
        job: &RunFailureMail,
    ) -> Result<Option<RunFailureEmail>, Error> {
        let scope = self.scope_of(job.brand);
        let mut tx = self.store.read().await?;
        let schedule = tx.report_schedules(&scope).find(job.schedule, ScheduleViewer::Brand).await?;
        let Some(schedule) = schedule else { return Ok(None) };
        let author = tx.users_of(&scope).find(author_of(&schedule)?).await?;
        let Some(author) = author.filter(|author| author.state == UserState::Active) else {
            return Ok(None);
        };
        let preferences = tx.preferences(&scope, author.id).get().await?.effective();
        let language = Language::of_tag(preferences.language.as_str());
        let report = match job.report {
            Some(report) => tx.reports_of(&scope).find(report).await?,
            None => None,
        };
        let report_title = match &report {
            Some(report) => title_for_mails(&mut tx, &scope, report, language).await?,
            None => reports::report_title(language, schedule.kind.as_str()).to_owned(),
        };
        Ok(Some(RunFailureEmail {
            recipient: EmailAddress::parse_stored(&author.email).map_err(Error::internal)?,
            recipient_name: Name::parse_stored(&author.name).map_err(Error::internal)?,
            brand_name: tx.brand_settings(&scope).await?.values.name.to_string(),
            language,
            next_run_at: schedule.next_run_at,
            schedule_name: schedule.name,
            report_title,
            period: report.map(|report| describe_period(language, &report)),
            reason: values::reason(language, &job.reason),
            time_zone: preferences.time_zone.as_str().to_owned(),
        }))
    }

    /// Records that a mail was handed over and finishes its job, in one transaction.
    pub async fn record_run_failure_email_sent(
        &self,
        lease: &Lease,
        job: &RunFailureMail,
    ) -> Result<LeaseStatus, Error> {
        let mut tx = self.store.begin().await?;
        let lease_status = self.finish_job_in(&mut tx, lease).await?;
        if lease_status == LeaseStatus::Lost {
            return Ok(lease_status);
        }
        let entry = AuditEntry::by_service(Some(job.brand), None);
        let entry = entry.on("report_schedule.failure_mailed", AUDITED_KIND, job.schedule.0);
        let details = json!({ "report": job.report, "reason": job.reason, "job": lease.job() });
        self.record_audit(&mut tx, entry.with_details(details)).await?;
        tx.commit().await?;
        Ok(lease_status)
    }
}

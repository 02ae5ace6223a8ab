//! What jobs say: one payload per kind.

use domain::{
    AccountChange, AccountLinkId, AlertDeliveryId, BaseStationId, BrandId, ExportId, MachineId, ReportId,
    ReportRecipientId, ReportScheduleId, SiteReportId, TagId, Timestamp, UserId, WebhookId,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The payload of a job: a small struct of ids, never secrets. Fields may only be added, with a default, because jobs that the previous
/// version enqueued may still be waiting.
pub trait Job: Serialize + DeserializeOwned + Send + Sync {
    /// The stable name of the kind.
    const KIND: &'static str;
}

/// Mails an account link to its user: an invitation or a password reset.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountMail {
    /// The secret of the link is derived when the mail is written.
    pub link: AccountLinkId,
}

impl Job for AccountMail {
    const KIND: &'static str = "account_mail";
}

/// Notifies a user by mail about a change of their sign-in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AccountNotice {
    pub brand: BrandId,
    pub user: UserId,
    pub change: AccountChange,
}

impl Job for AccountNotice {
    const KIND: &'static str = "account_notice";
}

/// The subject whose links changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkChange {
    /// The installations of a station.
    Station(BaseStationId),
    /// The wearers of a tag.
    Tag(TagId),
    /// The worksites of a machine.
    Machine(MachineId),
    /// The boundary, time zone or project of a worksite.
    Sites,
}

/// Reattributes the facts after a change of links.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reattribution {
    pub brand: BrandId,
    pub change: LinkChange,
    /// The time from which the change is effective.
    pub from: Timestamp,
}

impl Job for Reattribution {
    const KIND: &'static str = "reattribution";
}

/// Generates the file of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportBuild {
    pub brand: BrandId,
    pub export: ExportId,
}

impl Job for ExportBuild {
    const KIND: &'static str = "export_making";
}

/// Computes the figures of a report, or uses the stored ones, and makes its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportBuild {
    pub brand: BrandId,
    pub report: ReportId,
}

impl Job for ReportBuild {
    const KIND: &'static str = "report_build";
}

/// Mails the report of a schedule to one recipient.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportMail {
    pub brand: BrandId,
    pub report: ReportId,
    pub recipient: ReportRecipientId,
}

impl Job for ReportMail {
    const KIND: &'static str = "report_mail";
}

/// Runs a slot of a schedule that could not be run when it was due.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportSlot {
    pub brand: BrandId,
    pub schedule: ReportScheduleId,
    pub slot_at: Timestamp,
}

impl Job for ReportSlot {
    const KIND: &'static str = "report_slot";
}

/// Tells the author of a schedule by mail that a run failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFailureMail {
    pub brand: BrandId,
    pub schedule: ReportScheduleId,
    /// None if the run did not even have a report.
    pub report: Option<ReportId>,
    /// The code of the reason.
    pub reason: String,
}

impl Job for RunFailureMail {
    const KIND: &'static str = "run_failure_mail";
}

/// Computes the facts of a written site report and has it written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SiteReportBuild {
    pub brand: BrandId,
    pub site_report: SiteReportId,
}

impl Job for SiteReportBuild {
    const KIND: &'static str = "site_report_build";
}

/// Mails an alert to one recipient.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlertMail {
    pub brand: BrandId,
    pub delivery: AlertDeliveryId,
}

impl Job for AlertMail {
    const KIND: &'static str = "alert_mail";
}

/// Makes one attempt to call a webhook; if it fails, the next attempt is another job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookCallJob {
    pub brand: BrandId,
    pub delivery: AlertDeliveryId,
    /// When the event was sent again by hand; none if it is sent for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl Job for WebhookCallJob {
    const KIND: &'static str = "webhook_call";
}

/// Notifies an admin by mail that a webhook was disabled because its calls fail.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WebhookNotice {
    pub brand: BrandId,
    pub webhook: WebhookId,
    pub user: UserId,
}

impl Job for WebhookNotice {
    const KIND: &'static str = "webhook_notice";
}

//! A report as it is shown, and its files.

use app::{App, ReportDownload, ReportView};
use axum::body::Body;
use domain::{ReportState, Timestamp, encode_hex};
use http::{HeaderMap, Method};

use crate::request::range::{Disposition, RangeOutcome, Representation, evaluate_range_request};
use crate::request::references::Actor;
use crate::response::enum_schemas;
use crate::response::error::Result;

/// A report, its state and its file.
#[macros::answer]
#[schema(as = Report)]
pub struct ReportRecord {
    /// Identifier of the report.
    #[schema(example = 7)]
    pub id: i64,
    /// User who requested the report, or whose schedule did.
    pub author: Actor,
    /// Kind of the report.
    #[schema(value_type = enum_schemas::ReportKind, example = "site_safety")]
    pub kind: &'static str,
    /// Format that was requested, which `download` returns without a parameter.
    #[schema(value_type = enum_schemas::ReportFormat, example = "pdf")]
    pub format: &'static str,
    /// Formats that can be downloaded; a file in another format than `format` is made when it is first downloaded.
    #[schema(value_type = Vec<enum_schemas::ReportFormat>, example = json!(["pdf", "json"]))]
    pub formats: Vec<&'static str>,
    /// Identifier of the project that the report is about.
    #[schema(example = json!(null))]
    pub project_id: Option<i64>,
    /// Identifier of the worksite that the report is about.
    #[schema(example = 3)]
    pub worksite_id: Option<i64>,
    /// Identifier of the machine that the report is about.
    #[schema(example = json!(null))]
    pub machine_id: Option<i64>,
    /// Identifier of the person that the report is about.
    #[schema(example = json!(null))]
    pub person_id: Option<i64>,
    /// Identifier of the schedule that made the report; null if it was requested.
    #[schema(example = json!(null))]
    pub schedule_id: Option<i64>,
    /// Identifier of the written site report that it renders.
    #[schema(example = json!(null))]
    pub site_report_id: Option<i64>,
    /// Start of the period: a time in RFC 3339, or a date in the local time of each worksite.
    #[schema(example = "2026-02-01")]
    pub from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01")]
    pub to: String,
    /// State of the report.
    #[schema(value_type = enum_schemas::ReportState, example = "ready")]
    pub state: &'static str,
    /// Progress in percent.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    pub percent: i64,
    /// Code of the reason why the report failed or has no file any more: `cancelled`, `deleted`, `user_deactivated`,
    /// `permission_missing`, `too_many_rows`, `too_many_pages`, `took_too_long`, `given_up`, `figures_missing` and others; null if its
    /// retention ended.
    #[schema(example = json!(null))]
    pub reason: Option<String>,
    /// The reason as a sentence in your language, if there are texts in it, otherwise in English.
    #[schema(example = json!(null))]
    pub reason_text: Option<&'static str>,
    /// Whether the files contain names of people. Those who may not see names do not see such a report.
    #[schema(example = true)]
    pub names_people: bool,
    /// Sequence number of the brand's last change that the figures include; null until they are computed.
    #[schema(example = 1207)]
    pub seq: Option<i64>,
    /// Time zones that days and hours refer to: those of the worksites concerned; null until the figures are computed.
    #[schema(example = json!(["Europe/Berlin"]))]
    pub time_zones: Option<Vec<String>>,
    /// Version of the program that computed the figures.
    #[schema(example = "Keepclear 0.1.0")]
    pub program: Option<String>,
    /// Name of the file in the requested format: the kind, the ids of what the report is about, its first and last day, and its id.
    #[schema(example = "site_safety-worksite_3-2026-02-01-to-2026-02-28-7.pdf")]
    pub file_name: String,
    /// Media type of the file in the requested format.
    #[schema(example = "application/pdf")]
    pub content_type: &'static str,
    /// Size of that file in bytes; null while it does not exist.
    #[schema(example = 184_320)]
    pub size_bytes: Option<i64>,
    /// SHA-256 of that file, in hexadecimal; null while it does not exist.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub sha256: Option<String>,
    /// Path of the files; null while there are none. A report that is being made again has its files until there are new ones.
    #[schema(example = "/api/v1/reports/7/download")]
    pub download: Option<String>,
    /// Time at which the report was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    pub created_at: Timestamp,
    /// Time of the last change, also of the progress, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:02Z")]
    pub updated_at: Timestamp,
    /// Time at which the report became ready or failed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    pub finished_at: Option<Timestamp>,
    /// Time at which the report expires, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-03-01T08:00:02Z")]
    pub expires_at: Option<Timestamp>,
}

/// Shows a report that is found by its id below the path of a collection.
pub fn shape_report(view: ReportView, collection: &str) -> ReportRecord {
    let ReportView { report, reason_text } = view;
    let content = report.content.as_ref();
    let has_files = match report.state {
        ReportState::Ready => true,
        // It is being made again.
        ReportState::Queued | ReportState::Running => content.is_some(),
        ReportState::Failed | ReportState::Expired => false,
    };
    ReportRecord {
        id: report.id.0,
        kind: report.kind.as_str(),
        format: report.format.as_str(),
        formats: report.kind.formats().iter().map(|format| format.as_str()).collect(),
        project_id: report.subject.project.map(|id| id.0),
        worksite_id: report.subject.worksite.map(|id| id.0),
        machine_id: report.subject.machine.map(|id| id.0),
        person_id: report.subject.person.map(|id| id.0),
        schedule_id: report.schedule.map(|id| id.0),
        site_report_id: report.site_report.map(|id| id.0),
        state: report.state.as_str(),
        percent: report.percent,
        reason_text,
        names_people: report.names_people,
        seq: report.seq,
        // The text was serialised from a list of names.
        time_zones: report.time_zones.as_deref().and_then(|zones| serde_json::from_str(zones).ok()),
        file_name: report.file_name(report.format),
        content_type: report.format.content_type(),
        size_bytes: content.map(|content| content.size_bytes),
        sha256: content.map(|content| encode_hex(&content.sha256)),
        download: has_files.then(|| format!("{collection}/{}/download", report.id)),
        created_at: report.created_at,
        updated_at: report.updated_at,
        finished_at: report.finished_at,
        expires_at: report.expires_at,
        author: report.author.into(),
        from: report.from,
        to: report.to,
        reason: report.reason,
        program: report.program,
    }
}

/// Answers a download with the file, in ranges.
pub async fn report_file_response(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    file: ReportDownload,
) -> Result {
    let stored = Representation {
        size_bytes: file.content.size_bytes.unsigned_abs(),
        media_type: file.format.content_type(),
        etag: encode_hex(&file.content.sha256),
        file_name: file.file_name.clone(),
        disposition: Disposition::Attachment,
    };
    match evaluate_range_request(method, headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => Ok(answer),
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_report(&file, range).await?;
            Ok(answer.map(|_| Body::from_stream(bytes)))
        }
    }
}

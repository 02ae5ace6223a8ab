//! /api/v2/advanced_insights/exports: pivots and lists of incursions as files, written in the background.

mod create;
mod delete;
mod download;
mod get;
mod list;

use domain::{ExportState, Timestamp, encode_hex};
use web::{List, OperationRouter, enum_schemas, routes};

const PATH: &str = "/api/v2/advanced_insights/exports";

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_exports, create::request_export))
        .routes(routes!(get::get_export, delete::delete_export))
        .routes(routes!(download::download_export))
}

/// A pivot or a list of incursions as a file.
#[web::answer]
pub struct Export {
    /// Id of the export.
    #[schema(example = 7)]
    id: i64,
    /// Content of the export: a pivot, or a list of incursions.
    #[schema(value_type = enum_schemas::ExportKind, example = "pivot")]
    kind: &'static str,
    /// File format.
    #[schema(value_type = enum_schemas::ExportFormat, example = "xlsx")]
    format: String,
    /// State of the export.
    #[schema(value_type = enum_schemas::ExportState, example = "done")]
    state: &'static str,
    /// Progress in percent.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    percent: i64,
    /// Reason why the export failed or its file was deleted: `cancelled`, `deleted`, `person_erased`, `user_deactivated`,
    /// `permission_missing`, `too_many_rows`, `given_up` and others; null if the file expired.
    #[schema(example = json!(null))]
    reason: Option<String>,
    /// Name of the file.
    #[schema(example = "pivot-2026-02-01-to-2026-03-01-7.xlsx")]
    file_name: String,
    /// Media type of the file.
    #[schema(example = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")]
    content_type: &'static str,
    /// Size of the file in bytes; null until it is complete.
    #[schema(example = 8412)]
    size_bytes: Option<i64>,
    /// SHA-256 of the file, in hexadecimal; null until it is complete.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: Option<String>,
    /// Number of rows in the file, not counting the header row; null until it is complete.
    #[schema(example = 61)]
    rows: Option<i64>,
    /// Sequence number of the brand's last change that the export includes: incursions are as they were then. Null until writing begins.
    #[schema(example = 1207)]
    seq: Option<i64>,
    /// Start of the period: a time in RFC 3339, or a date in the local time of each worksite.
    #[schema(example = "2026-02-01")]
    from: String,
    /// End of the period, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// Path of the file; null until it is complete.
    #[schema(example = "/api/v2/advanced_insights/exports/7/download")]
    download: Option<String>,
    /// Time at which the export was requested, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, also of the progress, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:02Z")]
    updated_at: Timestamp,
    /// Time at which the export was completed or failed, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    finished_at: Option<Timestamp>,
    /// Time at which the file expires, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-08T08:00:02Z")]
    expires_at: Option<Timestamp>,
}

pub type ExportList = List<Export>;

fn path_of(export: &domain::Export) -> String {
    format!("{PATH}/{}", export.id)
}

fn shape(export: domain::Export) -> Export {
    let content = export.content.as_ref();
    let has_rows = matches!(export.state, ExportState::Done | ExportState::Expired);
    Export {
        id: export.id.0,
        kind: export.kind.as_str(),
        state: export.state.as_str(),
        percent: export.percent(),
        content_type: app::ExportFormat::parse(&export.format).map_or("", app::ExportFormat::content_type),
        size_bytes: content.map(|content| content.size_bytes),
        sha256: content.map(|content| encode_hex(&content.sha256)),
        download: content.map(|_| format!("{}/download", path_of(&export))),
        rows: has_rows.then_some(export.rows_done),
        seq: export.seq,
        created_at: export.created_at,
        updated_at: export.updated_at,
        finished_at: export.finished_at,
        expires_at: export.expires_at,
        format: export.format,
        reason: export.reason,
        file_name: export.file_name,
        from: export.from,
        to: export.to,
    }
}

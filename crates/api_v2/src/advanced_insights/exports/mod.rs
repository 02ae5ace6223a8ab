//! /api/v2/advanced_insights/exports: tables as files, made while one waits.

mod create;
mod delete;
mod download;
mod get;
mod list;

use domain::{ExportState, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, PageInfo, enum_schemas};

const PATH: &str = "/api/v2/advanced_insights/exports";

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_exports, create::request_export))
        .routes(routes!(get::get_export, delete::delete_export))
        .routes(routes!(download::download_export))
}

/// A table that you asked for as a file.
#[derive(Serialize, ToSchema)]
pub struct Export {
    /// Its id.
    #[schema(example = 7)]
    id: i64,
    /// What it is a table of.
    #[schema(value_type = enum_schemas::ExportKind, example = "pivot")]
    kind: &'static str,
    /// What it is written as.
    #[schema(value_type = enum_schemas::ExportFormat, example = "xlsx")]
    format: String,
    /// Where it stands.
    #[schema(value_type = enum_schemas::ExportState, example = "done")]
    state: &'static str,
    /// How much of it is written, in hundredths.
    #[schema(minimum = 0, maximum = 100, example = 100)]
    percent: i64,
    /// Why it failed or is gone: `cancelled`, `deleted`, `person_erased`, `user_deactivated`, `permission_missing`, `too_many_rows`,
    /// `given_up` and the like; null if its time was over.
    #[schema(example = json!(null))]
    reason: Option<String>,
    /// What the file is called.
    #[schema(example = "pivot-2026-02-01-to-2026-03-01-7.xlsx")]
    file_name: String,
    /// What kind of file it is.
    #[schema(example = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")]
    content_type: &'static str,
    /// How many bytes it has, once it is there.
    #[schema(example = 8412)]
    size_bytes: Option<i64>,
    /// Their SHA-256, once it is there.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    sha256: Option<String>,
    /// How many rows it has besides the headings, once it is there.
    #[schema(example = 61)]
    rows: Option<i64>,
    /// The brand's last change that it knows of: incursions are as they were then. Null until it is begun.
    #[schema(example = 1207)]
    seq: Option<i64>,
    /// Where its period begins: an instant, or a day on each site's own clock.
    #[schema(example = "2026-02-01")]
    from: String,
    /// Where it ends, exclusive.
    #[schema(example = "2026-03-01")]
    to: String,
    /// Where the file can be fetched, once it is there.
    #[schema(example = "/api/v2/advanced_insights/exports/7/download")]
    download: Option<String>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was made, or given up.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    finished_at: Option<Timestamp>,
    /// When the file goes.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-08T08:00:02Z")]
    expires_at: Option<Timestamp>,
}

/// A page of exports.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct ExportList {
    data: Vec<Export>,
    page: PageInfo,
}

fn path_of(export: &store::Export) -> String {
    format!("{PATH}/{}", export.id)
}

fn shape(export: store::Export) -> Export {
    let content = export.content.as_ref();
    let has_rows = matches!(export.state, ExportState::Done | ExportState::Expired);
    Export {
        id: export.id.0,
        kind: export.kind.as_str(),
        state: export.state.as_str(),
        percent: export.percent(),
        content_type: app::ExportFormat::parse(&export.format).map_or("", app::ExportFormat::content_type),
        size_bytes: content.map(|content| content.size_bytes),
        sha256: content.map(|content| hex(&content.sha256)),
        download: content.map(|_| format!("{}/download", path_of(&export))),
        rows: has_rows.then_some(export.rows_done),
        seq: export.seq,
        created_at: export.created_at,
        finished_at: export.finished_at,
        expires_at: export.expires_at,
        format: export.format,
        reason: export.reason,
        file_name: export.file_name,
        from: export.from,
        to: export.to,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

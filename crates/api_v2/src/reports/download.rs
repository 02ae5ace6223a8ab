//! GET and HEAD /api/v2/reports/{id}/download

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{ReportFormat, ReportId};
use http::{HeaderMap, Method};
use web::{Caller, FromParams, Params, PathId, Query, Result, enum_schemas, json_api_errors};

pub struct DownloadParams {
    format: Option<ReportFormat>,
}

impl FromParams for DownloadParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { format: query.one("format", ReportFormat::parse)? })
    }
}

/// Download a file of a report
///
/// Returns the file in the requested format of the report, or in another one with `format`; that file is made when it is first
/// downloaded, which can take some seconds. A `Range` header with one range returns 206 with that part, so that an interrupted download
/// can be resumed. `HEAD` returns the headers only.
///
/// Answers 409 `not_ready` until the report is ready, 404 `report_expired` or `report_failed` if there is no file any more or there never
/// was one, 422 `unknown_format`, `too_many_rows` or `too_many_pages` if there can be no file in this format, and 503 `too_busy` or
/// `took_too_long` if it cannot be made now.
#[web::operation(
    get, path = "/api/v2/reports/{id}/download", tag = "reports", operation_id = "download_report",
    params(
        ("id" = String, Path, description = "Id of the report."),
        ("format" = Option<enum_schemas::ReportFormat>, Query,
            description = "Format of the file, one of `formats` of the report; the default is its `format`."),
        ("Range" = Option<String>, Header, description = "Range of bytes to return, such as bytes=0-1023."),
        ("If-Range" = Option<String>, Header, description = "ETag of the parts you have; the whole file is returned if it differs."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the file you have; 304 if it is still current."),
    ),
    responses(
        (status = 200, description = "The file.",
            content(
                (inline(web::BinaryContent) = "application/pdf"),
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (serde_json::Value = "application/json"),
            ),
            headers(
                ("ETag" = String, description = "SHA-256 of the file."),
                ("Content-Disposition" = String, description = "File name for saving."),
                ("Accept-Ranges" = String, description = "Always `bytes`."),
            )),
        (status = 206, description = "The requested part of the file.",
            content(
                (inline(web::BinaryContent) = "application/pdf"),
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (inline(web::BinaryContent) = "application/json"),
            ),
            headers(("Content-Range" = String, description = "Range of this part and total size in bytes."))),
        (status = 304, description = "The file you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::RangeNotSatisfiable, json_api_errors::ResultTooLarge,
    ),
)]
pub async fn download_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(DownloadParams { format }): Params<DownloadParams>,
    method: Method,
    headers: HeaderMap,
) -> Result {
    let file = app.open_report(&caller, ReportId(id), format).await?;
    web::report_file_response(&app, &method, &headers, file).await
}

//! GET and HEAD /api/v2/advanced_insights/exports/{id}/download

use std::sync::Arc;

use app::App;
use axum::body::Body;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{ExportId, encode_hex};
use http::{HeaderMap, Method};
use web::{
    Caller, Disposition, NoParams, PathId, RangeOutcome, Representation, Result, evaluate_range_request,
    json_api_errors,
};

/// Download the file of an export
///
/// A `Range` header with one range returns 206 with that part, so that an interrupted download can be resumed. Answers 409 `not_ready`
/// until the file is complete, 404 `export_expired` or `export_failed` if the file was deleted or could not be written, and 403
/// `restricted` if the export was made when you could see more than now.
#[web::operation(
    get, path = "/api/v2/advanced_insights/exports/{id}/download", tag = "advanced insights",
    operation_id = "download_export",
    params(
        ("id" = i64, Path, description = "Id of the export."),
        ("Range" = Option<String>, Header, description = "Range of bytes to return, such as bytes=0-1023."),
        ("If-Range" = Option<String>, Header, description = "ETag of the parts you have; the whole file is returned if it differs."),
        ("If-None-Match" = Option<String>, Header, description = "ETag of the file you have; 304 if it is still current."),
    ),
    responses(
        (status = 200, description = "The file.",
            content(
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (String = "application/x-ndjson"),
                (inline(web::BinaryContent) = "application/vnd.apache.parquet"),
            ),
            headers(
                ("ETag" = String, description = "SHA-256 of the file."),
                ("Content-Disposition" = String, description = "File name for saving."),
                ("Accept-Ranges" = String, description = "Always `bytes`."),
            )),
        (status = 206, description = "The requested part of the file.",
            content(
                (inline(web::BinaryContent) = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (String = "application/x-ndjson"),
                (inline(web::BinaryContent) = "application/vnd.apache.parquet"),
            ),
            headers(("Content-Range" = String, description = "Range of this part and total size in bytes."))),
        (status = 304, description = "The file you have is still current."),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::RangeNotSatisfiable,
    ),
)]
pub async fn download_export(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
    method: Method,
    headers: HeaderMap,
) -> Result {
    let export = app.open_export(&caller, ExportId(id)).await?;
    let stored = Representation {
        size_bytes: export.content.size_bytes.unsigned_abs(),
        media_type: export.format.content_type(),
        etag: encode_hex(&export.content.sha256),
        file_name: export.file_name.clone(),
        disposition: Disposition::Attachment,
    };
    match evaluate_range_request(&method, &headers, &stored)? {
        RangeOutcome::WithoutBody(answer) => Ok(answer),
        RangeOutcome::WithBody(range, answer) => {
            let bytes = app.read_export(&export, range).await?;
            Ok(answer.map(|_| Body::from_stream(bytes)))
        }
    }
}

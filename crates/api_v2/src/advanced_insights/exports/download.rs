//! GET and HEAD /api/v2/advanced_insights/exports/{id}/download

use std::sync::Arc;

use app::App;
use axum::body::Body;
use axum::extract::State;
use domain::ExportId;
use domain::access::ReadInsights;
use http::{HeaderMap, Method};
use web::{
    Caller, Disposition, NoParams, PathId, RangeOutcome, Representation, Result, evaluate_range_request,
    json_api_errors,
};

use super::hex;

/// The file of one of your exports.
///
/// One `Range` gives 206 with that part, so that a download that was cut short can go on. 409 `not_ready` until the file is there;
/// 404 `export_expired` or `export_failed` when it is gone or never came; 403 `restricted` if it was made when you saw more than
/// you do now.
#[utoipa::path(
    get, path = "/api/v2/advanced_insights/exports/{id}/download", tag = "advanced insights",
    operation_id = "download_export", security(("jwt" = [])),
    params(
        ("id" = i64, Path, description = "The export's id"),
        ("Range" = Option<String>, Header, description = "The part you want, such as bytes=0-1023"),
        ("If-Range" = Option<String>, Header, description = "The ETag of which you have the other parts; the whole if it is another one"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
    ),
    responses(
        (status = 200, description = "The file",
            content(
                (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
                (String = "text/csv; charset=utf-8; header=present"),
                (String = "application/x-ndjson"),
                (String = "application/vnd.apache.parquet"),
            ),
            headers(
                ("ETag" = String, description = "Its SHA-256"),
                ("Content-Disposition" = String, description = "What to call it"),
                ("Accept-Ranges" = String, description = "bytes"),
            )),
        (status = 206, description = "A part of the file",
            headers(("Content-Range" = String, description = "Which part, of how many bytes"))),
        (status = 304, description = "You have it already"),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
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
        etag: hex(&export.content.sha256),
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

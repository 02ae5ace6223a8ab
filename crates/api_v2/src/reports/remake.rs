//! POST /api/v2/reports/{id}/remake

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ReportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, json_api_errors};

use super::Report;
use super::documents::object;
use crate::json_api::{self, DocumentOf, Negotiated};

type ReportDocument = DocumentOf<Report>;

/// Make the files of a report again
///
/// The files are made from the stored figures, with the names as they are now: the numbers stay the same, even if the facts have
/// changed since. The files that exist can be downloaded until the new one is there. A report that is not finished is left as it is.
///
/// Answers 403 `not_yours` unless you are the author or manage the brand, 409 `no_figures` if the report failed, expired or was deleted,
/// and 409 `too_many_reports` if 20 reports that you asked for are not finished, or too many of the brand.
#[web::operation(
    post, path = "/api/v2/reports/{id}/remake", tag = "reports", operation_id = "remake_report",
    params(("id" = String, Path, description = "Id of the report.")),
    responses(
        (status = 200, description = "The report, which is queued again.", body = ReportDocument,
            content_type = "application/vnd.api+json", headers(("ETag" = String, description = "Version of the report."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn remake_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.remake_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(json_api::updated_response(&object(view)), version, None))
}

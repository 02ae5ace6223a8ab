//! DELETE /api/v2/reports/{id}

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

/// Cancel or delete a report
///
/// A report that was never ready is cancelled (`failed`); the figures and files of any other are deleted (`expired`). Repeating
/// the call has no further effect. What was mailed cannot be recalled. Answers 403 `not_yours` unless you are the author or manage the
/// brand.
#[web::operation(
    delete, path = "/api/v2/reports/{id}", tag = "reports", operation_id = "delete_report",
    params(("id" = String, Path, description = "Id of the report.")),
    responses(
        (status = 200, description = "The cancelled or deleted report.", body = ReportDocument,
            content_type = "application/vnd.api+json", headers(("ETag" = String, description = "Version of the report."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn delete_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.delete_report(&caller, ReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(json_api::updated_response(&object(view)), version, None))
}

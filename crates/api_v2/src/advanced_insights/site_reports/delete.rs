//! DELETE /api/v2/advanced_insights/site_reports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SiteReportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, json_api_errors};

use super::SiteReport;
use super::documents::object;
use crate::json_api::{self, DocumentOf, Negotiated};

type SiteReportDocument = DocumentOf<SiteReport>;

/// Cancel or delete a site report
///
/// A site report that is not finished is cancelled (`failed`); the facts and sentences of one that is ready are deleted (`expired`).
/// Repeating the call has no further effect. Reports that render it keep their figures. Answers 403 `not_yours` unless you are the author
/// or manage the brand.
#[web::operation(
    delete, path = "/api/v2/advanced_insights/site_reports/{id}", tag = "site reports", operation_id = "delete_site_report",
    params(("id" = String, Path, description = "Id of the site report.")),
    responses(
        (status = 200, description = "The cancelled or deleted site report.", body = SiteReportDocument,
            content_type = "application/vnd.api+json", headers(("ETag" = String, description = "Version of the site report."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn delete_site_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let view = app.delete_site_report(&caller, SiteReportId(id)).await?;
    let version = view.report.version;
    Ok(web::with_etag(json_api::updated_response(&object(view)), version, None))
}

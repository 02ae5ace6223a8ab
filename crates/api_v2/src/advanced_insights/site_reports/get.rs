//! GET /api/v2/advanced_insights/site_reports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SiteReportId;
use domain::access::ReadInsights;
use web::{Caller, PathId, Result, json_api_errors};

use super::SiteReport;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type SiteReportReading = ResourceParams<SiteReport>;
type SiteReportDocument = DocumentOf<SiteReport>;

/// Get a site report
///
/// Returns its state and progress and, once it is ready, its sentences and the facts that they rest on.
#[web::operation(
    get, path = "/api/v2/advanced_insights/site_reports/{id}", tag = "site reports", operation_id = "get_site_report",
    params(("id" = String, Path, description = "Id of the site report."), SiteReportReading),
    responses(
        (status = 200, description = "The site report.", body = SiteReportDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the site report."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_site_report(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<SiteReportReading>,
) -> Result {
    let view = app.find_site_report(&caller, SiteReportId(id)).await?;
    let version = view.report.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![view], &query.params.include, &mut included).await?.pop();
    // 304 is never sent: the names in it change without a new version.
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, None))
}

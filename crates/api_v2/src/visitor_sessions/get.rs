//! GET /api/v2/visitor_sessions/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use domain::access::ReadRegistry;
use web::{Caller, PathId, Result, json_api_errors};

use super::VisitorSession;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type VisitorSessionReading = ResourceParams<VisitorSession>;
type VisitorSessionDocument = DocumentOf<VisitorSession>;

/// Get a visit
///
/// Returns the visit. The duration of an open visit grows until the check-out.
#[web::operation(
    get, path = "/api/v2/visitor_sessions/{id}", tag = "visitor sessions", operation_id = "get_visitor_session",
    params(("id" = String, Path, description = "Id of the visit."), VisitorSessionReading),
    responses(
        (status = 200, description = "The visit.", body = VisitorSessionDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the visit."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_visitor_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<VisitorSessionReading>,
) -> Result {
    let visit = app.find_visitor_session(&caller.reader(), VisitId(id)).await?;
    let version = visit.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![visit], &query.params.include, &mut included).await?.pop();
    // 304 is never sent: the duration of an open visit changes with time.
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, None))
}

//! GET /api/v2/visitor_sessions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::VisitorSession;
use super::documents::objects;
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type VisitorSessionListing = CollectionParams<VisitorSession>;
type VisitorSessionList = ListOf<VisitorSession>;

/// List visits
///
/// Returns the visits that you can see, the newest first; in a period by `checked_in_at`.
#[web::operation(
    get, path = "/api/v2/visitor_sessions", tag = "visitor sessions", operation_id = "list_visitor_sessions",
    params(VisitorSessionListing),
    responses(
        (status = 200, description = "A page of visits.", body = VisitorSessionList, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_visitor_sessions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<VisitorSessionListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let found = app.list_visitor_sessions(&caller.reader(), filter, &query.params.request()).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}

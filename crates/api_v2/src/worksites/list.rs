//! GET /api/v2/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Listing;
use domain::access::ReadRegistry;
use web::{Caller, Result, json_api_errors};

use super::{Worksite, objects};
use crate::json_api::{
    self, CollectionParams, DocumentQuery, Included, ListOf, Negotiated, with_cursor_parameter,
};

type WorksiteListing = CollectionParams<Worksite>;
type WorksiteList = ListOf<Worksite>;

/// List worksites
///
/// Returns the worksites that you can see, without their boundaries.
#[web::operation(
    get, path = "/api/v2/worksites", tag = "worksites", operation_id = "list_worksites",
    params(WorksiteListing),
    responses(
        (status = 200, description = "A page of worksites.", body = WorksiteList,
            content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn list_worksites(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    query: DocumentQuery<WorksiteListing>,
) -> Result {
    let CollectionParams { filter, window, include, .. } = &query.params;
    let request = query.params.request();
    let found = app.list_worksites(&caller, filter.sites.clone(), filter.contains, &request).await;
    let Listing { rows, previous, next, total, changes } =
        found.map_err(|error| with_cursor_parameter(error, &window.position))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(json_api::listing_response(&query, &Listing { rows, previous, next, total, changes }, included))
}

//! GET /api/v2/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use store::Slice;
use web::{Caller, Result, json_api};

use super::{Worksite, objects};
use crate::document::{self, Included, ListOf, Listing, Negotiated, Wanted, about_cursor};

type WorksiteListing = Listing<Worksite>;
type WorksiteList = ListOf<Worksite>;

/// Lists the worksites you see, without their boundaries.
#[utoipa::path(
    get, path = "/api/v2/worksites", tag = "worksites", operation_id = "list_worksites", security(("jwt" = [])),
    params(WorksiteListing),
    responses(
        (status = 200, description = "A page of worksites", body = WorksiteList,
            content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotNegotiable,
    ),
)]
pub async fn list_worksites(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    wanted: Wanted<WorksiteListing>,
) -> Result {
    let Listing { filter, sorting, window, include, .. } = &wanted.params;
    let slice = app.slice_worksites(&caller, filter.sites.clone(), filter.contains, *sorting, window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let mut included = Included::default();
    let rows = objects(&app, &caller, rows, include, &mut included).await?;
    Ok(document::page(&wanted, &Slice { rows, previous, next }, included))
}

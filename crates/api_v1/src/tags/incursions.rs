//! GET /api/v1/tags/{id}/incursions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::TagId;
use domain::access::ReadInsights;
use web::{Caller, ListParams, Params, PathId, Result, problem};

use crate::incursions::{RelatedIncursionList, shape};

/// List incursions of a tag
///
/// Lists the incursions in which the tag was worn by a pedestrian, the newest first, whatever their review.
#[web::operation(
    get, path = "/api/v1/tags/{id}/incursions", tag = "tags", operation_id = "list_incursions_of_tag",
    params(("id" = i64, Path, description = "Identifier of the tag"), ListParams),
    responses(
        (status = 200, description = "A page of incursions", body = RelatedIncursionList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_incursions_of_tag(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let (id, page) = (TagId(id), list.page());
    let found = app.list_incursions_of_tag(&caller, id, &page, list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

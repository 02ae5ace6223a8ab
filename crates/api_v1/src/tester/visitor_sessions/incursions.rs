//! GET /api/v1/tester/visitor_sessions/{id}/incursions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::VisitId;
use web::{ListParams, Params, PathId, Result, Tester, problem};

use crate::incursions::{RelatedIncursionList, shape};

/// List incursions of a visit
///
/// Lists the incursions of the visitor's tag between check-in and check-out, the newest first.
#[web::operation(
    get, path = "/api/v1/tester/visitor_sessions/{id}/incursions", tag = "tester",
    operation_id = "list_tester_incursions_of_visit",
    params(("id" = i64, Path, description = "Identifier of the visit"), ListParams),
    responses(
        (status = 200, description = "A page of incursions", body = RelatedIncursionList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_incursions_of_visit(
    State(app): State<Arc<App>>,
    Tester(tester): Tester,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let (id, page) = (VisitId(id), list.page());
    let found = app.list_incursions_of_visit(&tester, id, &page, list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

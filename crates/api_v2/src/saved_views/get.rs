//! GET /api/v2/saved_views/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::SavedViewId;
use domain::access::ReadInsights;
use web::{Caller, Known, PathId, Result, json_api};

use super::{SavedView, object};
use crate::document::{self, DocumentOf, Included, Negotiated, Reading, Wanted};

type SavedViewReading = Reading<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

/// One view: of your own, or shared by someone of your brand.
#[utoipa::path(
    get, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "get_saved_view",
    security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "The view's id"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same"),
        SavedViewReading,
    ),
    responses(
        (status = 200, description = "The view", body = SavedViewDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Its version"))),
        (status = 304, description = "You have it already"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    known: Known,
    wanted: Wanted<SavedViewReading>,
) -> Result {
    let view = app.find_saved_view(&caller, SavedViewId(id)).await?;
    let version = view.version;
    let known = wanted.params.include.known(known);
    let answer = document::one(&wanted, object(view), Included::default());
    Ok(web::versioned(answer, version, known.as_ref()))
}

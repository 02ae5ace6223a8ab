//! GET /api/v2/user_preferences/default_view

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::BeSignedIn;
use web::{Caller, Result, json_api};

use crate::document::{self, Included, Negotiated, Reading, RelatedOf, Wanted};
use crate::saved_views::{self, SavedView};

type SavedViewReading = Reading<SavedView>;
type RelatedSavedViewDocument = RelatedOf<SavedView>;

/// The view that you begin with; `data` is null if you have none, or do not see it any more.
#[utoipa::path(
    get, path = "/api/v2/user_preferences/default_view", tag = "user preferences", operation_id = "get_default_view",
    security(("jwt" = [])), params(SavedViewReading),
    responses(
        (status = 200, description = "The view", body = RelatedSavedViewDocument, content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotNegotiable,
    ),
)]
pub async fn get_default_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    _: Negotiated,
    wanted: Wanted<SavedViewReading>,
) -> Result {
    let view = app.find_default_view(&caller).await?.map(saved_views::object);
    Ok(document::related(&wanted, view, Included::default()))
}

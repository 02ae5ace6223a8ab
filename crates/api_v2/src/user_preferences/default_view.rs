//! GET /api/v2/user_preferences/default_view

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use web::{Caller, Result, json_api_errors};

use crate::json_api::{self, DocumentQuery, Included, Negotiated, RelatedOf, ResourceParams};
use crate::saved_views::{self, SavedView};

type SavedViewReading = ResourceParams<SavedView>;
type RelatedSavedViewDocument = RelatedOf<SavedView>;

/// Get your default view
///
/// `data` is null if you have no default view or can no longer see it.
#[web::operation(
    get, path = "/api/v2/user_preferences/default_view", tag = "user preferences", operation_id = "get_default_view", params(SavedViewReading),
    responses(
        (status = 200, description = "The default view, or null.", body = RelatedSavedViewDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_default_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    _: Negotiated,
    query: DocumentQuery<SavedViewReading>,
) -> Result {
    let view = app.find_default_view(&caller).await?.map(saved_views::object);
    Ok(json_api::related_response(&query, view, Included::default()))
}

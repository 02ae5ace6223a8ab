//! GET /api/v2/user_preferences/relationships/default_view

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use web::{Caller, NoParams, Result, json_api_errors};

use crate::json_api::{self, DocumentQuery, LinkTo, Negotiated};
use crate::saved_views::SavedView;
use crate::user_preferences::default_view;

type SavedViewLink = LinkTo<SavedView>;

/// Get the identifier of your default view
///
/// Returns the saved view that is run when none is named, or null if you have chosen none.
#[web::operation(
    get, path = "/api/v2/user_preferences/relationships/default_view", tag = "user preferences",
    operation_id = "get_default_view_link",
    responses(
        (status = 200, description = "Identifier of the default view, or null.", body = SavedViewLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of your preferences."))),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_default_view_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    _: Negotiated,
    query: DocumentQuery<NoParams>,
) -> Result {
    let preferences = app.find_preferences(&caller).await?;
    let view = default_view(&preferences);
    Ok(web::with_etag(json_api::linkage_response(&query, view), preferences.version, None))
}

//! GET /api/v2/user_preferences/relationships/default_view

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::BeSignedIn;
use web::{Caller, NoParams, Result, json_api};

use crate::document::{self, LinkTo, Negotiated, Wanted};
use crate::saved_views::SavedView;
use crate::user_preferences::default_view;

type SavedViewLink = LinkTo<SavedView>;

/// Which view you begin with.
#[utoipa::path(
    get, path = "/api/v2/user_preferences/relationships/default_view", tag = "user preferences",
    operation_id = "get_default_view_link", security(("jwt" = [])),
    responses(
        (status = 200, description = "Its identifier, or null", body = SavedViewLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "The version of your preferences"))),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotNegotiable,
    ),
)]
pub async fn get_default_view_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    _: Negotiated,
    wanted: Wanted<NoParams>,
) -> Result {
    let preferences = app.find_preferences(&caller).await?;
    let view = default_view(&preferences);
    Ok(web::versioned(document::linkage(&wanted, view), preferences.version, None))
}

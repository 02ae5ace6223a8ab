//! PATCH /api/v2/user_preferences/relationships/default_view

use std::sync::Arc;

use app::{App, PreferencesChange};
use axum::extract::State;
use domain::access::BeSignedIn;
use domain::{Change, SavedViewId};
use web::{Caller, Condition, NoParams, Result, Unread, json_api};

use crate::document::{self, Negotiated, Payload, SentLinkTo, about_linkage};
use crate::saved_views::{self, SavedView};

type SentSavedViewLink = SentLinkTo<SavedView>;

/// Says which view you begin with; null for none.
#[utoipa::path(
    patch, path = "/api/v2/user_preferences/relationships/default_view", tag = "user preferences",
    operation_id = "replace_default_view_link", security(("jwt" = [])),
    params(("If-Match" = Option<String>, Header, description = "The ETag of your preferences; 412 if they were changed since")),
    request_body(content = SentSavedViewLink, content_type = "application/vnd.api+json"),
    responses(
        (status = 204, description = "It is so", headers(("ETag" = String, description = "The version of your preferences"))),
        json_api::BadBody, json_api::Unauthenticated, json_api::NotFound, json_api::Conflict, json_api::Stale,
        json_api::NotNegotiable,
    ),
)]
pub async fn replace_default_view_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    _: Negotiated,
    Condition(if_match): Condition,
    _: NoParams,
    body: Unread,
) -> Result {
    let view = body.read::<Payload>().await?.into_one(saved_views::SHAPE.kind)?;
    let default_view = Change::Set(view.map(SavedViewId));
    let change = PreferencesChange { default_view, ..PreferencesChange::default() };
    let changed = app.change_preferences(&caller, &if_match, change).await;
    let version = changed.map_err(about_linkage)?.version;
    Ok(web::versioned(document::done(), version, None))
}

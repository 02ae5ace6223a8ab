//! PATCH /api/v2/user_preferences/relationships/default_view

use std::sync::Arc;

use app::{App, PreferencesChange};
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use domain::{Change, SavedViewId};
use web::{Caller, DeferredBody, IfMatchHeader, NoParams, Result, json_api_errors};

use crate::json_api::{
    self, DocumentQuery, LinkTo, LinkToRequest, Negotiated, Payload, with_linkage_pointers,
};
use crate::saved_views::{self, SavedView};
use crate::user_preferences::default_view;

type SavedViewLink = LinkTo<SavedView>;
type SavedViewLinkRequest = LinkToRequest<SavedView>;

/// Set or clear your default view
///
/// `data` is the identifier of a saved view, or null for no default view.
#[web::operation(
    patch, path = "/api/v2/user_preferences/relationships/default_view", tag = "user preferences",
    operation_id = "replace_default_view_link",
    params(("If-Match" = Option<String>, Header, description = "ETag of your preferences; 412 if they have changed since.")),
    request_body(content = SavedViewLinkRequest, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The default view was set; its identifier, or null.", body = SavedViewLink,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of your preferences."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict, json_api_errors::PreconditionFailed,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn replace_default_view_link(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    _: Negotiated,
    IfMatchHeader(if_match): IfMatchHeader,
    query: DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    let view = body.read::<Payload>().await?.into_one(saved_views::DEFINITION.kind)?;
    let view = Change::Set(view.map(SavedViewId));
    let change = PreferencesChange { default_view: view, ..PreferencesChange::default() };
    let changed = app.change_preferences(&caller, &if_match, change).await;
    let preferences = changed.map_err(with_linkage_pointers)?;
    let view = default_view(&preferences);
    Ok(web::with_etag(json_api::linkage_response(&query, view), preferences.version, None))
}

//! GET /api/v2/user_preferences

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnPreferences;
use web::{Caller, Result, json_api_errors};

use super::{Preferences, object};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};
use crate::saved_views;

type PreferencesReading = ResourceParams<Preferences>;
type PreferencesDocument = DocumentOf<Preferences>;

/// Get your display preferences
///
/// Returns the values in effect; `meta.own` lists the attributes that you set yourself. The others follow the brand. Because a change
/// of the brand does not change the `ETag`, conditional requests (304) are not supported.
#[web::operation(
    get, path = "/api/v2/user_preferences", tag = "user preferences", operation_id = "get_user_preferences", params(PreferencesReading),
    responses(
        (status = 200, description = "Your preferences.", body = PreferencesDocument,
            content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of your own preferences."))),
        json_api_errors::BadParams, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_user_preferences(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnPreferences>,
    _: Negotiated,
    query: DocumentQuery<PreferencesReading>,
) -> Result {
    let preferences = app.find_preferences(&caller).await?;
    let object = object(caller.identity.user, &preferences);
    let mut included = Included::default();
    if query.params.include.includes("default_view")
        && let Some(view) = app.find_default_view(&caller).await?
    {
        included.add(saved_views::object(view));
    }
    let document = json_api::resource_response(&query, object, included);
    Ok(web::with_etag(document, preferences.version, None))
}

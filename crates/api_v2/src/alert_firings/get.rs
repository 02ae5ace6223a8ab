//! GET /api/v2/alert_firings/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::AlertFiringId;
use domain::access::ReadInsights;
use web::{Caller, PathId, Result, json_api_errors};

use super::AlertFiring;
use super::documents::objects;
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, Negotiated, ResourceParams};

type AlertFiringReading = ResourceParams<AlertFiring>;
type AlertFiringDocument = DocumentOf<AlertFiring>;

/// Get a firing of an alert
///
/// Returns one alarm with its value, its window and what it is about. It is found even after its alert was deleted, as long as it is
/// stored.
#[web::operation(
    get, path = "/api/v2/alert_firings/{id}", tag = "alert firings", operation_id = "get_alert_firing",
    params(("id" = String, Path, description = "Id of the firing."), AlertFiringReading),
    responses(
        (status = 200, description = "The firing.", body = AlertFiringDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the firing."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_alert_firing(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    query: DocumentQuery<AlertFiringReading>,
) -> Result {
    let view = app.find_alert_firing(&caller, None, AlertFiringId(id)).await?;
    let version = view.firing.version;
    let mut included = Included::default();
    let object = objects(&app, &caller, vec![view], &query.params.include, &mut included).await?.pop();
    // 304 is never sent: the name of the alert changes without a new version of its firings.
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, None))
}

//! PATCH /api/v2/saved_views/{id}

use std::sync::Arc;

use app::{App, ViewChange};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Change, Invalid, Name, SavedViewId, SavedViewKind};
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, IfMatchHeader, NoParams, PathId, Result, boolean, json_api_errors, text,
};

use super::{DEFINITION, SavedView, definition, object};
use crate::json_api::{self, ChangeOf, DocumentOf, Negotiated, Payload, Target, with_pointers};

/// Attributes of a saved view to change. Attributes that are left out stay as they are.
#[derive(ToSchema)]
#[schema(as = ChangedSavedViewAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedSavedView {
    /// Name of the view. It is unique among your views, regardless of case and accents.
    #[schema(example = "Danger by machine", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Complete new query of the view, of the same kind as before.
    #[schema(schema_with = definition::schema)]
    definition: Option<Value>,
    /// Whether everyone in the brand can see the view. Sharing requires the permission `share_views`.
    #[schema(nullable = false, example = false)]
    shared: Option<bool>,
}

type ChangedSavedViewDocument = ChangeOf<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

fn read(fields: &mut Fields, kind: SavedViewKind) -> Option<ViewChange> {
    let name = fields.change("name", text(Name::parse));
    let shared = fields.change("shared", boolean);
    let definition = match fields.take(definition::FIELD) {
        None => Some(Change::Keep),
        Some(Value::Null) => fields.add_fault(definition::FIELD, Invalid::new("required", "must be given")),
        Some(value) => definition::read(fields, kind, value).map(Change::Set),
    };
    Some(ViewChange { name: name?, definition: definition?, shared: shared? })
}

/// Change one of your saved views
///
/// The kind of the view, pivot or filter, cannot be changed. Answers 403 for a view that someone else shared.
#[utoipa::path(
    patch, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "change_saved_view",
    security(("jwt" = [])),
    params(
        ("id" = String, Path, description = "Id of the saved view."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the view has changed since."),
    ),
    request_body(content = ChangedSavedViewDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("read_insights"))),
    responses(
        (status = 200, description = "The view was changed.", body = SavedViewDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the view."))),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let kind = app.check_saved_view_owner(&caller, SavedViewId(id)).await?;
    let payload = body.read::<Payload>().await?;
    let change = payload.resource(&DEFINITION, Target::Existing(id), |fields| read(fields, kind))?;
    let view = app.change_saved_view(&caller, SavedViewId(id), &if_match, change).await;
    let view = view.map_err(|error| with_pointers(&DEFINITION, error))?;
    let version = view.version;
    Ok(web::with_etag(json_api::updated_response(&object(view)), version, None))
}

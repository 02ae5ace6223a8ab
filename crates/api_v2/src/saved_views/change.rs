//! PATCH /api/v2/saved_views/{id}

use std::sync::Arc;

use app::{App, ViewChange};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Change, Name, SavedViewId, SavedViewKind};
use serde_json::Value;
use web::{
    Caller, DeferredBody, Fields, FixedMembers, IfMatchHeader, NoParams, PathId, Result, json_api_errors,
    read_view_definition,
};

use super::{DEFINITION, SavedView, definition, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Negotiated, Payload, StoredResource, Target, with_pointers,
};

/// Attributes of a saved view to change. Attributes that are left out stay as they are.
#[web::body(parts)]
#[schema(as = ChangedSavedViewAttributes)]
pub struct ChangedSavedView {
    /// Name of the view. It is unique among your views, regardless of case and accents.
    #[schema(example = "Danger by machine", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Whether everyone in the brand can see the view. Sharing requires the permission `share_views`.
    #[schema(example = false)]
    shared: Change<bool>,
    /// Complete new query of the view, of the same kind as before.
    #[schema(schema_with = definition::schema)]
    #[field(with = |value| Ok(value.clone()))]
    definition: Change<Value>,
}

type ChangedSavedViewDocument = ChangeOf<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

fn read(fields: &mut Fields, kind: SavedViewKind) -> Option<ViewChange> {
    let parts = ChangedSavedView::read_parts(fields);
    let definition = match parts.definition? {
        Change::Keep => Change::Keep,
        Change::Set(value) => Change::Set(read_view_definition(fields, kind, value)?),
    };
    Some(ViewChange { name: parts.name?, definition, shared: parts.shared? })
}

/// Change one of your saved views
///
/// The kind of the view, pivot or filter, cannot be changed. Answers 403 for a view that someone else shared.
#[web::operation(
    patch, path = "/api/v2/saved_views/{id}", tag = "saved views", operation_id = "change_saved_view",
    params(
        ("id" = String, Path, description = "Id of the saved view."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the view has changed since."),
    ),
    request_body(content = ChangedSavedViewDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The view was changed.", body = SavedViewDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the view."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
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
    let view = app.check_saved_view_owner(&caller, SavedViewId(id)).await?;
    let payload = body.read::<Payload>().await?;
    let fixed = FixedMembers::created_at(view.created_at).with_text("kind", view.kind.as_str());
    let stored = StoredResource::new(id, fixed);
    let changed = with_pointers(&DEFINITION, async {
        let change =
            payload.resource(&DEFINITION, &Target::Existing(stored), |fields| read(fields, view.kind))?;
        app.change_saved_view(&caller, SavedViewId(id), &if_match, change).await
    });
    let view = changed.await?;
    let version = view.version;
    Ok(web::with_etag(json_api::updated_response(&object(view)), version, None))
}

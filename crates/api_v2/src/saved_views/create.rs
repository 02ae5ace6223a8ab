//! POST /api/v2/saved_views

use std::sync::Arc;

use app::{App, Idempotent, NewView};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Name, SavedViewKind};
use serde_json::Value;
use web::{
    Caller, Fields, IdempotentBody, NoParams, Result, enum_schemas, json_api_errors, read_view_definition,
};

use super::{DEFINITION, SavedView, definition, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new saved view.
#[web::body(parts)]
#[schema(as = NewSavedViewAttributes)]
pub struct NewSavedView {
    /// Name of the view. It is unique among your views, regardless of case and accents.
    #[schema(example = "Danger by machine", min_length = 1, max_length = 100)]
    name: Name,
    /// Kind of the view: a pivot, or a filter only. It cannot be changed later.
    #[schema(value_type = enum_schemas::SavedViewKind, example = "pivot")]
    kind: SavedViewKind,
    /// Whether everyone in the brand can see the view. Sharing requires the permission `share_views`.
    #[schema(default = false, example = false)]
    shared: Option<bool>,
    /// Query of the view.
    #[schema(schema_with = definition::schema)]
    #[field(with = |value| Ok(value.clone()))]
    definition: Value,
}

type NewSavedViewDocument = NewOf<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

fn read(fields: &mut Fields) -> Option<NewView> {
    let parts = NewSavedView::read_parts(fields);
    let definition = read_view_definition(fields, parts.kind?, parts.definition?)?;
    Some(NewView { name: parts.name?, definition, shared: parts.shared?.unwrap_or(false) })
}

/// Save a pivot or a filter as a view
///
/// You own the view, and only you can change it. Everyone in your brand can see and run a shared view; the results contain only what
/// the person who runs it is allowed to see. You can save up to 200 views.
#[web::operation(
    post, path = "/api/v2/saved_views", tag = "saved views", operation_id = "create_saved_view",
    request_body(content = NewSavedViewDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 201, description = "The view was saved.", body = SavedViewDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let once = Idempotent::new(key, |view: &domain::SavedView| {
        json_api::created_to_store(&object(view.clone())).with_version(view.version)
    });
    let made = with_pointers(&DEFINITION, async {
        let new = value.resource(&DEFINITION, &Target::New, read)?;
        app.create_saved_view(&caller, new, once).await
    });
    Ok(json_api::render_stored(made.await?))
}

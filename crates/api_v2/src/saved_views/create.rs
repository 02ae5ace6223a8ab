//! POST /api/v2/saved_views

use std::sync::Arc;

use app::{App, Idempotent, NewView};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Invalid, Name, SavedViewKind};
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, Fields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, boolean, enum_schemas,
    json_api_errors, text,
};

use super::{DEFINITION, SavedView, definition, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// Attributes of a new saved view.
#[derive(ToSchema)]
#[schema(as = NewSavedViewAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewSavedView {
    /// Name of the view. It is unique among your views, regardless of case and accents.
    #[schema(example = "Danger by machine", min_length = 1, max_length = 100)]
    name: String,
    /// Kind of the view: a pivot, or a filter only. It cannot be changed later.
    #[schema(value_type = enum_schemas::SavedViewKind, example = "pivot")]
    kind: String,
    /// Query of the view.
    #[schema(schema_with = definition::schema)]
    definition: Value,
    /// Whether everyone in the brand can see the view. Sharing requires the permission `share_views`.
    #[schema(default = false, example = false)]
    shared: Option<bool>,
}

type NewSavedViewDocument = NewOf<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

fn read(fields: &mut Fields) -> Option<NewView> {
    let name = fields.required("name", text(Name::parse));
    let kind = fields.required("kind", text(SavedViewKind::parse));
    let shared = fields.optional("shared", boolean);
    let definition = match (kind, fields.take(definition::FIELD)) {
        (_, None | Some(Value::Null)) => {
            fields.add_fault(definition::FIELD, Invalid::new("required", "must be given"))
        }
        (Some(kind), Some(value)) => definition::read(fields, kind, value),
        (None, Some(_)) => None,
    };
    Some(NewView { name: name?, definition: definition?, shared: shared?.unwrap_or(false) })
}

/// Save a pivot or a filter as a view
///
/// You own the view, and only you can change it. Everyone in your brand can see and run a shared view; the results contain only what
/// the person who runs it is allowed to see. You can save up to 200 views.
#[utoipa::path(
    post, path = "/api/v2/saved_views", tag = "saved views", operation_id = "create_saved_view",
    security(("jwt" = [])), params(IdempotencyKeyHeader),
    request_body(content = NewSavedViewDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("read_insights"))),
    responses(
        (status = 201, description = "The view was saved.", body = SavedViewDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::Conflict, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let new = value.resource(&DEFINITION, Target::New, read)?;
    let once =
        Idempotent::new(key, |view: &store::SavedView| json_api::created_to_store(&object(view.clone())));
    let made = app.create_saved_view(&caller, new, once).await;
    Ok(json_api::render_stored(made.map_err(|error| with_pointers(&DEFINITION, error))?))
}

//! POST /api/v2/saved_views

use std::sync::Arc;

use app::{App, NewView, Once};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Invalid, Name, SavedViewKind};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Caller, Creation, Fields, NoParams, Repeatable, Result, flag, json_api, text, words};

use super::{SHAPE, SavedView, definition, object};
use crate::document::{self, DocumentOf, Negotiated, NewOf, Payload, Target, pointed};

/// What a new view is made of.
#[derive(ToSchema)]
#[schema(as = NewSavedViewAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewSavedView {
    /// What it is called. You have no other of that name, whatever its case and accents.
    #[schema(example = "Danger by machine", min_length = 1, max_length = 100)]
    name: String,
    /// What it holds: a pivot, or a filter alone. That stays.
    #[schema(value_type = words::SavedViewKind, example = "pivot")]
    kind: String,
    /// What it asks.
    #[schema(schema_with = definition::schema)]
    definition: Value,
    /// Whether everyone of the brand is to see it, which needs the permission `share_views`.
    #[schema(default = false, example = false)]
    shared: Option<bool>,
}

type NewSavedViewDocument = NewOf<SavedView>;
type SavedViewDocument = DocumentOf<SavedView>;

fn read(fields: &mut Fields) -> Option<NewView> {
    let name = fields.required("name", text(Name::parse));
    let kind = fields.required("kind", text(SavedViewKind::parse));
    let shared = fields.optional("shared", flag);
    let definition = match (kind, fields.take(definition::FIELD)) {
        (_, None | Some(Value::Null)) => {
            fields.fault(definition::FIELD, Invalid::new("required", "must be given"))
        }
        (Some(kind), Some(value)) => definition::read(fields, kind, value),
        (None, Some(_)) => None,
    };
    Some(NewView { name: name?, definition: definition?, shared: shared?.unwrap_or(false) })
}

/// Keeps a pivot or a filter under a name.
///
/// It is yours: only you change it. Shared, everyone of your brand sees and runs it, each within what they see. You may keep 200.
#[utoipa::path(
    post, path = "/api/v2/saved_views", tag = "saved views", operation_id = "create_saved_view",
    security(("jwt" = [])), params(Repeatable),
    request_body(content = NewSavedViewDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("read_insights"))),
    responses(
        (status = 201, description = "Kept", body = SavedViewDocument, content_type = "application/vnd.api+json"),
        json_api::BadBody, json_api::Unauthenticated, json_api::Forbidden, json_api::Conflict, json_api::NotNegotiable,
    ),
)]
pub async fn create_saved_view(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    _: Negotiated,
    _: NoParams,
    Creation { value, key }: Creation<Payload>,
) -> Result {
    let new = value.resource(&SHAPE, Target::New, read)?;
    let once = Once::new(key, |view: &store::SavedView| document::made(&object(view.clone())));
    let made = app.create_saved_view(&caller, new, once).await;
    Ok(document::reply(made.map_err(|error| pointed(&SHAPE, error))?))
}

//! POST /api/v2/worksites

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Timestamp;
use domain::access::WriteRegistry;
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, FromFields, IdempotencyKeyHeader, IdempotentBody, NewWorksiteFields, NoParams, Result,
    enum_schemas, json_api_errors,
};

use super::{DEFINITION, Worksite, object};
use crate::json_api::{self, DocumentOf, Negotiated, NewOf, Payload, Target, with_pointers};

/// What a new worksite is made of.
#[derive(ToSchema)]
#[schema(as = NewWorksiteAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewWorksite {
    /// What it is called.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: String,
    /// The colour it is drawn in.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: String,
    /// What is done there.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure")]
    kind: String,
    /// Whose days are its days: a zone of the IANA database.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Where it is.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Whom to ask about the technology there.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// Since when zone, boundary and project are so; left out, from now on. Not in the future, at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type NewWorksiteDocument = NewOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Adds a worksite. Who is restricted to projects has to name one of them.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    post, path = "/api/v2/worksites", tag = "worksites", operation_id = "create_worksite", security(("jwt" = [])),
    params(IdempotencyKeyHeader),
    request_body(content = NewWorksiteDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Added", body = WorksiteDocument, content_type = "application/vnd.api+json"),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::Forbidden, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::NegotiationFailed,
    ),
)]
pub async fn create_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<Payload>,
) -> Result {
    let sent = value.resource(&DEFINITION, Target::New, NewWorksiteFields::read)?;
    let once =
        Idempotent::new(key, |site: &store::Worksite| json_api::created_to_store(&object(site.clone())));
    let made = app.create_worksite(&caller, &sent.new, sent.effective_from, once).await;
    Ok(json_api::render_stored(made.map_err(|error| with_pointers(&DEFINITION, error))?))
}

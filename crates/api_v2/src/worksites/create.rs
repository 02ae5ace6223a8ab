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

/// Attributes of a new worksite.
#[derive(ToSchema)]
#[schema(as = NewWorksiteAttributes)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: String,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: String,
    /// Kind of work done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure")]
    kind: String,
    /// IANA time zone of the worksite, which decides when its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Boundary of the worksite.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// Time from which time zone, boundary and project apply, RFC 3339; now if left out. It must not be in the future, and at most five
    /// years in the past.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type NewWorksiteDocument = NewOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Create a worksite
///
/// If your access is restricted to projects, the worksite must belong to one of them. Answers 403 `restricted` if your access is
/// restricted to projects and the change would affect data outside of them.
#[utoipa::path(
    post, path = "/api/v2/worksites", tag = "worksites", operation_id = "create_worksite", security(("jwt" = [])),
    params(IdempotencyKeyHeader),
    request_body(content = NewWorksiteDocument, content_type = "application/vnd.api+json"),
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The worksite was created.", body = WorksiteDocument, content_type = "application/vnd.api+json"),
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

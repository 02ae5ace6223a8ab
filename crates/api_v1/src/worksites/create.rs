//! POST /api/v1/worksites

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Timestamp;
use domain::access::WriteRegistry;
use serde_json::Value;
use utoipa::ToSchema;
use web::{
    Caller, IdempotencyKeyHeader, IdempotentBody, NewWorksiteFields, NoParams, Result, enum_schemas, problem,
};

use super::{Worksite, shape};

/// Fields of a new worksite.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: String,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: String,
    /// Kind of work that is done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure")]
    kind: String,
    /// Time zone of the worksite, as a name of the IANA database. It determines where its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Boundary of the worksite.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// Identifier of the project that the worksite belongs to. Required if your access is restricted to projects.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// Time from which the time zone, boundary and project apply, RFC 3339 in UTC; the default is now. It must not be in the future and
    /// at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Add a worksite
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    post, path = "/api/v1/worksites", tag = "worksites", operation_id = "create_worksite", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewWorksite,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new worksite", body = Worksite),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<NewWorksiteFields>,
) -> Result {
    let once = Idempotent::new(key, |site: &store::Worksite| {
        web::created_to_store(format!("/api/v1/worksites/{}", site.id), &shape(site.clone()))
    });
    Ok(web::render_stored(app.create_worksite(&caller, &value.new, value.effective_from, once).await?))
}

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

/// What a new worksite is made of.
#[derive(ToSchema)]
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
    /// The project it belongs to. Must be given by those who are restricted to projects.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// Since when zone, boundary and project are so; left out, from now on. Not in the future, at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Adds a worksite.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    post, path = "/api/v1/worksites", tag = "worksites", operation_id = "create_worksite", security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewWorksite,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Added", body = Worksite),
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

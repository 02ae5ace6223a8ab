//! PATCH /api/v1/worksites/{id}

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Timestamp, WorksiteId};
use serde_json::Value;
use utoipa::ToSchema;
use web::{Caller, DeferredBody, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem};

use super::{Worksite, shape};

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedWorksite {
    /// What it is called.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// The colour it is drawn in.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$", nullable = false)]
    colour: Option<String>,
    /// What is done there.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure", nullable = false, required = false)]
    kind: Option<String>,
    /// Whose days are its days: a zone of the IANA database.
    #[schema(example = "Europe/Berlin", nullable = false)]
    time_zone: Option<String>,
    /// Where it is; null takes it away.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Value>,
    /// Whom to ask about the technology there; null takes it away.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<String>,
    /// The project it belongs to; null takes it out of its project.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// `true` archives it and sends its machines away, `false` restores it.
    #[schema(nullable = false, example = false)]
    archived: Option<bool>,
    /// Since when zone, boundary and project, as far as they are named, are so; left out, from now on. Not in the future, at
    /// most five years ago. What was said of them for the time after it is replaced.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Changes, archives or restores a worksite.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "change_worksite",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The worksite's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedWorksite,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 200, description = "Changed", body = Worksite, headers(("ETag" = String, description = "Its version"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_worksite(&caller, WorksiteId(id)).await?;
    let change = body.read::<WorksiteChange>().await?;
    let site = app.change_worksite(&caller, WorksiteId(id), &if_match, change).await?;
    let version = site.version;
    Ok(web::with_etag(web::json_response(&shape(site)), version, None))
}

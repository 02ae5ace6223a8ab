//! POST /api/v1/worksites

use std::sync::Arc;

use app::{App, Idempotent, WorksiteCreation};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteKind};
use geography::Boundary;
use web::{Caller, IdempotentBody, NoParams, Result, enum_schemas, problem};

use super::{Worksite, shape};

/// Fields of a new worksite.
#[web::body(into = WorksiteCreation)]
pub struct NewWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: Name,
    /// Colour in which the worksite is drawn, as `#rrggbb`; the default is one of a palette, by the name.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: Option<Colour>,
    /// Kind of work that is done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure")]
    kind: WorksiteKind,
    /// Time zone of the worksite, as a name of the IANA database. It determines where its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: TimeZone,
    /// Boundary of the worksite.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Option<Boundary>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Option<Name>,
    /// Identifier of the project that the worksite belongs to. Required if your access is restricted to projects.
    #[schema(example = 3)]
    #[field(into = project)]
    project_id: Option<ProjectId>,
    /// Time from which the time zone, boundary and project apply, RFC 3339 in UTC; the default is now. It must not be in the future and
    /// at most five years ago.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Add a worksite
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    post, path = "/api/v1/worksites", tag = "worksites", operation_id = "create_worksite",
    request_body = NewWorksite,
    responses(
        (status = 201, description = "The new worksite", body = Worksite),
        problem::BadBody,
    ),
)]
pub async fn create_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: NoParams,
    IdempotentBody { value, key }: IdempotentBody<NewWorksite>,
) -> Result {
    let once = Idempotent::new(key, |site: &domain::Worksite| {
        web::created_to_store(format!("/api/v1/worksites/{}", site.id), &shape(site.clone()))
            .with_version(site.version)
    });
    Ok(web::render_stored(app.create_worksite(&caller, value.into(), once).await?))
}

//! PATCH /api/v1/worksites/{id}

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteId, WorksiteKind};
use geography::Boundary;
use web::{
    Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::{Worksite, shape};

/// Changes to a worksite. Fields that are left out keep their values.
#[web::body(into = WorksiteChange, of = Worksite)]
pub struct ChangedWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: Change<Colour>,
    /// Kind of work that is done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure", required = false)]
    kind: Change<WorksiteKind>,
    /// Time zone of the worksite, as a name of the IANA database. It determines where its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: Change<TimeZone>,
    /// Boundary of the worksite; null removes it.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Change<Option<Boundary>>,
    /// Contact for technical questions; null removes it.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Change<Option<Name>>,
    /// Identifier of the project that the worksite belongs to; null removes it from its project.
    #[schema(example = 3)]
    #[field(into = project)]
    project_id: Change<Option<ProjectId>>,
    /// `true` archives the worksite and ends the assignments of its machines, `false` restores it.
    #[schema(example = false)]
    archived: Change<bool>,
    /// Time from which the given time zone, boundary and project apply, RFC 3339 in UTC; the default is now. It must not be in the future
    /// and at most five years ago. Values that were set for a later time are replaced.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

/// Change, archive or restore a worksite
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    patch, path = "/api/v1/worksites/{id}", tag = "worksites", operation_id = "change_worksite",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedWorksite,
    responses(
        (status = 200, description = "The changed worksite", body = Worksite, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let created_at = app.check_worksite(&caller, WorksiteId(id)).await?;
    let change = body.read_change::<ChangedWorksite>(&FixedMembers::new(id, created_at)).await?;
    let site = app.change_worksite(&caller, WorksiteId(id), &if_match, change.into()).await?;
    let version = site.version;
    Ok(web::with_etag(web::json_response(&shape(site)), version, None))
}

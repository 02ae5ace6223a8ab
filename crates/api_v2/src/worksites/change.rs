//! PATCH /api/v2/worksites/{id}

use std::sync::Arc;

use app::{App, WorksiteChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, Colour, Name, ProjectId, TimeZone, Timestamp, WorksiteId, WorksiteKind};
use geography::Boundary;
use web::{
    Caller, DeferredBody, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas,
    json_api_errors,
};

use super::{DEFINITION, Worksite, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Identifier, Linkage, Negotiated, Payload, StoredResource, Target,
    with_pointers,
};
use crate::machines;

/// Attributes of a worksite to change. Attributes that are left out stay as they are.
#[web::body(into = WorksiteChange)]
#[schema(as = ChangedWorksiteAttributes)]
pub struct ChangedWorksite {
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800", pattern = "^#[0-9A-Fa-f]{6}$")]
    colour: Change<Colour>,
    /// Kind of work done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind, example = "infrastructure", required = false)]
    kind: Change<WorksiteKind>,
    /// IANA time zone of the worksite, which decides when its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: Change<TimeZone>,
    /// Boundary of the worksite; null removes it.
    #[schema(schema_with = web::boundary_schema)]
    boundary: Change<Option<Boundary>>,
    /// Contact for technical questions; null removes it.
    #[schema(example = "Ada Lovelace, +49 30 1234", min_length = 1, max_length = 100)]
    technical_contact: Change<Option<Name>>,
    /// Identifier of the project, from the relationship `project`.
    #[schema(ignore)]
    #[field(into = project)]
    project_id: Change<Option<ProjectId>>,
    /// `true` archives the worksite and ends the assignments of its machines, `false` restores it.
    #[schema(example = false)]
    archived: Change<bool>,
    /// Time from which the given time zone, boundary and project apply, RFC 3339; now if left out. It must not be in the future, and at
    /// most five years in the past. Values recorded for later times are replaced.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

type ChangedWorksiteDocument = ChangeOf<Worksite>;
type WorksiteDocument = DocumentOf<Worksite>;

/// Change, archive or restore a worksite
///
/// Set `archived` to archive or restore the worksite.
/// Answers 403 `restricted` if your access is restricted to projects and the change would affect data outside of them.
#[web::operation(
    patch, path = "/api/v2/worksites/{id}", tag = "worksites", operation_id = "change_worksite",
    params(
        ("id" = String, Path, description = "Id of the worksite."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the worksite has changed since."),
    ),
    request_body(content = ChangedWorksiteDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The worksite was changed.", body = WorksiteDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the worksite."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let created_at = app.check_worksite(&caller, WorksiteId(id)).await?;
    let payload = body.read::<Payload>().await?;
    let mut stored = StoredResource::new(id, FixedMembers::created_at(created_at));
    if let Some(named) = payload.count_members("machines") {
        let there = app.machines_at_worksites(&caller, &[WorksiteId(id)], named as i64 + 1).await?;
        let links = there.iter().map(|machine| Identifier::new(machines::DEFINITION.kind, machine.id.0));
        stored = stored.with_linkage("machines", Linkage::Many(links.collect()));
    }
    let changed = with_pointers(&DEFINITION, async {
        let change = payload.resource(&DEFINITION, &Target::Existing(stored), ChangedWorksite::read)?;
        app.change_worksite(&caller, WorksiteId(id), &if_match, change.into()).await
    });
    let site = changed.await?;
    let version = site.version;
    Ok(web::with_etag(json_api::updated_response(&object(site)), version, None))
}

//! PATCH /api/v2/projects/{id}

use std::sync::Arc;

use app::{App, ProjectChange};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{Change, Name, ProjectId};
use web::{
    Caller, DeferredBody, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Result, json_api_errors,
};

use super::{DEFINITION, Project, object};
use crate::json_api::{
    self, ChangeOf, DocumentOf, Identifier, Linkage, Negotiated, Payload, StoredResource, Target,
    with_pointers,
};
use crate::worksites;

/// Attributes of a project to change. Attributes that are left out stay as they are.
#[web::body(into = ProjectChange)]
#[schema(as = ChangedProjectAttributes)]
pub struct ChangedProject {
    /// Name of the project.
    #[schema(example = "North bridge", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Project code in the brand's own systems; null removes it.
    #[schema(example = "NB-2026", min_length = 1, max_length = 100)]
    code: Change<Option<Name>>,
    /// `true` archives the project, `false` restores it.
    #[schema(example = false)]
    archived: Change<bool>,
}

type ChangedProjectDocument = ChangeOf<Project>;
type ProjectDocument = DocumentOf<Project>;

/// Change, archive or restore a project
///
/// Set `archived` to archive or restore the project.
#[web::operation(
    patch, path = "/api/v2/projects/{id}", tag = "projects", operation_id = "change_project",
    params(
        ("id" = String, Path, description = "Id of the project."),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you read; 412 if the project has changed since."),
    ),
    request_body(content = ChangedProjectDocument, content_type = "application/vnd.api+json"),
    responses(
        (status = 200, description = "The project was changed.", body = ProjectDocument, content_type = "application/vnd.api+json",
            headers(("ETag" = String, description = "Version of the project."))),
        json_api_errors::BadBody, json_api_errors::NotFound, json_api_errors::Conflict,
        json_api_errors::PreconditionFailed, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn change_project(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let created_at = app.check_project(&caller, ProjectId(id)).await?;
    let payload = body.read::<Payload>().await?;
    let mut stored = StoredResource::new(id, FixedMembers::created_at(created_at));
    if let Some(named) = payload.count_members("worksites") {
        let sites = app.worksites_of_projects(&caller, &[ProjectId(id)], named as i64 + 1).await?;
        let links = sites.iter().map(|site| Identifier::new(worksites::DEFINITION.kind, site.id.0));
        stored = stored.with_linkage("worksites", Linkage::Many(links.collect()));
    }
    let changed = with_pointers(&DEFINITION, async {
        let change = payload.resource(&DEFINITION, &Target::Existing(stored), ChangedProject::read)?;
        app.change_project(&caller, ProjectId(id), &if_match, change.into()).await
    });
    let project = changed.await?;
    let version = project.version;
    Ok(web::with_etag(json_api::updated_response(&object(project)), version, None))
}

//! /api/v2/projects/{id}/relationships/worksites

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

use app::{App, Caller, LinkEdit};
use domain::access::WriteRegistry;
use domain::{ProjectId, WorksiteId};
use web::{DeferredBody, Result};

use crate::json_api::{self, LinksToRequest, Payload, with_linkage_pointers};
use crate::worksites::{self, Worksite};

type WorksiteLinksRequest = LinksToRequest<Worksite>;

/// Applies a change of the linkage. The three methods differ only in the change.
async fn edit(
    app: &App,
    caller: &Caller<WriteRegistry>,
    project: ProjectId,
    edit: LinkEdit,
    body: DeferredBody,
) -> Result {
    app.check_project(caller, project).await?;
    let ids = body.read::<Payload>().await?.into_many(worksites::DEFINITION.kind)?;
    let ids: Vec<_> = ids.into_iter().map(WorksiteId).collect();
    app.edit_worksites_of_project(caller, project, edit, &ids).await.map_err(with_linkage_pointers)?;
    Ok(json_api::no_content())
}

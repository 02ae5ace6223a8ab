//! /api/v2/projects/{id}/relationships/worksites

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

use app::{App, Caller, Error, LinkEdit};
use domain::access::WriteRegistry;
use domain::{Permission, ProjectId, Slice, Sorting, Window, WorksiteFilter, WorksiteId};
use web::{DeferredBody, NoParams, Result};

use crate::json_api::{
    self, DocumentQuery, Identifier, LinksTo, LinksToRequest, Payload, first_page, with_linkage_pointers,
};
use crate::worksites::{self, Worksite};

type WorksiteLinks = LinksTo<Worksite>;
type WorksiteLinksRequest = LinksToRequest<Worksite>;

/// Returns a page of the linkage.
async fn slice_links<P: Permission>(
    app: &App,
    caller: &Caller<P>,
    project: ProjectId,
    window: &Window,
) -> Result<Slice<Identifier>, Error> {
    let filter = WorksiteFilter { projects: vec![project], ..WorksiteFilter::default() };
    let slice = app.slice_worksites(caller, filter, None, Sorting::default(), window).await?;
    let Slice { rows, previous, next } = slice;
    let rows = rows.iter().map(|site| Identifier::new(worksites::DEFINITION.kind, site.id.0)).collect();
    Ok(Slice { rows, previous, next })
}

/// Applies a change of the linkage and answers with the first page of it. The three methods differ only in the change.
async fn edit(
    app: &App,
    caller: &Caller<WriteRegistry>,
    project: ProjectId,
    edit: LinkEdit,
    query: &DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    app.check_project(caller, project).await?;
    let ids = body.read::<Payload>().await?.into_many(worksites::DEFINITION.kind)?;
    let ids: Vec<_> = ids.into_iter().map(WorksiteId).collect();
    app.edit_worksites_of_project(caller, project, edit, &ids).await.map_err(with_linkage_pointers)?;
    let links = slice_links(app, caller, project, &first_page()).await?;
    Ok(json_api::linkage_page_response(query, links))
}

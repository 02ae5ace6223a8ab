//! /api/v2/worksites/{id}/relationships/machines

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

use app::{App, Caller, Error, LinkEdit};
use domain::access::WriteRegistry;
use domain::{MachineFilter, MachineId, Permission, Slice, Sorting, Window, WorksiteId};
use web::{DeferredBody, NoParams, Result};

use crate::json_api::{
    self, DocumentQuery, Identifier, LinksTo, LinksToRequest, Payload, first_page, with_linkage_pointers,
};
use crate::machines::{self, Machine};

type MachineLinks = LinksTo<Machine>;
type MachineLinksRequest = LinksToRequest<Machine>;

/// Returns a page of the linkage.
async fn slice_links<P: Permission>(
    app: &App,
    caller: &Caller<P>,
    worksite: WorksiteId,
    window: &Window,
) -> Result<Slice<Identifier>, Error> {
    let filter = MachineFilter { worksites: vec![worksite], ..MachineFilter::default() };
    let slice = app.slice_machines(caller, &filter, Sorting::default(), window).await?;
    let Slice { rows, previous, next } = slice;
    let rows = rows.iter().map(|machine| Identifier::new(machines::DEFINITION.kind, machine.id.0)).collect();
    Ok(Slice { rows, previous, next })
}

/// Applies a change of the linkage and answers with the first page of it. The three methods differ only in the change.
async fn edit(
    app: &App,
    caller: &Caller<WriteRegistry>,
    worksite: WorksiteId,
    edit: LinkEdit,
    query: &DocumentQuery<NoParams>,
    body: DeferredBody,
) -> Result {
    app.check_worksite(caller, worksite).await?;
    let ids = body.read::<Payload>().await?.into_many(machines::DEFINITION.kind)?;
    let ids: Vec<_> = ids.into_iter().map(MachineId).collect();
    app.edit_machines_at_worksite(caller, worksite, edit, &ids).await.map_err(with_linkage_pointers)?;
    let links = slice_links(app, caller, worksite, &first_page()).await?;
    Ok(json_api::linkage_page_response(query, links))
}

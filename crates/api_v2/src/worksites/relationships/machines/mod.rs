//! /api/v2/worksites/{id}/relationships/machines

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

use app::{App, Caller, LinkEdit};
use domain::access::WriteRegistry;
use domain::{MachineId, WorksiteId};
use web::{DeferredBody, Result};

use crate::json_api::{self, LinksToRequest, Payload, with_linkage_pointers};
use crate::machines::{self, Machine};

type MachineLinksRequest = LinksToRequest<Machine>;

/// Applies a change of the linkage. The three methods differ only in the change.
async fn edit(
    app: &App,
    caller: &Caller<WriteRegistry>,
    worksite: WorksiteId,
    edit: LinkEdit,
    body: DeferredBody,
) -> Result {
    app.check_worksite(caller, worksite).await?;
    let ids = body.read::<Payload>().await?.into_many(machines::DEFINITION.kind)?;
    let ids: Vec<_> = ids.into_iter().map(MachineId).collect();
    app.edit_machines_at_worksite(caller, worksite, edit, &ids).await.map_err(with_linkage_pointers)?;
    Ok(json_api::no_content())
}

//! /api/v2/worksites/{id}/relationships/machines

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

use app::{App, Caller, LinkEdit};
use domain::access::WriteRegistry;
use domain::{MachineId, WorksiteId};
use web::{Result, Unread};

use crate::document::{self, Payload, SentLinksTo, about_linkage};
use crate::machines::{self, Machine};

type SentMachineLinks = SentLinksTo<Machine>;

/// Adds, removes or replaces: they differ in nothing else.
async fn edit(
    app: &App,
    caller: &Caller<WriteRegistry>,
    worksite: WorksiteId,
    edit: LinkEdit,
    body: Unread,
) -> Result {
    app.check_worksite(caller, worksite).await?;
    let ids = body.read::<Payload>().await?.into_many(machines::SHAPE.kind)?;
    let ids: Vec<_> = ids.into_iter().map(MachineId).collect();
    app.edit_machines_at_worksite(caller, worksite, edit, &ids).await.map_err(about_linkage)?;
    Ok(document::done())
}

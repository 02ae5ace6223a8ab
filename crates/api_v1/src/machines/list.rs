//! GET /api/v1/machines

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{MachineFilter, MachineKind, ProjectId, WorksiteId};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{Machine, shape};

pub struct MachineParams {
    filter: MachineFilter,
    list: ListParams,
}

impl FromParams for MachineParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = MachineFilter {
            archived: query.flag("archived")?,
            kind: query.one("kind", MachineKind::parse)?,
            worksite: query.id("worksite_id")?.map(WorksiteId),
            project: query.id("project_id")?.map(ProjectId),
            q: query.search("q")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type MachineList = List<Machine>;

/// List machines
///
/// The machines visible to you are sorted by name. If your access is restricted to projects, these are the machines at their worksites.
#[web::operation(
    get, path = "/api/v1/machines", tag = "machines", operation_id = "list_machines",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("kind" = Option<enum_schemas::MachineKind>, Query, description = "Only machines of this kind"),
        ("worksite_id" = Option<i64>, Query, description = "Only machines that are at this worksite now"),
        ("project_id" = Option<i64>, Query, description = "Only machines that are at a worksite of this project now"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of machines", body = MachineList),
        problem::BadParams,
    ),
)]
pub async fn list_machines(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<MachineParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_machines(&caller, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}

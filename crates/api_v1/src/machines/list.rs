//! GET /api/v1/machines

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, MachineFilter, MachineKind, ProjectId, RegistryRows, WorksiteId};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{Machine, shape};

pub struct MachineParams {
    filter: MachineFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for MachineParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order =
            SortOrders::BY_NAME.read(query, &["archived", "kind", "worksite_id", "project_id", "q"])?;
        let filter = MachineFilter {
            archived: query.flag("archived")?,
            kinds: query.one("kind", MachineKind::parse)?.into_iter().collect(),
            worksites: query.id("worksite_id")?.map(WorksiteId).into_iter().collect(),
            projects: query.id("project_id")?.map(ProjectId).into_iter().collect(),
            q: query.search("q")?,
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type MachineList = RegistryList<Machine>;

/// List machines
///
/// Lists the machines visible to you. If your access is restricted to projects, these are the machines at their worksites.
#[web::operation(
    get, path = "/api/v1/machines", tag = "machines", operation_id = "list_machines",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("kind" = Option<enum_schemas::MachineKind>, Query, description = "Only machines of this kind"),
        ("worksite_id" = Option<i64>, Query, description = "Only machines that are at this worksite now"),
        ("project_id" = Option<i64>, Query, description = "Only machines that are at a worksite of this project now"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ("sort" = Option<enum_schemas::NamedSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `name`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
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
    let MachineParams { filter, order, list } = params;
    let found = app.list_machines(&caller, &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}

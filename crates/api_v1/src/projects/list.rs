//! GET /api/v1/projects

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, ProjectFilter, RegistryRows};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{Project, shape};

pub struct ProjectParams {
    filter: ProjectFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for ProjectParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_NAME.read(query, &["archived", "q"])?;
        let filter = ProjectFilter {
            archived: query.flag("archived")?,
            q: query.search("q")?,
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type ProjectList = RegistryList<Project>;

/// List projects
///
/// Lists the projects visible to you.
#[web::operation(
    get, path = "/api/v1/projects", tag = "projects", operation_id = "list_projects",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
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
        (status = 200, description = "A page of projects", body = ProjectList),
        problem::BadParams,
    ),
)]
pub async fn list_projects(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<ProjectParams>,
) -> Result {
    let ProjectParams { filter, order, list } = params;
    let found = app.list_projects(&caller, &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}

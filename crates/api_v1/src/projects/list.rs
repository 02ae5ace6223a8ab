//! GET /api/v1/projects

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::ProjectFilter;
use domain::access::ReadRegistry;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{Project, shape};

pub struct ProjectParams {
    filter: ProjectFilter,
    list: ListParams,
}

impl FromParams for ProjectParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = ProjectFilter { archived: query.flag("archived")?, q: query.search("q")? };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type ProjectList = List<Project>;

/// List projects
///
/// The projects visible to you are sorted by name.
#[web::operation(
    get, path = "/api/v1/projects", tag = "projects", operation_id = "list_projects",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
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
    let list = &params.list;
    let found = app.list_projects(&caller, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}

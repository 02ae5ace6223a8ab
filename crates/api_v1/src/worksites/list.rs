//! GET /api/v1/worksites

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ListOrder, ProjectId, RegistryRows, WorksiteFilter, WorksiteKind};
use geography::Position;
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{WorksiteSummary, summary};

pub struct WorksiteParams {
    filter: WorksiteFilter,
    contains: Option<Position>,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for WorksiteParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_NAME.read(query, &["archived", "kind", "project_id", "contains", "q"])?;
        let filter = WorksiteFilter {
            archived: query.flag("archived")?,
            kinds: query.one("kind", WorksiteKind::parse)?.into_iter().collect(),
            projects: query.id("project_id")?.map(ProjectId).into_iter().collect(),
            q: query.search("q")?,
            around: None,
            rows: RegistryRows::default(),
        };
        let contains = query.one("contains", Position::parse)?;
        Ok(Self { filter, contains, order, list: ListParams::read(query)? })
    }
}

pub type WorksiteList = RegistryList<WorksiteSummary>;

/// List worksites
///
/// Lists the worksites visible to you, without their boundaries.
#[web::operation(
    get, path = "/api/v1/worksites", tag = "worksites", operation_id = "list_worksites",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("kind" = Option<enum_schemas::WorksiteKind>, Query, description = "Only worksites of this kind"),
        ("project_id" = Option<i64>, Query, description = "Only worksites of this project"),
        ("contains" = Option<String>, Query, description = "Only active worksites whose current boundary contains this position, \
            `lon,lat` in degrees; of more than a thousand, the smallest ones", example = "13.405,52.52"),
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
        (status = 200, description = "A page of worksites", body = WorksiteList),
        problem::BadParams,
    ),
)]
pub async fn list_worksites(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<WorksiteParams>,
) -> Result {
    let WorksiteParams { filter, contains, order, list } = params;
    let found = app.list_worksites(&caller, filter, contains, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, summary))
}

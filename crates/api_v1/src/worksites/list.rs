//! GET /api/v1/worksites

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{ProjectId, WorksiteFilter, WorksiteKind};
use geography::Position;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{WorksiteSummary, summary};

pub struct WorksiteParams {
    filter: WorksiteFilter,
    contains: Option<Position>,
    list: ListParams,
}

impl FromParams for WorksiteParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = WorksiteFilter {
            archived: query.flag("archived")?,
            kind: query.one("kind", WorksiteKind::parse)?,
            project: query.id("project_id")?.map(ProjectId),
            q: query.search("q")?,
            around: None,
        };
        let contains = query.one("contains", Position::parse)?;
        Ok(Self { filter, contains, list: ListParams::read(query)? })
    }
}

pub type WorksiteList = List<WorksiteSummary>;

/// List worksites
///
/// The worksites visible to you are sorted by name. They are listed without their boundaries.
#[web::operation(
    get, path = "/api/v1/worksites", tag = "worksites", operation_id = "list_worksites",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("kind" = Option<enum_schemas::WorksiteKind>, Query, description = "Only worksites of this kind"),
        ("project_id" = Option<i64>, Query, description = "Only worksites of this project"),
        ("contains" = Option<String>, Query, description = "Only active worksites whose current boundary contains this position, \
            `lon,lat` in degrees; of more than a thousand, the smallest ones", example = "13.405,52.52"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
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
    let WorksiteParams { filter, contains, list } = params;
    let found = app.list_worksites(&caller, filter, contains, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, summary))
}

//! GET /api/v2/projects/{id}/relationships/worksites

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ProjectId;
use domain::access::ReadRegistry;
use store::{Slice, Sorting, WorksiteFilter};
use web::{Caller, PathId, Result, json_api};

use crate::document::{self, Identifier, Linking, LinksTo, Negotiated, Wanted, about_cursor};
use crate::worksites::{self, Worksite};

type WorksiteLinks = LinksTo<Worksite>;

/// Which active worksites a project has, by name.
#[utoipa::path(
    get, path = "/api/v2/projects/{id}/relationships/worksites", tag = "projects",
    operation_id = "get_worksite_links", security(("jwt" = [])),
    params(("id" = String, Path, description = "The project's id"), Linking),
    responses(
        (status = 200, description = "A page of identifiers", body = WorksiteLinks,
            content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_worksite_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    wanted: Wanted<Linking>,
) -> Result {
    let window = &wanted.params.window;
    app.find_project(&caller, ProjectId(id)).await?;
    let filter = WorksiteFilter { project: Some(ProjectId(id)), ..WorksiteFilter::default() };
    let slice = app.slice_worksites(&caller, filter, None, Sorting::default(), window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let rows = rows.iter().map(|site| Identifier::new(worksites::SHAPE.kind, site.id.0)).collect();
    Ok(document::linkages(&wanted, Slice { rows, previous, next }))
}

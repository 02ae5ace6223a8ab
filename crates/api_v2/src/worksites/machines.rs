//! GET /api/v2/worksites/{id}/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use store::{MachineFilter, Slice};
use web::{Caller, PathId, Result, json_api};

use crate::document::{self, Included, ListOf, Listing, Negotiated, Wanted, about_cursor};
use crate::machines::{self, Machine};

type MachineListing = Listing<Machine>;
type MachineList = ListOf<Machine>;

/// Lists the machines that are at a worksite now.
#[utoipa::path(
    get, path = "/api/v2/worksites/{id}/machines", tag = "worksites", operation_id = "list_machines_at_worksite",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The worksite's id"), MachineListing),
    responses(
        (status = 200, description = "A page of machines", body = MachineList,
            content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn list_machines_at_worksite(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    wanted: Wanted<MachineListing>,
) -> Result {
    let Listing { filter, sorting, window, .. } = &wanted.params;
    app.find_worksite(&caller, WorksiteId(id)).await?;
    let filter = MachineFilter { worksite: Some(WorksiteId(id)), ..filter.clone() };
    let slice = app.slice_machines(&caller, &filter, *sorting, window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let rows = rows.into_iter().map(machines::object).collect();
    Ok(document::page(&wanted, &Slice { rows, previous, next }, Included::default()))
}

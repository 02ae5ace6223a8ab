//! GET /api/v2/worksites/{id}/relationships/machines

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WorksiteId;
use domain::access::ReadRegistry;
use store::{MachineFilter, Slice, Sorting};
use web::{Caller, PathId, Result, json_api};

use crate::document::{self, Identifier, Linking, LinksTo, Negotiated, Wanted, about_cursor};
use crate::machines::{self, Machine};

type MachineLinks = LinksTo<Machine>;

/// Which machines are at a worksite now, by name.
#[utoipa::path(
    get, path = "/api/v2/worksites/{id}/relationships/machines", tag = "worksites", operation_id = "get_machine_links",
    security(("jwt" = [])),
    params(("id" = String, Path, description = "The worksite's id"), Linking),
    responses(
        (status = 200, description = "A page of identifiers", body = MachineLinks,
            content_type = "application/vnd.api+json"),
        json_api::BadParams, json_api::Unauthenticated, json_api::NotFound, json_api::NotNegotiable,
    ),
)]
pub async fn get_machine_links(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: Negotiated,
    PathId(id): PathId,
    wanted: Wanted<Linking>,
) -> Result {
    let window = &wanted.params.window;
    app.find_worksite(&caller, WorksiteId(id)).await?;
    let filter = MachineFilter { worksite: Some(WorksiteId(id)), ..MachineFilter::default() };
    let slice = app.slice_machines(&caller, &filter, Sorting::default(), window).await;
    let Slice { rows, previous, next } = slice.map_err(|error| about_cursor(error, &window.place))?;
    let rows = rows.iter().map(|machine| Identifier::new(machines::SHAPE.kind, machine.id.0)).collect();
    Ok(document::linkages(&wanted, Slice { rows, previous, next }))
}

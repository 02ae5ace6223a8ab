//! GET /api/v1/base_stations/{id}/installations

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, ListParams, PageInfo, Params, PathId, Result, problem};

use super::MachineReference;

/// A base station's time on a machine.
#[derive(Serialize, ToSchema)]
pub struct Installation {
    /// Its id.
    #[schema(example = 7)]
    id: i64,
    /// The machine.
    machine: MachineReference,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive; null while it is there.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

/// A page of installations.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct InstallationList {
    data: Vec<Installation>,
    page: PageInfo,
}

/// Lists the machines a base station was on, the newest first; only machines that you see.
#[utoipa::path(
    get, path = "/api/v1/base_stations/{id}/installations", tag = "base stations",
    operation_id = "list_installations", security(("session" = [])),
    params(("id" = i64, Path, description = "The base station's id"), ListParams),
    responses(
        (status = 200, description = "A page of installations", body = InstallationList),
        problem::BadParams, problem::Unauthenticated, problem::NotFound,
    ),
)]
pub async fn list_installations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let found = app.list_installations(&caller, BaseStationId(id), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, |row| Installation {
        id: row.id.0,
        machine: MachineReference { id: row.machine.0, name: row.machine_name },
        from: row.from,
        to: row.to,
    }))
}

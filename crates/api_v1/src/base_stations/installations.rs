//! GET /api/v1/base_stations/{id}/installations

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use web::{Caller, List, ListParams, Params, PathId, Result, problem};

use crate::references::NamedReference;

/// A period during which a base station was installed on a machine.
#[web::answer]
pub struct Installation {
    /// Identifier of the installation.
    #[schema(example = 7)]
    id: i64,
    /// Machine that the base station was installed on.
    machine: NamedReference,
    /// Time at which the installation began, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Time at which the installation ended, RFC 3339 in UTC, exclusive; null while it lasts.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Time at which the installation was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the installation was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub type InstallationList = List<Installation>;

/// List installations of a base station
///
/// Lists the machines that the base station was installed on, the newest first. Only machines visible to you are listed.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/installations", tag = "base stations",
    operation_id = "list_installations",
    params(("id" = i64, Path, description = "Identifier of the base station"), ListParams),
    responses(
        (status = 200, description = "A page of installations", body = InstallationList),
        problem::BadParams, problem::NotFound,
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
        machine: NamedReference { id: row.machine.0, name: row.machine_name },
        from: row.from,
        to: row.to,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }))
}

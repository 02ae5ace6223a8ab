//! GET /api/v1/base_stations/{id}/zones

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use web::{Caller, List, ListParams, Params, PathId, Result, problem};

/// Zone radii around an antenna during a period.
#[web::answer]
pub struct ZonesHistoryEntry {
    /// Identifier of the entry.
    #[schema(example = 31)]
    id: i64,
    /// Name of the antenna.
    #[schema(example = "front")]
    antenna: String,
    /// Radius of the warning zone, the outer one, in metres.
    #[schema(example = 6.5)]
    warning_m: f64,
    /// Radius of the danger zone, the inner one, in metres.
    #[schema(example = 3.0)]
    danger_m: f64,
    /// Time from which the radii applied, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Time until which the radii applied, RFC 3339 in UTC, exclusive; null if they still apply.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Time at which the entry was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the entry was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub type ZonesHistoryList = List<ZonesHistoryEntry>;

/// List the zone history of a base station
///
/// The newest entries come first. The history can explain a sudden change in the number of incursions.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/zones", tag = "base stations",
    operation_id = "list_base_station_zones",
    params(("id" = i64, Path, description = "Identifier of the base station"), ListParams),
    responses(
        (status = 200, description = "A page of the history of zones", body = ZonesHistoryList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_base_station_zones(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(list): Params<ListParams>,
) -> Result {
    let found = app.list_station_zones(&caller, BaseStationId(id), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, |row| ZonesHistoryEntry {
        id: row.id,
        antenna: row.zones.antenna.to_string(),
        warning_m: row.zones.warning.metres(),
        danger_m: row.zones.danger.metres(),
        from: row.from,
        to: row.to,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }))
}

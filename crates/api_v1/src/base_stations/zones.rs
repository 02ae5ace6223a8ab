//! GET /api/v1/base_stations/{id}/zones

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, ListParams, PageInfo, Params, PathId, Result, problem};

/// How far the zones around an antenna reached for some time.
#[derive(Serialize, ToSchema)]
pub struct ZonesHistoryEntry {
    /// Its id.
    #[schema(example = 31)]
    id: i64,
    /// The antenna.
    #[schema(example = "front")]
    antenna: String,
    /// How far the outer zone reached.
    #[schema(example = 6.5)]
    warning_m: f64,
    /// How far the inner zone reached.
    #[schema(example = 3.0)]
    danger_m: f64,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive; null if they still do.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

/// A page of zones.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct ZonesHistoryList {
    data: Vec<ZonesHistoryEntry>,
    page: PageInfo,
}

/// Lists how far a base station's zones reached and when, the newest first, so that a step in a rate can be explained.
#[utoipa::path(
    get, path = "/api/v1/base_stations/{id}/zones", tag = "base stations",
    operation_id = "list_base_station_zones", security(("session" = [])),
    params(("id" = i64, Path, description = "The base station's id"), ListParams),
    responses(
        (status = 200, description = "A page of zones", body = ZonesHistoryList),
        problem::BadParams, problem::Unauthenticated, problem::NotFound,
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
    }))
}

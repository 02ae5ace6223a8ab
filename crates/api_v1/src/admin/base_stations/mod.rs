//! /api/v1/admin/base_stations: their tokens. The stations themselves are at /api/v1/base_stations.

mod get;
mod token;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

use super::tokens::TokenSummary;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(get::get_station_device))
        .routes(routes!(token::issue_station_token, token::revoke_station_token))
}

/// A base station as a device that holds a token.
#[derive(Serialize, ToSchema)]
pub struct StationDevice {
    /// Its id.
    #[schema(example = 5)]
    id: i64,
    /// What stands on it.
    #[schema(example = "BS-0042")]
    serial: String,
    /// What it is called.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// Its live token; null if it has none.
    token: Option<TokenSummary>,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(view: app::BaseStationView) -> StationDevice {
    let station = view.station;
    StationDevice {
        id: station.id.0,
        serial: station.serial,
        name: station.name,
        token: station.token.map(TokenSummary::from),
        last_seen_at: station.heartbeat.last_seen_at,
        created_at: station.created_at,
        updated_at: station.updated_at,
    }
}

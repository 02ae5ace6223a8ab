//! /api/v1/admin/base_stations: the tokens of base stations. The base stations themselves are at /api/v1/base_stations.

mod get;
mod token;

use domain::Timestamp;
use web::{OperationRouter, routes};

use super::tokens::TokenSummary;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(get::get_station_device))
        .routes(routes!(token::issue_station_token, token::revoke_station_token))
}

/// A base station as a device that authenticates with a token.
#[web::answer]
pub struct StationDevice {
    /// Identifier of the base station.
    #[schema(example = 5)]
    id: i64,
    /// Serial number printed on the base station.
    #[schema(example = "BS-0042")]
    serial: String,
    /// Name of the base station, if it has one.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// Current token of the base station; null if it has none.
    token: Option<TokenSummary>,
    /// Time of the last contact with the base station, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_seen_at: Option<Timestamp>,
    /// Time at which the base station was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the base station was last changed, RFC 3339 in UTC.
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

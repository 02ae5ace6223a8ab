//! GET /api/v1/base_stations/{id}/status

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use web::{Caller, NoParams, PathId, Result, enum_schemas, problem};

/// The current status of a base station, with its reason.
#[web::answer]
pub struct BaseStationStatus {
    /// The first of these that applies: `never_seen`, `faulty` (its last report contained faults), `silent` (no contact for the silence
    /// limit), `online`.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    status: &'static str,
    /// Time since which the status has applied, RFC 3339 in UTC: the registration, the first report of the faults, the end of the silence
    /// limit, or the first contact after the base station was never seen, silent or faulty.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    since: Option<Timestamp>,
    /// Reason for the status, as a sentence.
    #[schema(example = "The last contact was at 2026-03-01T08:00:00Z, without faults.")]
    reason: String,
    /// Time of the last contact with the base station, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Firmware version, as reported by the base station.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// Faults that the base station reported last.
    #[schema(example = json!([]))]
    faults: Vec<String>,
    /// Number of hours without contact after which the base station counts as silent; a setting of the brand.
    #[schema(example = 24)]
    silence_limit_hours: i64,
}

/// Get the status of a base station
///
/// Returns whether the base station is online, silent or faulty or was never seen, since when and why.
#[web::operation(
    get, path = "/api/v1/base_stations/{id}/status", tag = "base stations",
    operation_id = "get_base_station_status",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    responses(
        (status = 200, description = "The status", body = BaseStationStatus),
        problem::NotFound,
    ),
)]
pub async fn get_base_station_status(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_base_station(&caller, BaseStationId(id)).await?;
    Ok(web::json_response(&BaseStationStatus {
        status: found.health.status.as_str(),
        since: found.health.since,
        reason: found.health.reason,
        last_seen_at: found.station.heartbeat.last_seen_at,
        firmware: found.station.firmware,
        faults: found.station.heartbeat.faults,
        silence_limit_hours: found.silence_limit_hours,
    }))
}

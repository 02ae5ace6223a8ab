//! GET /api/v1/base_stations/{id}/status

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NoParams, PathId, Result, enum_schemas, problem};

/// How a base station stands, since when and why.
#[derive(Serialize, ToSchema)]
pub struct BaseStationStatus {
    /// The first of these that holds: never heard of; told of faults when it last told how it is; said nothing for as long as the
    /// silence limit; well.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    status: &'static str,
    /// Since when: it was registered; it first told of faults; the limit passed; the first contact after it was unheard of,
    /// silent or faulty, by the limit of then.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    since: Option<Timestamp>,
    /// Why, in a sentence.
    #[schema(example = "It was last heard of at 2026-03-01T08:00:00Z, without faults.")]
    reason: String,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// What runs on it, as it told.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// The faults it told of.
    #[schema(example = json!([]))]
    faults: Vec<String>,
    /// How long a station may say nothing before it is silent; a setting of the brand.
    #[schema(example = 24)]
    silence_limit_hours: i64,
}

/// Tells how a base station stands now, and why.
#[utoipa::path(
    get, path = "/api/v1/base_stations/{id}/status", tag = "base stations",
    operation_id = "get_base_station_status", security(("session" = [])),
    params(("id" = i64, Path, description = "The base station's id")),
    responses(
        (status = 200, description = "How it stands", body = BaseStationStatus),
        problem::Unauthenticated, problem::NotFound,
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

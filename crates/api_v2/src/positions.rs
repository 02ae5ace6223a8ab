//! GET /api/v2/positions

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{MachinePosition, Timestamp};
use web::enum_schemas::{FeatureCollectionType, FeatureType, PointType};
use web::{Caller, NoParams, Result, enum_schemas, json_api_errors};

/// A GeoJSON feature collection (RFC 7946) of the last positions of machines.
#[web::answer]
pub struct Positions {
    /// Always `FeatureCollection`.
    #[serde(rename = "type")]
    kind: FeatureCollectionType,
    /// One feature for each machine whose base station has reported a position since it was installed on it, sorted by the id of the
    /// machine.
    features: Vec<PositionFeature>,
}

/// A GeoJSON feature: the last position of a machine.
#[web::answer]
pub struct PositionFeature {
    /// Always `Feature`.
    #[serde(rename = "type")]
    kind: FeatureType,
    /// Id of the machine.
    #[schema(example = 4)]
    id: i64,
    /// The position.
    geometry: PositionPoint,
    /// The machine, and the time of the position.
    properties: PositionProperties,
}

/// A GeoJSON point.
#[web::answer]
pub struct PositionPoint {
    /// Always `Point`.
    #[serde(rename = "type")]
    kind: PointType,
    /// Longitude and latitude in degrees.
    #[schema(value_type = Vec<f64>, example = json!([13.405, 52.52]))]
    coordinates: [f64; 2],
}

/// The machine that a position belongs to, and its time.
#[web::answer]
pub struct PositionProperties {
    /// Name of the machine.
    #[schema(example = "Excavator 4")]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind, example = "excavator")]
    machine_kind: &'static str,
    /// Id of the base station that reported the position.
    #[schema(example = 5)]
    base_station_id: i64,
    /// Id of the worksite that the machine is assigned to; null if it is at none.
    #[schema(example = 2)]
    worksite_id: Option<i64>,
    /// Time of the position, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

fn feature(position: MachinePosition) -> PositionFeature {
    let coordinates = [position.position.lon(), position.position.lat()];
    PositionFeature {
        kind: FeatureType,
        id: position.machine.0,
        geometry: PositionPoint { kind: PointType, coordinates },
        properties: PositionProperties {
            name: position.machine_name,
            machine_kind: position.machine_kind.as_str(),
            base_station_id: position.base_station.0.0,
            worksite_id: position.worksite.map(|id| id.0),
            at: position.at,
        },
    }
}

/// Get the last position of every machine
///
/// Returns GeoJSON points of the machines that you can see, for a map of the whole fleet. Machines without a base station, and those
/// whose base station has not reported a position since it was installed on them, are left out. If your access is restricted to
/// projects, so are positions from before the machine came to one of them.
#[web::operation(
    get, path = "/api/v2/positions", tag = "machines", operation_id = "list_positions",
    responses(
        (status = 200, description = "The positions as a feature collection.", body = Positions, content_type = "application/geo+json"),
        json_api_errors::BadParams,
    ),
)]
pub async fn list_positions(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    _: NoParams,
) -> Result {
    let found = app.list_machine_positions(&caller).await?;
    let features = found.into_iter().map(feature).collect();
    Ok(web::geo_json_response(&Positions { kind: FeatureCollectionType, features }))
}

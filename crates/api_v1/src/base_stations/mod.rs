//! /api/v1/base_stations

mod change;
mod create;
mod get;
mod installation;
mod installations;
mod list;
mod messages;
mod status;
mod timeline;
mod video_clips;
mod writable_fields;
mod zones;

use app::BaseStationView;
use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub use create::NewStationFields;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_base_stations, create::create_base_station))
        .routes(routes!(get::get_base_station, change::change_base_station))
        .routes(routes!(installation::install_base_station))
        .routes(routes!(installations::list_installations))
        .routes(routes!(status::get_base_station_status))
        .routes(routes!(timeline::list_base_station_timeline))
        .routes(routes!(zones::list_base_station_zones))
        .merge(messages::routes())
        .merge(video_clips::routes())
}

/// A base station, which is fitted on a machine and notices tags.
#[derive(Serialize, ToSchema)]
pub struct BaseStation {
    /// Its id.
    #[schema(example = 5)]
    id: i64,
    /// What stands on it; unique in the brand, whatever its case.
    #[schema(example = "BS-0042")]
    serial: String,
    /// What it is called.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// What runs on it, as it told.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// What its cameras are called.
    #[schema(example = json!(["front", "rear"]))]
    cameras: Vec<String>,
    /// How far its zones reach now, by antenna.
    zones: Vec<CurrentZones>,
    /// The machine it is on now; null if it is on none.
    machine: Option<MachineReference>,
    /// Since when it is on that machine.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    installed_since: Option<Timestamp>,
    /// How it stands: the first of these that holds.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    status: &'static str,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Where it was last; null if it never told.
    last_position: Option<LastPosition>,
    /// What it noticed, as far as you see it.
    incursions: StationIncursions,
    /// When it was added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// Where a base station was last, in degrees.
#[derive(Serialize, ToSchema)]
pub struct LastPosition {
    /// To the north.
    #[schema(example = 52.52)]
    lat: f64,
    /// To the east.
    #[schema(example = 13.405)]
    lon: f64,
    /// When it was there.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

/// The incursions of a base station in few words; those that were dismissed, or were none, are left out.
#[derive(Serialize, ToSchema)]
pub struct StationIncursions {
    /// How many there were in the last thirty days.
    #[schema(example = 17)]
    last_30_days: i64,
    /// When the last one began, whenever that was.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

/// How far the zones around an antenna reach now.
#[derive(Serialize, ToSchema)]
pub struct CurrentZones {
    /// The antenna.
    #[schema(example = "front")]
    antenna: String,
    /// How far the outer zone reaches.
    #[schema(example = 6.5)]
    warning_m: f64,
    /// How far the inner zone reaches.
    #[schema(example = 3.0)]
    danger_m: f64,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

/// A machine, by name.
#[derive(Serialize, ToSchema)]
pub struct MachineReference {
    /// Its id.
    #[schema(example = 4)]
    pub id: i64,
    /// What it is called.
    #[schema(example = "Crane 4")]
    pub name: String,
}

fn shape(view: BaseStationView) -> BaseStation {
    let BaseStationView { station, zones, health: standing, position, incursions, .. } = view;
    let zones = zones.into_iter().map(|row| CurrentZones {
        antenna: row.zones.antenna.to_string(),
        warning_m: row.zones.warning.metres(),
        danger_m: row.zones.danger.metres(),
        from: row.from,
    });
    BaseStation {
        id: station.id.0,
        serial: station.serial,
        name: station.name,
        firmware: station.firmware,
        cameras: station.cameras,
        zones: zones.collect(),
        installed_since: station.machine.as_ref().map(|(_, _, since)| *since),
        machine: station.machine.map(|(id, name, _)| MachineReference { id: id.0, name }),
        status: standing.status.as_str(),
        last_seen_at: station.heartbeat.last_seen_at,
        last_position: position.map(|last| LastPosition {
            lat: last.position.lat(),
            lon: last.position.lon(),
            at: last.at,
        }),
        incursions: StationIncursions { last_30_days: incursions.count, last_at: incursions.last_at },
        created_at: station.created_at,
        updated_at: station.updated_at,
    }
}

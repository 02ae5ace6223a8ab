//! /api/v1/base_stations: base stations, their installations, zones, status, messages and video.

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
use web::{OpenAlertRecord, OperationRouter, enum_schemas, routes};

use crate::references::NamedReference;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
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

/// A base station. It is installed on a machine and detects tags.
#[web::answer(record)]
pub struct BaseStation {
    /// Identifier of the base station.
    #[schema(example = 5)]
    id: i64,
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042")]
    serial: String,
    /// Name of the base station, if it has one.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// Firmware version, as reported by the base station.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// Names of the cameras.
    #[schema(example = json!(["front", "rear"]))]
    cameras: Vec<String>,
    /// Current zone radii, by antenna.
    zones: Vec<CurrentZones>,
    /// Machine that the base station is installed on now; null if it is on none.
    machine: Option<NamedReference>,
    /// Time since which the base station has been on that machine, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    installed_since: Option<Timestamp>,
    /// Current status: the first of the possible values that applies.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    status: &'static str,
    /// Time of the last contact with the base station, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Last known position; null if the base station never reported one.
    last_position: Option<LastPosition>,
    /// Summary of the incursions that the base station detected, as far as they are visible to you.
    incursions: StationIncursions,
    /// Alarms about the base station, or about the machine that it is on, that have not cleared, the newest first; as far as you see them.
    open_alerts: Vec<OpenAlertRecord>,
    /// Time at which the base station was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the base station was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// Last known position of a base station, in degrees (WGS 84).
#[web::answer]
pub struct LastPosition {
    /// Latitude; north is positive.
    #[schema(example = 52.52)]
    lat: f64,
    /// Longitude; east is positive.
    #[schema(example = 13.405)]
    lon: f64,
    /// Time of the position, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

/// A summary of the incursions of a base station. Incursions reviewed as dismissed or as false detections are not counted.
#[web::answer]
pub struct StationIncursions {
    /// Number of incursions in the last 30 days.
    #[schema(example = 17)]
    last_30_days: i64,
    /// Time at which the latest incursion started, RFC 3339 in UTC, however long ago.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_at: Option<Timestamp>,
}

/// Current zone radii around an antenna.
#[web::answer]
pub struct CurrentZones {
    /// Name of the antenna.
    #[schema(example = "front")]
    antenna: String,
    /// Radius of the warning zone, the outer one, in metres.
    #[schema(example = 6.5)]
    warning_m: f64,
    /// Radius of the danger zone, the inner one, in metres.
    #[schema(example = 3.0)]
    danger_m: f64,
    /// Time since which these radii have applied, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

fn shape(view: BaseStationView) -> BaseStation {
    let BaseStationView { station, zones, health: standing, position, incursions, open_alerts, .. } = view;
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
        machine: station.machine.map(|(id, name, _)| NamedReference { id: id.0, name }),
        status: standing.status.as_str(),
        last_seen_at: station.heartbeat.last_seen_at,
        last_position: position.map(|last| LastPosition {
            lat: last.position.lat(),
            lon: last.position.lon(),
            at: last.at,
        }),
        incursions: StationIncursions { last_30_days: incursions.count, last_at: incursions.last_at },
        open_alerts: open_alerts.into_iter().map(web::shape_open_alert).collect(),
        created_at: station.created_at,
        updated_at: station.updated_at,
    }
}

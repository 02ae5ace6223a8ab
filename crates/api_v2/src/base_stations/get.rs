//! GET /api/v2/base_stations/{id}

use std::sync::Arc;

use app::{App, StationDetails};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{BaseStationId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NamedReference, NoParams, PathId, Result, enum_schemas, json_api_errors};

/// A base station with its machine, status, zones, position and key figures.
#[derive(Serialize, ToSchema)]
pub struct BaseStationPage {
    /// Id of the base station.
    #[schema(example = 5)]
    id: i64,
    /// Serial number printed on the base station.
    #[schema(example = "BS-0042")]
    serial: String,
    /// Name of the base station.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// Firmware version, as the base station reported it.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// Names of the cameras.
    #[schema(example = json!(["front", "rear"]))]
    cameras: Vec<String>,
    /// Machine on which the base station is installed now; null if it is not installed.
    machine: Option<PageMachine>,
    /// Status of the base station.
    status: PageStatus,
    /// Current radii of the zones, by antenna.
    zones: Vec<PageZones>,
    /// Last known position; null if the base station never reported one.
    last_position: Option<PagePosition>,
    /// Current installation, assignment and project.
    links: PageLinks,
    /// Key figures of the last 30 days, from the data you can see.
    last_30_days: PageFigures,
}

/// The machine on which the base station is installed.
#[derive(Serialize, ToSchema)]
pub struct PageMachine {
    /// Id of the machine.
    #[schema(example = 4)]
    id: i64,
    /// Name of the machine.
    #[schema(example = "Excavator 4")]
    name: String,
    /// Kind of machine.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: domain::MachineKind,
    /// Manufacturer's serial number.
    #[schema(example = "CAT0320EJ4711")]
    serial_number: Option<String>,
    /// Manufacturer.
    #[schema(example = "Caterpillar")]
    manufacturer: Option<String>,
    /// Manufacturer's model designation.
    #[schema(example = "320")]
    model: Option<String>,
    /// Number plate.
    #[schema(example = "B-KC 320")]
    number_plate: Option<String>,
}

/// Status of a base station.
#[derive(Serialize, ToSchema)]
pub struct PageStatus {
    /// The first status in this list that applies.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    state: &'static str,
    /// Time at which the status began, RFC 3339 in UTC; null if it is not known.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    since: Option<Timestamp>,
    /// Reason for the status, as a sentence.
    #[schema(example = "The last contact was at 2026-03-01T08:00:00Z, without faults.")]
    reason: String,
    /// Time of the last message from the base station, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Faults that the base station reported.
    #[schema(example = json!([]))]
    faults: Vec<String>,
}

/// Current radii of the zones around an antenna.
#[derive(Serialize, ToSchema)]
pub struct PageZones {
    /// Name of the antenna.
    #[schema(example = "front")]
    antenna: String,
    /// Radius of the outer zone in metres.
    #[schema(example = 6.5)]
    warning_m: f64,
    /// Radius of the inner zone in metres.
    #[schema(example = 3.0)]
    danger_m: f64,
    /// Time from which these radii apply, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

/// Last known position of a base station, in degrees.
#[derive(Serialize, ToSchema)]
pub struct PagePosition {
    /// Latitude in degrees.
    #[schema(example = 52.52)]
    lat: f64,
    /// Longitude in degrees.
    #[schema(example = 13.405)]
    lon: f64,
    /// Time of the position, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    at: Timestamp,
}

/// Current installation, assignment and project of a base station.
#[derive(Serialize, ToSchema)]
pub struct PageLinks {
    /// Machine on which the base station is installed.
    installation: Option<PageLink>,
    /// Worksite to which the machine is assigned.
    assignment: Option<PageLink>,
    /// Project of that worksite.
    project: Option<NamedReference>,
}

/// A current installation or assignment.
#[derive(Serialize, ToSchema)]
pub struct PageLink {
    /// Machine or worksite that it leads to.
    to: NamedReference,
    /// Time from which it applies, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

/// Key figures of a period. Incursions that were dismissed or reviewed as false detections are not counted.
#[derive(Serialize, ToSchema)]
pub struct PageFigures {
    /// Start of the period, RFC 3339 in UTC. Incursions that started at this time or later are counted.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    from: Timestamp,
    /// End of the period, exclusive, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-03T08:00:00Z")]
    to: Timestamp,
    /// Number of incursions that the base station detected.
    #[schema(example = 17)]
    incursions: i64,
    /// Number of incursions acknowledged in the cab.
    #[schema(example = 12)]
    acknowledged: i64,
    /// Acknowledged incursions divided by all incursions.
    acknowledgement_rate: RatioMetric,
    /// Hours during which the ignition was on.
    #[schema(example = 41.5)]
    runtime_hours: f64,
    /// Incursions per hour of runtime.
    incursions_per_runtime_hour: RatioMetric,
    /// Average duration of the incursions that have ended.
    average_duration: RatioMetric,
    /// Number of different known people on foot who were involved in an incursion.
    #[schema(example = 6)]
    pedestrians: i64,
    /// Number of different known operators during this period.
    #[schema(example = 2)]
    operators: i64,
}

/// A ratio with its numerator and denominator.
#[derive(Serialize, ToSchema)]
pub struct RatioMetric {
    /// Numerator divided by denominator; null if there is no value.
    #[schema(example = 0.41)]
    value: Option<f64>,
    /// Numerator of the ratio.
    #[schema(example = 17.0)]
    numerator: f64,
    /// Denominator of the ratio.
    #[schema(example = 41.5)]
    denominator: f64,
    /// Unit of the value.
    #[schema(example = "1/h")]
    unit: &'static str,
    /// Reason why there is no value: `no_incursions`, `no_runtime` or `no_data`.
    #[schema(example = json!(null))]
    reason: Option<&'static str>,
}

impl RatioMetric {
    fn new(numerator: f64, denominator: f64, unit: &'static str, missing_reason: &'static str) -> Self {
        let is_there = denominator > 0.0;
        Self {
            value: is_there.then(|| numerator / denominator),
            numerator,
            denominator,
            unit,
            reason: (!is_there).then_some(missing_reason),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no station has 2^53 incursions")]
fn figures(page: &StationDetails) -> PageFigures {
    let of = &page.figures;
    let seconds = |span: domain::Span| span.micros() as f64 / 1e6;
    let (incursions, hours) = (of.incursions as f64, seconds(of.runtime) / 3_600.0);
    // There may be incursions of which none has a known end.
    let without = if of.incursions == 0 { "no_incursions" } else { "no_data" };
    PageFigures {
        from: page.from,
        to: page.to,
        incursions: of.incursions,
        acknowledged: of.acknowledged,
        acknowledgement_rate: RatioMetric::new(of.acknowledged as f64, incursions, "1", "no_incursions"),
        runtime_hours: hours,
        incursions_per_runtime_hour: RatioMetric::new(incursions, hours, "1/h", "no_runtime"),
        average_duration: RatioMetric::new(seconds(of.exposure), of.ended as f64, "s", without),
        pedestrians: of.pedestrians,
        operators: of.operators,
    }
}

fn shape(page: StationDetails) -> BaseStationPage {
    let figures = figures(&page);
    let StationDetails { view, machine, worksite, project, .. } = page;
    let station = view.station;
    let link = |id: i64, name: String, from| PageLink { to: NamedReference { id, name }, from };
    let zones = view.zones.into_iter().map(|row| PageZones {
        antenna: row.zones.antenna.to_string(),
        warning_m: row.zones.warning.metres(),
        danger_m: row.zones.danger.metres(),
        from: row.from,
    });
    BaseStationPage {
        id: station.id.0,
        serial: station.serial,
        name: station.name,
        firmware: station.firmware,
        cameras: station.cameras,
        machine: machine.map(|machine| PageMachine {
            id: machine.id.0,
            name: machine.name,
            kind: machine.kind,
            serial_number: machine.serial_number,
            manufacturer: machine.manufacturer,
            model: machine.model,
            number_plate: machine.number_plate,
        }),
        status: PageStatus {
            state: view.health.status.as_str(),
            since: view.health.since,
            reason: view.health.reason,
            last_seen_at: station.heartbeat.last_seen_at,
            faults: station.heartbeat.faults,
        },
        zones: zones.collect(),
        last_position: view.position.map(|last| PagePosition {
            lat: last.position.lat(),
            lon: last.position.lon(),
            at: last.at,
        }),
        links: PageLinks {
            installation: station.machine.map(|(id, name, from)| link(id.0, name, from)),
            assignment: worksite.map(|(id, name, from)| link(id.0, name, from)),
            project: project.map(|(id, name)| NamedReference { id: id.0, name }),
        },
        last_30_days: figures,
    }
}

/// Get a base station with its machine and key figures
///
/// Returns what a machine's page needs in one response: the base station, its status, its last position, its installation, assignment
/// and project, and the key figures of the last 30 days. The figures are those of the base station, whichever machine it was on.
#[web::operation(
    get, path = "/api/v2/base_stations/{id}", tag = "base stations", operation_id = "get_base_station_page",
    params(("id" = i64, Path, description = "Id of the base station.")),
    responses(
        (status = 200, description = "The base station.", body = BaseStationPage),
        json_api_errors::NotFound,
    ),
)]
pub async fn get_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_station_details(&caller, BaseStationId(id)).await?)))
}

//! GET /api/v2/base_stations/{id}

use std::sync::Arc;

use app::{App, StationDetails};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{BaseStationId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, NamedReference, NoParams, PathId, Result, enum_schemas, json_api_errors};

/// A machine's page: the base station on it, and what they come to.
#[derive(Serialize, ToSchema)]
pub struct BaseStationPage {
    /// The base station's id.
    #[schema(example = 5)]
    id: i64,
    /// What stands on it.
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
    /// The machine it is on now; null if it is on none.
    machine: Option<PageMachine>,
    /// How it stands.
    status: PageStatus,
    /// How far its zones reach now, by antenna.
    zones: Vec<PageZones>,
    /// Where it was last; null if it never told.
    last_position: Option<PagePosition>,
    /// What it belongs to now.
    links: PageLinks,
    /// What the last thirty days come to, as far as you see them.
    last_30_days: PageFigures,
}

/// The machine.
#[derive(Serialize, ToSchema)]
pub struct PageMachine {
    /// Its id.
    #[schema(example = 4)]
    id: i64,
    /// What it is called.
    #[schema(example = "Excavator 4")]
    name: String,
    /// What sort of machine it is.
    #[schema(value_type = enum_schemas::MachineKind)]
    kind: domain::MachineKind,
    /// What its maker calls it.
    #[schema(example = "CAT0320EJ4711")]
    serial_number: Option<String>,
    /// Who made it.
    #[schema(example = "Caterpillar")]
    manufacturer: Option<String>,
    /// Which of their models it is.
    #[schema(example = "320")]
    model: Option<String>,
    /// What stands on its plate.
    #[schema(example = "B-KC 320")]
    number_plate: Option<String>,
}

/// How a base station stands, since when and why.
#[derive(Serialize, ToSchema)]
pub struct PageStatus {
    /// The first of these that holds.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    state: &'static str,
    /// Since when.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    since: Option<Timestamp>,
    /// Why, in a sentence.
    #[schema(example = "It was last heard of at 2026-03-01T08:00:00Z, without faults.")]
    reason: String,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// The faults it told of.
    #[schema(example = json!([]))]
    faults: Vec<String>,
}

/// How far the zones around an antenna reach now.
#[derive(Serialize, ToSchema)]
pub struct PageZones {
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

/// Where a base station was last, in degrees.
#[derive(Serialize, ToSchema)]
pub struct PagePosition {
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

/// The links that are open.
#[derive(Serialize, ToSchema)]
pub struct PageLinks {
    /// The machine that the base station is on.
    installation: Option<PageLink>,
    /// The worksite that the machine is assigned to.
    assignment: Option<PageLink>,
    /// The project of that worksite.
    project: Option<NamedReference>,
}

/// An open link.
#[derive(Serialize, ToSchema)]
pub struct PageLink {
    /// What it leads to.
    to: NamedReference,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

/// The numbers of a time. Incursions that were dismissed, or were none, are left out.
#[derive(Serialize, ToSchema)]
pub struct PageFigures {
    /// What began from then on is counted.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    from: Timestamp,
    /// What began before is counted.
    #[schema(value_type = String, format = DateTime, example = "2026-03-03T08:00:00Z")]
    to: Timestamp,
    /// How many incursions the base station noticed.
    #[schema(example = 17)]
    incursions: i64,
    /// How many of them were acknowledged in the cab.
    #[schema(example = 12)]
    acknowledged: i64,
    /// Acknowledged ones among all.
    acknowledgement_rate: RatioMetric,
    /// How long the ignition was on.
    #[schema(example = 41.5)]
    runtime_hours: f64,
    /// Incursions for each hour of runtime.
    incursions_per_runtime_hour: RatioMetric,
    /// How long they lasted on average, of those that have an end.
    average_duration: RatioMetric,
    /// How many people came near, of those who are known.
    #[schema(example = 6)]
    pedestrians: i64,
    /// How many people drove then, of those who are known.
    #[schema(example = 2)]
    operators: i64,
}

/// A number that is made of two others.
#[derive(Serialize, ToSchema)]
pub struct RatioMetric {
    /// The one divided by the other; null if there is none.
    #[schema(example = 0.41)]
    value: Option<f64>,
    /// What is divided.
    #[schema(example = 17.0)]
    numerator: f64,
    /// By what.
    #[schema(example = 41.5)]
    denominator: f64,
    /// In what it is measured.
    #[schema(example = "1/h")]
    unit: &'static str,
    /// Why there is none: `no_incursions`, `no_runtime` or `no_data`.
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
    // All of them may still last, or have lost their ends.
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

/// The page of a machine in one answer: its base station, how that stands, where it was last, what it belongs to, and what the
/// last thirty days come to. What happened is that of the base station, whichever machine it was on.
#[utoipa::path(
    get, path = "/api/v2/base_stations/{id}", tag = "base stations", operation_id = "get_base_station_page",
    security(("jwt" = [])),
    params(("id" = i64, Path, description = "The base station's id")),
    responses(
        (status = 200, description = "The page", body = BaseStationPage),
        json_api_errors::Unauthenticated, json_api_errors::NotFound,
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

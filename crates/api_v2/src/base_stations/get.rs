//! GET /api/v2/base_stations/{id}

use std::sync::Arc;

use app::{App, StationDetails};
use axum::extract::State;
use domain::access::{ReadInsights, ReadRegistry};
use domain::insights::{Measure, NoValueReason};
use domain::{BaseStationId, Span, StationPosition, StationZones, Timestamp};
use web::{Caller, Metric, NamedReference, OpenAlertRecord, PathId, Result, enum_schemas, json_api_errors};

use super::resource::{BaseStation, objects};
use crate::json_api::{self, DocumentOf, DocumentQuery, Included, PrefersJsonApi, ResourceParams};

type BaseStationReading = ResourceParams<BaseStation>;
type BaseStationDocument = DocumentOf<BaseStation>;

/// A base station with its machine, status, zones, position and key figures.
#[web::answer]
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
    /// Alarms about the base station, or about the machine that it is on, that have not cleared, the newest first; as far as you see them.
    open_alerts: Vec<OpenAlertRecord>,
    /// Time at which the base station was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change of the base station, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// The machine on which the base station is installed.
#[web::answer]
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
#[web::answer]
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
#[web::answer]
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
#[web::answer]
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

impl From<StationZones> for PageZones {
    fn from(row: StationZones) -> Self {
        Self {
            antenna: row.zones.antenna.to_string(),
            warning_m: row.zones.warning.metres(),
            danger_m: row.zones.danger.metres(),
            from: row.from,
        }
    }
}

impl From<StationPosition> for PagePosition {
    fn from(last: StationPosition) -> Self {
        Self { lat: last.position.lat(), lon: last.position.lon(), at: last.at }
    }
}

/// Current installation, assignment and project of a base station.
#[web::answer]
pub struct PageLinks {
    /// Machine on which the base station is installed.
    installation: Option<PageLink>,
    /// Worksite to which the machine is assigned.
    assignment: Option<PageLink>,
    /// Project of that worksite.
    project: Option<NamedReference>,
}

/// A current installation or assignment.
#[web::answer]
pub struct PageLink {
    /// Machine or worksite that it leads to.
    to: NamedReference,
    /// Time from which it applies, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
}

/// Key figures of a period. Incursions that were dismissed or reviewed as false detections are not counted.
#[web::answer]
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
    acknowledgement_rate: Metric,
    /// Hours during which the ignition was on.
    #[schema(example = 41.5)]
    runtime_hours: f64,
    /// Incursions per hour of runtime.
    incursions_per_runtime_hour: Metric,
    /// Average duration of the incursions that have ended.
    average_duration: Metric,
    /// Number of different known people on foot who were involved in an incursion.
    #[schema(example = 6)]
    pedestrians: i64,
    /// Number of different known operators during this period.
    #[schema(example = 2)]
    operators: i64,
}

/// Returns numerator divided by denominator, which are in the unit of the measure.
fn ratio(measure: Measure, numerator: f64, denominator: f64, missing: NoValueReason) -> Metric {
    let has_value = denominator > 0.0;
    Metric {
        value: has_value.then(|| numerator / denominator),
        numerator: Some(numerator),
        denominator: Some(denominator),
        unit: measure.unit().as_str(),
        reason: (!has_value).then_some(missing.as_str()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "no station has 2^53 incursions")]
fn figures(page: &StationDetails) -> PageFigures {
    use NoValueReason::{NoData, NoIncursions, NoRuntime};
    let of = &page.figures;
    let seconds = |span: Span| span.micros() as f64 / 1e6;
    let (incursions, hours) = (of.incursions as f64, seconds(of.runtime) / 3_600.0);
    let (acknowledged, ended) = (of.acknowledged as f64, of.ended as f64);
    // There may be incursions of which none has a known end.
    let without_end = if of.incursions == 0 { NoIncursions } else { NoData };
    PageFigures {
        from: page.from,
        to: page.to,
        incursions: of.incursions,
        acknowledged: of.acknowledged,
        acknowledgement_rate: ratio(Measure::AcknowledgementRate, acknowledged, incursions, NoIncursions),
        runtime_hours: hours,
        incursions_per_runtime_hour: ratio(Measure::IncursionsPerRuntimeHour, incursions, hours, NoRuntime),
        average_duration: ratio(Measure::AverageDuration, seconds(of.exposure), ended, without_end),
        pedestrians: of.pedestrians,
        operators: of.operators,
    }
}

fn shape(page: StationDetails) -> BaseStationPage {
    let figures = figures(&page);
    let StationDetails { view, machine, worksite, project, .. } = page;
    let station = view.station;
    let link = |id: i64, name: String, from| PageLink { to: NamedReference { id, name }, from };
    let zones = view.zones.into_iter().map(PageZones::from);
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
        last_position: view.position.map(PagePosition::from),
        links: PageLinks {
            installation: station.machine.map(|(id, name, from)| link(id.0, name, from)),
            assignment: worksite.map(|(id, name, from)| link(id.0, name, from)),
            project: project.map(|(id, name)| NamedReference { id: id.0, name }),
        },
        last_30_days: figures,
        open_alerts: view.open_alerts.into_iter().map(web::shape_open_alert).collect(),
        created_at: station.created_at,
        updated_at: station.updated_at,
    }
}

/// Get a base station with its machine and key figures
///
/// Returns what a machine's page needs in one response: the base station, its status, its last position, its installation, assignment
/// and project, and the key figures of the last 30 days. The figures are those of the base station, whichever machine it was on.
///
/// With `Accept: application/vnd.api+json` it returns the base station as a JSON:API resource, as in the list of base stations, unless
/// `application/json` has a higher weight there. `include` and `fields` are parameters of the resource only.
#[web::operation(
    get, path = "/api/v2/base_stations/{id}", tag = "base stations", operation_id = "get_base_station_page",
    params(("id" = i64, Path, description = "Id of the base station."), BaseStationReading),
    responses(
        (status = 200, description = "The base station.",
            content((BaseStationPage = "application/json"), (BaseStationDocument = "application/vnd.api+json")),
            headers(("ETag" = String, description = "Version of the base station; weak for `application/json`."))),
        json_api_errors::BadParams, json_api_errors::NotFound, json_api_errors::NegotiationFailed,
    ),
)]
pub async fn get_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PrefersJsonApi(as_resource): PrefersJsonApi,
    PathId(id): PathId,
    query: DocumentQuery<BaseStationReading>,
) -> Result {
    // 304 is never sent: the status and the figures change with time.
    if !as_resource {
        query.refuse_parameters()?;
        let page = app.find_station_details(&caller, BaseStationId(id)).await?;
        let version = page.view.station.version;
        // The resource has the strong tag, and two representations must not share one.
        return Ok(web::with_weak_etag(web::json_response(&shape(page)), version));
    }
    let reader = caller.with_permission::<ReadRegistry>()?;
    let station = app.find_base_station(&reader, BaseStationId(id)).await?;
    let version = station.station.version;
    let mut included = Included::default();
    let object = objects(&app, &reader, vec![station], &query.params.include, &mut included).await?.pop();
    Ok(web::with_etag(json_api::related_response(&query, object, included), version, None))
}

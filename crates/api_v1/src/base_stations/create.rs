//! POST /api/v1/base_stations

use std::sync::Arc;

use app::{App, BaseStationChange, BaseStationView, Idempotent};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{AntennaZones, Change, Name, PartName, Serial, Timestamp};
use web::{Caller, Fields, FromFields, IdempotentBody, NoParams, Result, problem};

use super::writable_fields::{self, Zones};
use super::{BaseStation, shape};

/// Fields of a new base station.
#[web::body(parts)]
pub struct NewBaseStation {
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042", min_length = 1, max_length = 64)]
    serial: Serial,
    /// Name of the base station.
    #[schema(example = "Crane 4, mast", min_length = 1, max_length = 100)]
    name: Change<Option<Name>>,
    /// Names of the cameras, each only once.
    #[schema(value_type = Option<Vec<String>>, example = json!(["front", "rear"]), max_items = 8)]
    #[field(read = web::read_cameras)]
    cameras: Change<Vec<PartName>>,
    /// Zone radii, at most one entry for each antenna.
    #[schema(value_type = Option<Vec<Zones>>, max_items = 16,
        example = json!([{ "antenna": "front", "warning_m": 6.5, "danger_m": 3.0 }]))]
    #[field(read = writable_fields::zones)]
    zones: Change<Vec<AntennaZones>>,
    /// Time from which the zones apply, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years ago.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

pub struct NewStationFields(pub Serial, pub BaseStationChange);

impl FromFields for NewStationFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = NewBaseStation::read_parts(fields);
        let (zones, effective_from) =
            writable_fields::check_zones(fields, parts.zones, parts.effective_from)?;
        let (serial, name, cameras) = (parts.serial?, parts.name?, parts.cameras?);
        let rest = BaseStationChange { serial: Change::Keep, name, cameras, zones, effective_from };
        Some(Self(serial, rest))
    }
}

/// Register a base station
///
/// The base station cannot send anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/base_stations", tag = "base stations", operation_id = "create_base_station",
    request_body = NewBaseStation,
    responses(
        (status = 201, description = "The new base station", body = BaseStation),
        problem::BadBody,
    ),
)]
pub async fn create_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    _: NoParams,
    IdempotentBody { value: NewStationFields(serial, new), key }: IdempotentBody<NewStationFields>,
) -> Result {
    let once = Idempotent::new(key, |made: &BaseStationView| {
        web::created_to_store(format!("/api/v1/base_stations/{}", made.station.id), &shape(made.clone()))
            .with_version(made.station.version)
    });
    Ok(web::render_stored(app.create_base_station(&caller, serial, new, once).await?))
}

//! POST /api/v1/base_stations

use std::sync::Arc;

use app::{App, BaseStationChange, BaseStationView, Idempotent};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Change, Invalid, Serial};
use utoipa::ToSchema;
use web::{Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, problem};

use super::writable_fields::{self, Zones};
use super::{BaseStation, shape};

/// Fields of a new base station.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewBaseStation {
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042", min_length = 1, max_length = 64)]
    serial: String,
    /// Name of the base station.
    #[schema(example = "Crane 4, mast", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Names of the cameras, each only once.
    #[schema(example = json!(["front", "rear"]), max_items = 8, nullable = false)]
    cameras: Option<Vec<String>>,
    /// Zone radii, at most one entry for each antenna.
    #[schema(example = json!([{ "antenna": "front", "warning_m": 6.5, "danger_m": 3.0 }]), max_items = 16, nullable = false)]
    zones: Option<Vec<Zones>>,
    /// Time from which the zones apply, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years ago.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<String>,
}

pub struct NewStationFields(pub Serial, pub BaseStationChange);

impl FromFields for NewStationFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let mut new = writable_fields::read(fields);
        match new.as_mut().map(|new| std::mem::take(&mut new.serial)) {
            Some(Change::Set(serial)) => new.map(|new| Self(serial, new)),
            Some(Change::Keep) => fields.add_fault("serial", Invalid::new("required", "must be given")),
            None => None,
        }
    }
}

/// Register a base station
///
/// The base station cannot send anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    post, path = "/api/v1/base_stations", tag = "base stations", operation_id = "create_base_station",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewBaseStation,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "The new base station", body = BaseStation),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
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
    });
    Ok(web::render_stored(app.create_base_station(&caller, serial, new, once).await?))
}

//! PATCH /api/v1/base_stations/{id}

use std::sync::Arc;

use app::{App, BaseStationChange};
use axum::extract::State;
use domain::BaseStationId;
use domain::access::ManageDevices;
use utoipa::ToSchema;
use web::{Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, problem};

use super::writable_fields::{self, Zones};
use super::{BaseStation, shape};

/// Changes to a base station. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedBaseStation {
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042", min_length = 1, max_length = 64, nullable = false)]
    serial: Option<String>,
    /// Name of the base station; null removes it.
    #[schema(example = "Crane 4, mast", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Names of all cameras, each only once.
    #[schema(example = json!(["front", "rear"]), max_items = 8, nullable = false)]
    cameras: Option<Vec<String>>,
    /// Zone radii of all antennas. The zones of an antenna that is left out end.
    #[schema(example = json!([{ "antenna": "front", "warning_m": 6.5, "danger_m": 3.0 }]), max_items = 16, nullable = false)]
    zones: Option<Vec<Zones>>,
    /// Time from which the zones apply, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years ago.
    /// Zones that were set for a later time are superseded.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<String>,
}

pub struct ChangeFields(BaseStationChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        writable_fields::read(fields).map(Self)
    }
}

/// Change a base station
///
/// The previous zones stay in the history of zones.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[utoipa::path(
    patch, path = "/api/v1/base_stations/{id}", tag = "base stations", operation_id = "change_base_station",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the base station"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedBaseStation,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The changed base station", body = BaseStation,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_base_station(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_base_station(&caller, BaseStationId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let changed = app.change_base_station(&caller, BaseStationId(id), &if_match, change).await?;
    let version = changed.station.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

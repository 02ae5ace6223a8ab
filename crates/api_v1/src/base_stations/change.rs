//! PATCH /api/v1/base_stations/{id}

use std::sync::Arc;

use app::{App, BaseStationChange};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{AntennaZones, BaseStationId, Change, Name, PartName, Serial, Timestamp};
use web::{
    Caller, DeferredBody, Fields, FixedMembers, FromFields, IfMatchHeader, NoParams, PathId, Record, Result,
    problem,
};

use super::writable_fields::{self, Zones};
use super::{BaseStation, shape};

/// Changes to a base station. Fields that are left out keep their values.
#[web::body(parts)]
pub struct ChangedBaseStation {
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042", min_length = 1, max_length = 64)]
    serial: Change<Serial>,
    /// Name of the base station; null removes it.
    #[schema(example = "Crane 4, mast", min_length = 1, max_length = 100)]
    name: Change<Option<Name>>,
    /// Names of all cameras, each only once.
    #[schema(value_type = Option<Vec<String>>, example = json!(["front", "rear"]), max_items = 8)]
    #[field(read = web::read_cameras)]
    cameras: Change<Vec<PartName>>,
    /// Zone radii of all antennas. The zones of an antenna that is left out end.
    #[schema(value_type = Option<Vec<Zones>>, max_items = 16,
        example = json!([{ "antenna": "front", "warning_m": 6.5, "danger_m": 3.0 }]))]
    #[field(read = writable_fields::shown_zones)]
    zones: Change<Vec<AntennaZones>>,
    /// Time from which the zones apply, RFC 3339 in UTC; the default is now. It must not be in the future and at most five years ago.
    /// Zones that were set for a later time are superseded.
    #[schema(example = "2026-03-01T08:00:00Z")]
    effective_from: Option<Timestamp>,
}

pub struct ChangeFields(BaseStationChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let parts = ChangedBaseStation::read_parts(fields);
        let (zones, effective_from) =
            writable_fields::check_zones(fields, parts.zones, parts.effective_from)?;
        Some(Self(BaseStationChange {
            serial: parts.serial?,
            name: parts.name?,
            cameras: parts.cameras?,
            zones,
            effective_from,
        }))
    }

    fn is_shown_member(name: &str) -> bool {
        BaseStation::has_member(name)
    }
}

/// Change a base station
///
/// The previous zones stay in the history of zones.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the change would affect records outside them.
#[web::operation(
    patch, path = "/api/v1/base_stations/{id}", tag = "base stations", operation_id = "change_base_station",
    params(
        ("id" = i64, Path, description = "Identifier of the base station"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedBaseStation,
    responses(
        (status = 200, description = "The changed base station", body = BaseStation,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let created_at = app.check_base_station(&caller, BaseStationId(id)).await?;
    let ChangeFields(change) = body.read_change(&FixedMembers::new(id, created_at)).await?;
    let changed = app.change_base_station(&caller, BaseStationId(id), &if_match, change).await?;
    let version = changed.station.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

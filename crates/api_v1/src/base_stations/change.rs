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

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedBaseStation {
    /// What stands on it; unique in the brand, whatever its case.
    #[schema(example = "BS-0042", min_length = 1, max_length = 64, nullable = false)]
    serial: Option<String>,
    /// What it is called; null takes it away.
    #[schema(example = "Crane 4, mast", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// What its cameras are called, all of them; each only once.
    #[schema(example = json!(["front", "rear"]), max_items = 8, nullable = false)]
    cameras: Option<Vec<String>>,
    /// How far its zones reach, all of them: those of an antenna that is left out end.
    #[schema(example = json!([{ "antenna": "front", "warning_m": 6.5, "danger_m": 3.0 }]), max_items = 16, nullable = false)]
    zones: Option<Vec<Zones>>,
    /// Since when they do; now, unless it is given. Not in the future, and at most five years ago. What was set for later
    /// than that is superseded.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    effective_from: Option<String>,
}

/// A change that was read.
pub struct ChangeFields(BaseStationChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        writable_fields::read(fields).map(Self)
    }
}

/// Changes a base station. What its zones were before stays in their history.
///
/// 403 `restricted` if you are restricted to projects and it would change what happened outside of them.
#[utoipa::path(
    patch, path = "/api/v1/base_stations/{id}", tag = "base stations", operation_id = "change_base_station",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "The base station's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedBaseStation,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "Changed", body = BaseStation,
            headers(("ETag" = String, description = "Its version"))),
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

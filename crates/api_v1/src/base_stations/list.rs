//! GET /api/v1/base_stations

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationFilter, MachineId, StationStatus};
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, enum_schemas, problem};

use super::{BaseStation, shape};

pub struct StationParams {
    filter: BaseStationFilter,
    list: ListParams,
}

impl FromParams for StationParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = BaseStationFilter {
            q: query.search("q")?,
            status: query.one("status", StationStatus::parse)?,
            machine: query.id("machine_id")?.map(MachineId),
            installed: query.optional_flag("installed")?,
        };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type BaseStationList = List<BaseStation>;

/// List base stations
///
/// The base stations visible to you are sorted by serial number.
#[web::operation(
    get, path = "/api/v1/base_stations", tag = "base stations", operation_id = "list_base_stations",
    params(
        ("q" = Option<String>, Query, description = "Part of a serial number or name; case and accents are ignored"),
        ("status" = Option<enum_schemas::StationStatus>, Query, description = "Only base stations with this current status"),
        ("machine_id" = Option<i64>, Query, description = "Only the base station that is installed on this machine"),
        ("installed" = Option<bool>, Query, description = "`true` returns only base stations on a machine, `false` only those on none"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of base stations", body = BaseStationList),
        problem::BadParams,
    ),
)]
pub async fn list_base_stations(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    Params(params): Params<StationParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_base_stations(&caller, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}

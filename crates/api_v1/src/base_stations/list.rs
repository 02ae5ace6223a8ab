//! GET /api/v1/base_stations

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{BaseStationFilter, ListOrder, MachineId, RegistryRows, StationStatus};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{BaseStation, shape};

pub struct StationParams {
    filter: BaseStationFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for StationParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_SERIAL.read(query, &["q", "status", "machine_id", "installed"])?;
        let filter = BaseStationFilter {
            q: query.search("q")?,
            statuses: query.one("status", StationStatus::parse)?.into_iter().collect(),
            machines: query.id("machine_id")?.map(MachineId).into_iter().collect(),
            installed: query.optional_flag("installed")?,
            rows: RegistryRows::default(),
        };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type BaseStationList = RegistryList<BaseStation>;

/// List base stations
///
/// Lists the base stations visible to you. Changes by people and new zones count as changes for `after_version`, not contacts and other
/// reports.
#[web::operation(
    get, path = "/api/v1/base_stations", tag = "base stations", operation_id = "list_base_stations",
    params(
        ("q" = Option<String>, Query, description = "Part of a serial number or name; case and accents are ignored"),
        ("status" = Option<enum_schemas::StationStatus>, Query, description = "Only base stations with this current status"),
        ("machine_id" = Option<i64>, Query, description = "Only the base station that is installed on this machine"),
        ("installed" = Option<bool>, Query, description = "`true` returns only base stations on a machine, `false` only those on none"),
        ("sort" = Option<enum_schemas::SerialSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `serial`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
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
    let StationParams { filter, order, list } = params;
    let found = app.list_base_stations(&caller, &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}

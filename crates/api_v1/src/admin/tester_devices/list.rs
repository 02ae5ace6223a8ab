//! GET /api/v1/admin/tester_devices

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{DeviceFilter, ListOrder, RegistryRows};
use web::{
    Caller, FromParams, ListParams, Params, Query, RegistryList, Result, SortOrders, enum_schemas, problem,
};

use super::{TesterDevice, shape};

pub struct DeviceParams {
    filter: DeviceFilter,
    order: ListOrder,
    list: ListParams,
}

impl FromParams for DeviceParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let order = SortOrders::BY_NAME.read(query, &["q"])?;
        let filter = DeviceFilter { q: query.search("q")?, rows: RegistryRows::default() };
        Ok(Self { filter, order, list: ListParams::read(query)? })
    }
}

pub type TesterDeviceList = RegistryList<TesterDevice>;

/// List tester devices
///
/// The tester devices of the brand are listed.
#[web::operation(
    get, path = "/api/v1/admin/tester_devices", tag = "admin", operation_id = "list_tester_devices",
    params(
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ("sort" = Option<enum_schemas::NamedSort>, Query,
            description = "Sort order; a leading minus sorts in descending order. The default is `name`"),
        ("after_version" = Option<i64>, Query, minimum = 0,
            description = "Incremental sync: every row that changed after this version of the registry, in the order of the changes and \
                including archived rows; 0 starts from the beginning. No filter and no `sort` may be given with it. Pass the answer's \
                `page.registry_version` next time. Start again from 0 when your projects change."),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of tester devices", body = TesterDeviceList),
        problem::BadParams,
    ),
)]
pub async fn list_tester_devices(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    Params(DeviceParams { filter, order, list }): Params<DeviceParams>,
) -> Result {
    let found = app.list_tester_devices(&caller, &filter, &list.request(order)).await?;
    Ok(web::registry_list_response(&list, found, shape))
}

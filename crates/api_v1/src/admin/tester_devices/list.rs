//! GET /api/v1/admin/tester_devices

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{TesterDevice, shape};

pub struct DeviceParams {
    q: Option<String>,
    list: ListParams,
}

impl FromParams for DeviceParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { q: query.search("q")?, list: ListParams::read(query)? })
    }
}

pub type TesterDeviceList = List<TesterDevice>;

/// List tester devices
///
/// The tester devices of the brand are sorted by name.
#[web::operation(
    get, path = "/api/v1/admin/tester_devices", tag = "admin", operation_id = "list_tester_devices",
    params(
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
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
    Params(DeviceParams { q, list }): Params<DeviceParams>,
) -> Result {
    let found = app.list_tester_devices(&caller, q.as_deref(), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

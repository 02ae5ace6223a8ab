//! GET /api/v1/admin/tester_devices

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use utoipa::ToSchema;
use web::{Caller, FromParams, ListParams, PageInfo, Params, Query, Result, problem};

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

/// A page of tester devices.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct TesterDeviceList {
    data: Vec<TesterDevice>,
    page: PageInfo,
}

/// List tester devices
///
/// The tester devices of the brand are sorted by name.
#[utoipa::path(
    get, path = "/api/v1/admin/tester_devices", tag = "admin", operation_id = "list_tester_devices",
    security(("session" = [])),
    params(
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "A page of tester devices", body = TesterDeviceList),
        problem::BadParams, problem::Unauthenticated, problem::Forbidden,
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

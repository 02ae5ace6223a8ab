//! GET /api/v1/admin/gateways

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageDevices;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{Gateway, shape};

pub struct GatewayParams {
    q: Option<String>,
    list: ListParams,
}

impl FromParams for GatewayParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { q: query.search("q")?, list: ListParams::read(query)? })
    }
}

pub type GatewayList = List<Gateway>;

/// List gateways
///
/// The gateways of the brand are sorted by name.
#[web::operation(
    get, path = "/api/v1/admin/gateways", tag = "admin", operation_id = "list_gateways",
    params(
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of gateways", body = GatewayList),
        problem::BadParams,
    ),
)]
pub async fn list_gateways(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    Params(GatewayParams { q, list }): Params<GatewayParams>,
) -> Result {
    let found = app.list_gateways(&caller, q.as_deref(), &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

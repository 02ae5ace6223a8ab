//! GET /api/v1/admin/service_accounts

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::ServiceAccountFilter;
use domain::access::ManageUsers;
use web::{Caller, FromParams, List, ListParams, Params, Query, Result, problem};

use super::{ServiceAccount, shape};

pub struct ServiceAccountParams {
    filter: ServiceAccountFilter,
    list: ListParams,
}

impl FromParams for ServiceAccountParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = ServiceAccountFilter { archived: query.flag("archived")?, q: query.search("q")? };
        Ok(Self { filter, list: ListParams::read(query)? })
    }
}

pub type ServiceAccountList = List<ServiceAccount>;

/// List service accounts
///
/// The service accounts of the brand are sorted by name.
///
/// If your access is restricted to projects, only service accounts whose access is within these projects are listed.
#[web::operation(
    get, path = "/api/v1/admin/service_accounts", tag = "admin", operation_id = "list_service_accounts",
    params(
        ("archived" = Option<bool>, Query, description = "`true` returns archived rows instead of active ones"),
        ("q" = Option<String>, Query, description = "Part of a name; case and accents are ignored"),
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of service accounts", body = ServiceAccountList),
        problem::BadParams,
    ),
)]
pub async fn list_service_accounts(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    Params(ServiceAccountParams { filter, list }): Params<ServiceAccountParams>,
) -> Result {
    let found = app.list_service_accounts(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

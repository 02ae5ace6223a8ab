//! PATCH /api/v1/admin/gateways/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Change, DeviceId, Name};
use web::{Caller, DeferredBody, FixedMembers, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Gateway, shape};

/// Changes to a gateway. Fields that are left out keep their values.
#[web::body(of = Gateway)]
pub struct ChangedGateway {
    /// Name of the gateway. It is unique in the brand.
    #[schema(example = "Site office", min_length = 1, max_length = 100)]
    name: Change<Name>,
}

/// Change a gateway
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    patch, path = "/api/v1/admin/gateways/{id}", tag = "admin", operation_id = "change_gateway",
    params(
        ("id" = i64, Path, description = "Identifier of the gateway"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedGateway,
    responses(
        (status = 200, description = "The changed gateway", body = Gateway,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn change_gateway(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let stored = app.find_gateway(&caller, DeviceId(id)).await?;
    let ChangedGateway { name } = body.read_change(&FixedMembers::new(id, stored.created_at)).await?;
    let gateway = app.change_gateway(&caller, DeviceId(id), &if_match, name).await?;
    let version = gateway.version;
    Ok(web::with_etag(web::json_response(&shape(gateway)), version, None))
}

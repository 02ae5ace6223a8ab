//! PATCH /api/v1/admin/gateways/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageDevices;
use domain::{Change, DeviceId, Name};
use utoipa::ToSchema;
use web::{Caller, DeferredBody, Fields, FromFields, IfMatchHeader, NoParams, PathId, Result, problem, text};

use super::{Gateway, shape};

/// Changes to a gateway. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedGateway {
    /// Name of the gateway. It is unique in the brand.
    #[schema(example = "Site office", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
}

pub struct ChangeFields(Change<Name>);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.change("name", text(Name::parse)).map(Self)
    }
}

/// Change a gateway
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    patch, path = "/api/v1/admin/gateways/{id}", tag = "admin", operation_id = "change_gateway",
    security(("session" = [])),
    params(
        ("id" = i64, Path, description = "Identifier of the gateway"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedGateway,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 200, description = "The changed gateway", body = Gateway,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
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
    app.find_gateway(&caller, DeviceId(id)).await?;
    let ChangeFields(name) = body.read().await?;
    let gateway = app.change_gateway(&caller, DeviceId(id), &if_match, name).await?;
    let version = gateway.version;
    Ok(web::with_etag(web::json_response(&shape(gateway)), version, None))
}

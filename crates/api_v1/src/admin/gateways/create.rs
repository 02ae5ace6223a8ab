//! POST /api/v1/admin/gateways

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::ManageDevices;
use utoipa::ToSchema;
use web::{
    Caller, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, Result, problem, text,
};

use super::{Gateway, shape};

/// Fields of a new gateway.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewGateway {
    /// Name of the gateway. It is unique in the brand.
    #[schema(example = "Site office", min_length = 1, max_length = 100)]
    name: String,
}

pub struct NewGatewayFields(Name);

impl FromFields for NewGatewayFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("name", text(Name::parse)).map(Self)
    }
}

/// Add a gateway
///
/// The gateway cannot send anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[utoipa::path(
    post, path = "/api/v1/admin/gateways", tag = "admin", operation_id = "create_gateway",
    security(("session" = [])),
    params(IdempotencyKeyHeader),
    request_body = NewGateway,
    extensions(("x-permission" = json!("manage_devices"))),
    responses(
        (status = 201, description = "The new gateway", body = Gateway),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn create_gateway(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    _: NoParams,
    IdempotentBody { value: NewGatewayFields(name), key }: IdempotentBody<NewGatewayFields>,
) -> Result {
    let once = Idempotent::new(key, |gateway: &store::Gateway| {
        web::created_to_store(format!("/api/v1/admin/gateways/{}", gateway.id), &shape(gateway.clone()))
    });
    Ok(web::render_stored(app.create_gateway(&caller, &name, once).await?))
}

//! POST /api/v1/admin/gateways

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::Name;
use domain::access::ManageDevices;
use web::{Caller, IdempotentBody, NoParams, Result, problem};

use super::{Gateway, shape};

/// Fields of a new gateway.
#[web::body]
pub struct NewGateway {
    /// Name of the gateway. It is unique in the brand.
    #[schema(example = "Site office", min_length = 1, max_length = 100)]
    name: Name,
}

/// Add a gateway
///
/// The gateway cannot send anything until it has a token.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/admin/gateways", tag = "admin", operation_id = "create_gateway",
    request_body = NewGateway,
    responses(
        (status = 201, description = "The new gateway", body = Gateway),
        problem::BadBody,
    ),
)]
pub async fn create_gateway(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageDevices>,
    _: NoParams,
    IdempotentBody { value: NewGateway { name }, key }: IdempotentBody<NewGateway>,
) -> Result {
    let once = Idempotent::new(key, |gateway: &domain::Gateway| {
        web::created_to_store(format!("/api/v1/admin/gateways/{}", gateway.id), &shape(gateway.clone()))
            .with_version(gateway.version)
    });
    Ok(web::render_stored(app.create_gateway(&caller, &name, once).await?))
}

//! PUT and DELETE /api/v1/admin/brand/logo

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ManageBrand;
use domain::png::Png;
use web::{Caller, DeferredBody, NoParams, Result, problem};

use super::{Brand, shape};

/// Upload the brand's logo
///
/// Replaces the current logo. The image must be a PNG of at most 1 MiB and at most 4096 pixels on each side that can be decoded.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    put, path = "/api/v1/admin/brand/logo", tag = "admin", operation_id = "put_logo",
    request_body(content = inline(web::BinaryContent), content_type = "image/png", description = "The logo as a PNG image"),
    responses(
        (status = 200, description = "The brand with its logo", body = Brand),
        problem::BadBody,
    ),
)]
pub async fn put_logo(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let bytes = body.read_bytes("image/png", Png::MAX_BYTES).await?;
    let picture = Png::parse(&bytes).map_err(|invalid| Error::invalid_field("logo", invalid))?;
    Ok(web::json_response(&shape(app.set_logo(&caller, &picture).await?)))
}

/// Delete the brand's logo
///
/// The operation is idempotent.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    delete, path = "/api/v1/admin/brand/logo", tag = "admin", operation_id = "delete_logo",
    responses(
        (status = 200, description = "The brand without a logo", body = Brand),
    ),
)]
pub async fn delete_logo(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.remove_logo(&caller).await?)))
}

//! GET /api/v1/admin/brand

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use web::{Caller, IfNoneMatchHeader, NoParams, Result, problem};

use super::{Brand, shape};

/// Your brand and what it has set for itself.
#[utoipa::path(
    get, path = "/api/v1/admin/brand", tag = "admin", operation_id = "get_brand", security(("session" = [])),
    params(("If-None-Match" = Option<String>, Header, description = "The ETag you have; 304 if it is still the same")),
    extensions(("x-permission" = json!("manage_brand"))),
    responses(
        (status = 200, description = "The brand", body = Brand, headers(("ETag" = String, description = "Its version"))),
        (status = 304, description = "You have it already"),
        problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn get_brand(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    if_none_match: IfNoneMatchHeader,
    _: NoParams,
) -> Result {
    let settings = app.find_brand_settings(&caller).await?;
    let version = settings.version;
    Ok(web::with_etag(web::json_response(&shape(settings)), version, Some(&if_none_match)))
}

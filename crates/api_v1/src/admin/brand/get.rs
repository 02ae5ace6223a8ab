//! GET /api/v1/admin/brand

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use web::{Caller, IfNoneMatchHeader, NoParams, Result};

use super::{Brand, shape};

/// Get the brand and its settings
///
/// Returns the name, the time zone and all other settings of your brand. The `ETag` is for `If-Match` of a change.
#[web::operation(
    get, path = "/api/v1/admin/brand", tag = "admin", operation_id = "get_brand",
    params(("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current")),
    responses(
        (status = 200, description = "The brand", body = Brand, headers(("ETag" = String, description = "Version of the resource"))),
        (status = 304, description = "Not modified: your copy is current"),
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

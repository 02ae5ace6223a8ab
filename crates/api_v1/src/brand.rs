//! GET /api/v1/brand/logo

use std::sync::Arc;

use app::App;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use domain::access::BeSignedIn;
use http::{HeaderValue, StatusCode, header};
use web::{Caller, NoParams, OperationRouter, Result, problem, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(get_logo))
}

/// Get the brand's logo
///
/// Returns the picture that an admin has uploaded; 404 if there is none.
#[web::operation(
    get, path = "/api/v1/brand/logo", tag = "session", operation_id = "get_logo",
    params(("If-None-Match" = Option<String>, Header, description = "ETag of the copy you have; the answer is 304 if it is still current")),
    responses(
        (status = 200, description = "The logo", body = inline(web::BinaryContent), content_type = "image/png",
            headers(("ETag" = String, description = "Hash of the logo"))),
        (status = 304, description = "Not modified: your copy is current"),
        problem::NotFound,
    ),
)]
pub async fn get_logo(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    headers: http::HeaderMap,
    _: NoParams,
) -> Result {
    let logo = app.find_logo(&caller).await?;
    let tag: String = logo.hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_known = known
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag);
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(logo.bytes) });
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if let Ok(kind) = HeaderValue::try_from(logo.content_type) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

//! Writing answers.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

/// 200 with a JSON body.
pub fn answer(value: &impl Serialize) -> Response {
    // Our own types always serialise; an empty body would be the least harm if one did not.
    let mut response = Response::new(Body::from(serde_json::to_vec(value).unwrap_or_default()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// 201 with where it is and what it is.
pub fn created(location: &str, value: &impl Serialize) -> Response {
    let mut response = answer(value);
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

//! Successful responses.

use axum::body::Body;
use axum::response::Response;
use domain::StoredResponse;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::request::preconditions::set_etag;

/// Returns 200 with a JSON body.
pub fn json_response(value: &impl Serialize) -> Response {
    // Our own types always serialise. If one did not, an empty body would do the least harm.
    let mut response = Response::new(Body::from(serde_json::to_vec(value).unwrap_or_default()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns 200 with a GeoJSON body (RFC 7946).
pub fn geo_json_response(value: &impl Serialize) -> Response {
    let mut response = json_response(value);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/geo+json"));
    response
}

/// Percent-encodes a text as one segment of a path.
pub fn escape_path_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns a 201 response in the form in which it is stored for idempotent repeats. For a record that has an `ETag`, its version is added.
pub fn created_to_store(location: String, value: &impl Serialize) -> StoredResponse {
    StoredResponse { status: 201, location: Some(location), version: None, body: to_json(value) }
}

/// Renders the response to a write, whether it is new or was stored earlier.
pub fn render_stored(answer: StoredResponse) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(location) = answer.location.and_then(|text| HeaderValue::try_from(text).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    if let Some(version) = answer.version {
        set_etag(&mut response, version);
    }
    response
}

/// Returns 201 with a location and a JSON body.
pub fn created_response(location: &str, value: &impl Serialize) -> Response {
    let mut response = json_response(value);
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

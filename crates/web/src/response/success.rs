//! Writing answers.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use store::StoredResponse;

/// 200 with a JSON body.
pub fn json_response(value: &impl Serialize) -> Response {
    // Our own types always serialise; an empty body would be the least harm if one did not.
    let mut response = Response::new(Body::from(serde_json::to_vec(value).unwrap_or_default()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Text as one segment of a path: what could mean something else there is escaped.
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

/// JSON as text.
pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// 201, as it is kept for a repeat.
pub fn created_to_store(location: String, value: &impl Serialize) -> StoredResponse {
    StoredResponse { status: 201, location: Some(location), body: to_json(value) }
}

/// The answer to a write, made now or kept from before.
pub fn render_stored(answer: StoredResponse) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(location) = answer.location.and_then(|text| HeaderValue::try_from(text).ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// 201 with where it is and what it is.
pub fn created_response(location: &str, value: &impl Serialize) -> Response {
    let mut response = json_response(value);
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

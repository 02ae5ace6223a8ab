//! The header `Vary`.

use axum::response::Response;
use http::{HeaderValue, header};

/// Adds `Vary: Accept`.
pub fn vary_by_accept(mut response: Response) -> Response {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    response
}

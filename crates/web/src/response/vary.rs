//! The header `Vary`.

use axum::response::Response;
use http::{HeaderValue, header};

/// Adds `Vary: Accept`, unless the response has it already.
pub fn vary_by_accept(mut response: Response) -> Response {
    let is_accept = |name: &str| name.trim().eq_ignore_ascii_case("accept");
    let has_accept = |line: &HeaderValue| line.to_str().is_ok_and(|names| names.split(',').any(is_accept));
    if !response.headers().get_all(header::VARY).iter().any(has_accept) {
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    }
    response
}

//! Which pages of other origins may call V2.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::CorsLayer;

use crate::config::Cors;

/// The layer for the configured origins; none if there are none, and then no page of another origin may.
pub fn cors(config: &Cors) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> =
        config.allowed_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect();
    if origins.is_empty() {
        return None;
    }
    // The three login headers are the contract's; without being exposed a page could not read them.
    let exposed = [
        "accesstoken",
        "accesstokenexpiry",
        "refreshtoken",
        "etag",
        "location",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "x-request-id",
    ];
    let allowed = ["refreshtoken", "idempotency-key"].map(HeaderName::from_static);
    let layer = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::PUT, Method::DELETE])
        .allow_headers(
            [
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                header::ACCEPT,
                header::IF_MATCH,
                header::IF_NONE_MATCH,
            ]
            .into_iter()
            .chain(allowed)
            .collect::<Vec<_>>(),
        )
        .expose_headers(exposed.map(HeaderName::from_static))
        .max_age(Duration::from_secs(600));
    Some(layer)
}

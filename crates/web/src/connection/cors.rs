//! Cross-origin access to V2.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::CorsLayer;

use crate::config::Cors;

/// Returns the CORS layer for the configured origins. Without any, no page of another origin may call V2.
pub fn cors(config: &Cors) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> =
        config.allowed_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect();
    if origins.is_empty() {
        return None;
    }
    // The specification names the three login headers; a page can only read headers that are exposed.
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
    let allowed = ["refreshtoken", "idempotency-key", "last-event-id"].map(HeaderName::from_static);
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

//! The outermost layer: request id, client address, access log, metrics, security headers, and what is left of the body.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use app::Origin;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_body::Body as _;
use tokio::time::Instant;

use crate::connection::access_log::{AccessLogFields, redact_path};
use crate::connection::body_timeout::TimeoutBody;
use crate::connection::catch_panics::catch_panics;
use crate::connection::host;
use crate::connection::proxy::client_address;
use crate::connection::serve::Peer;
use crate::connection::unread_body::UnreadBody;
use crate::response::error::Failure;
use crate::response::error_body::render_error_body;
use crate::state::{Edge, EdgeState};

/// The content security policy of responses that are not pages. A browser that displays one neither runs nor loads anything.
const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer of the router.
pub async fn request_context_layer(
    State(EdgeState(edge)): State<EdgeState>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let origin = origin(&edge, &request);
    let method = request.method().clone();
    let path: Arc<str> = request.uri().path().into();
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let awaits_continue = request.headers().contains_key(header::EXPECT);
    let unread = (!request.body().is_end_stream()).then(UnreadBody::default);
    if let Some(unread) = &unread {
        request = request.map(|body| Body::new(TimeoutBody::new(body, unread.clone())));
        request.extensions_mut().insert(edge.body_budget.clone());
    }
    request.extensions_mut().insert(origin.clone());

    let mut response = match host::check(request.uri(), request.headers()) {
        Ok(()) => catch_panics(&edge, next.run(request)).await,
        Err(error) => {
            drop(request);
            Failure::from(error).into_response()
        }
    };
    // API versions render their own errors. An error outside of them becomes a problem document.
    render_error_body(crate::ErrorFormat::Problem, &mut response, &path, &origin);

    let seconds = started.elapsed().as_secs_f64();
    let status = response.status().as_u16();
    let pattern = matched.as_ref().map_or("unmatched", MatchedPath::as_str);
    edge.metrics.record_response(&method, pattern, status, seconds);
    let milliseconds = (seconds * 1_000_000.0).round() / 1_000.0;
    let AccessLogFields { caller, code } = response.extensions_mut().remove().unwrap_or_default();
    tracing::info!(
        target: "access",
        %method, path = &*redact_path(&path), status, code, caller, ms = milliseconds, address = %origin.address,
        request_id = &*origin.request_id,
    );
    if let Ok(id) = HeaderValue::from_str(&origin.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    set_security_headers(response.headers_mut(), edge.config.server.strict_transport_security());
    if let Some(unread) = unread
        && !unread.discard(awaits_continue).await
    {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

fn origin(edge: &Edge, request: &Request) -> Origin {
    let peer =
        request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(peer)| peer.ip());
    let trusted = &edge.config.server.trusted_proxies;
    let address = client_address(peer, request.headers(), trusted);
    let from_proxy = trusted.iter().any(|net| net.contains(&peer.to_canonical()));
    let given = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(|id| {
        from_proxy
            && (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    });
    let request_id = match given {
        Some(id) => id.into(),
        None => generate_request_id(edge.app.random.bytes()),
    };
    Origin { address, request_id }
}

/// Encodes 120 random bits as twenty characters of base64.
fn generate_request_id(bytes: [u8; 15]) -> Arc<str> {
    use base64::Engine as _;
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes).into()
}

/// Sets headers on every response. A header that the response has already is kept.
fn set_security_headers(headers: &mut HeaderMap, strict_transport_security: Option<&'static str>) {
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::CACHE_CONTROL, "no-store");
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::X_FRAME_OPTIONS, "DENY");
    default(header::REFERRER_POLICY, "no-referrer");
    default(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    if let Some(policy) = strict_transport_security {
        default(header::STRICT_TRANSPORT_SECURITY, policy);
    }
}

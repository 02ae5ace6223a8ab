//! What every request passes first and every answer last: id, address, log, metrics, security headers.

use std::borrow::Cow;
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

use crate::auth::auth_layer;
use crate::connection::body_timeout::TimeoutBody;
use crate::connection::host;
use crate::connection::proxy::client_address;
use crate::connection::serve::Peer;
use crate::response::error::Failure;
use crate::state::{Edge, EdgeState};

/// The content security policy of answers that are no pages: a browser that shows one runs and loads nothing.
const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The outermost layer.
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
    if !request.body().is_end_stream() {
        request = request.map(|body| Body::new(TimeoutBody::new(body)));
        request.extensions_mut().insert(edge.body_budget.clone());
    }
    request.extensions_mut().insert(origin.clone());

    let mut response = match host::check(request.uri(), request.headers()) {
        Ok(()) => auth_layer::catch_panics(&edge, next.run(request)).await,
        Err(error) => Failure::from(error).into_response(),
    };
    // Faces render their own; what fails outside of them, or is no API at all, is a problem document.
    auth_layer::render_error_body(crate::ErrorFormat::Problem, &mut response, &path, &origin);

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
    response
}

/// What the inner layers know of a request that belongs into its line of the access log. It travels in the response's extensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLogFields {
    /// The user or token, once they are known.
    pub caller: Option<String>,
    /// Why the request was refused, or failed.
    pub code: Option<&'static str>,
}

impl AccessLogFields {
    /// The notes of a response, to be added to.
    pub fn of(response: &mut Response) -> &mut Self {
        response.extensions_mut().get_or_insert_default()
    }
}

/// A path as the log may have it: what a link in a mail ends with is a secret.
pub(crate) fn redact_path(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("/account/").and_then(|rest| rest.split_once('/')) {
        Some((kind, _)) => format!("/account/{kind}/…").into(),
        None => path.into(),
    }
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

/// 120 random bits in twenty letters and digits of base 64.
fn generate_request_id(bytes: [u8; 15]) -> Arc<str> {
    use base64::Engine as _;
    base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(bytes).into()
}

/// Headers for every answer; one that an answer has set itself stays.
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

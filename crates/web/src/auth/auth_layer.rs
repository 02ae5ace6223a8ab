//! The authentication layer of an API version: it identifies the caller, counts the call against a rate limit, and renders errors in the
//! version's format.

use std::sync::Arc;

use app::{
    Authenticated, Credential, CredentialError, Error, Identity, Origin, Principal, TaskOwner, Tenant,
};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::DeviceKind;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use crate::auth::auth_outcome::AuthOutcome;
use crate::connection::access_log::AccessLogFields;
use crate::connection::catch_panics::catch_panics;
use crate::connection::rate_limits::{CallerKey, RateLimitClass, RateLimitDecision};
use crate::response::error::Failure;
use crate::response::error_body::render_error_body;
use crate::response::error_format::ErrorFormat;
use crate::response::error_page::prefers_page;
use crate::state::Edge;

/// Name of the session cookie of V1 over plain http.
pub const SESSION_COOKIE: &str = "keepclear_session";
/// Name of the session cookie of V1 over https. The `__Host-` prefix makes browsers accept it only from this host and only if it is
/// secure.
const SECURE_SESSION_COOKIE: &str = "__Host-keepclear_session";

/// Sent by the scripts of pages with what they fetch without being asked.
pub const OPEN_PAGE: &str = "keepclear-open-page";

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

pub fn session_cookie_name(https: bool) -> &'static str {
    if https { SECURE_SESSION_COOKIE } else { SESSION_COOKIE }
}

/// The kind of credential that an API version accepts. Credentials of other kinds are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// No credential: health, metrics, documentation.
    None,
    Cookie,
    /// A JWT as a bearer token.
    Jwt,
    /// A device token of one of these kinds.
    Device(&'static [DeviceKind]),
}

/// The authentication layer of an API version.
#[derive(Clone)]
pub struct AuthLayer {
    pub edge: Arc<Edge>,
    pub error_format: ErrorFormat,
    pub credential: CredentialKind,
    /// Returns the rate limit class of a call from its method, the pattern of its path and its query.
    pub class: fn(&Method, Option<&str>, Option<&str>) -> RateLimitClass,
}

impl AuthLayer {
    /// The middleware function, for `axum::middleware::from_fn_with_state`.
    pub async fn handle(State(layer): State<Self>, mut request: Request, next: Next) -> Response {
        let Some(origin) = request.extensions().get::<Origin>().cloned() else {
            return Failure::from(Error::internal("the auth layer is not inside the request context layer"))
                .into_response();
        };
        let path: Arc<str> = request.uri().path().into();
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let pattern = matched.as_ref().map(MatchedPath::as_str);
        let class = (layer.class)(request.method(), pattern, request.uri().query());
        let (authenticated, decision) = layer.authenticate_and_count(request.headers(), class, &origin).await;
        let mut refusal = None;
        let mut response = match (decision.retry_after_s, authenticated) {
            (Some(seconds), _) => rate_limited_error(seconds).into_response(),
            (None, Err(error)) => Failure::from(error).into_response(),
            (None, Ok(known)) => {
                refusal = known.as_ref().err().copied();
                let holder = share_holder(&known, class, &origin);
                let outcome = AuthOutcome(known);
                let caller = outcome.caller_label();
                request.extensions_mut().insert(outcome);
                let mut response = catch_panics(&layer.edge, holder.run(next.run(request))).await;
                AccessLogFields::of(&mut response).caller = caller;
                response
            }
        };
        if response.status() == http::StatusCode::UNAUTHORIZED {
            layer.challenge(&mut response, refusal);
        }
        render_error_body(layer.error_format, &mut response, &path, &origin);
        let headers = response.headers_mut();
        insert_header(headers, RATE_LIMIT_POLICY, &decision.policy_header());
        insert_header(headers, RATE_LIMIT, &decision.limit_header());
        response
    }

    /// Identifies the caller and counts the call: against the user or token, or against the address if nobody is identified.
    async fn authenticate_and_count(
        &self,
        headers: &HeaderMap,
        class: RateLimitClass,
        origin: &Origin,
    ) -> (Result<Result<Authenticated, CredentialError>, Error>, RateLimitDecision) {
        let app = &self.edge.app;
        let limiter = &self.edge.rate_limiter;
        let now = app.clock.monotonic();
        let address_key = CallerKey::address(origin.address);
        let Some(credential) = self.read_credential(headers) else {
            return (Ok(Err(CredentialError::Missing)), limiter.count_call(class, address_key, now));
        };
        // The lookup of an unknown credential costs a query, so lookups are limited per address. They do not count against the quota of
        // anonymous calls: one misbehaving client must not lock out everyone behind the same address.
        let tenant = app.previously_valid_tenant(credential);
        if tenant.is_none() {
            let lookup = limiter.count_call(RateLimitClass::Lookup, address_key, now);
            if lookup.retry_after_s.is_some() {
                return (Ok(Err(CredentialError::Invalid)), lookup);
            }
        }
        // Lookups do not share connections with anonymous callers, whose work (logins, links from mails) may take long. A lookup is one
        // short read.
        let tenant = tenant.unwrap_or(Tenant::CredentialLookup);
        let holder = TaskOwner::new(tenant, Principal::address(origin.address));
        let known = holder.run(app.identify(credential)).await;
        let key = match &known {
            // A login counts against the address, whatever session the caller still has.
            _ if class == RateLimitClass::Login => address_key,
            Ok(Ok(Authenticated { identity, .. })) => CallerKey::of(identity),
            Ok(Err(_)) | Err(_) => address_key,
        };
        // The time is read again: the lookup may have taken a while, during which other calls of the same caller were counted later than
        // `now`.
        let decision = limiter.count_call(class, key, app.clock.monotonic());
        (known, decision)
    }

    fn read_credential<'a>(&self, headers: &'a HeaderMap) -> Option<Credential<'a>> {
        match self.credential {
            CredentialKind::None => None,
            CredentialKind::Cookie => {
                let value = cookie(headers, session_cookie_name(self.edge.config.server.is_https()))?;
                Some(match self.is_sent_by_open_page(headers) {
                    true => Credential::CookieOfOpenPage(value),
                    false => Credential::Cookie(value),
                })
            }
            CredentialKind::Jwt => authorization(headers).map(|value| Credential::Jwt(bearer(value))),
            CredentialKind::Device(kinds) => {
                authorization(headers).map(|value| Credential::Device(bearer(value), kinds))
            }
        }
    }

    /// Whether a page that stays open sends a request by itself, for a stream, for its numbers or for an image. In the APIs, only a stream
    /// is such a request: other pages than ours may fetch what a person has just asked for.
    fn is_sent_by_open_page(&self, headers: &HeaderMap) -> bool {
        let is_stream = headers.get(header::ACCEPT).is_some_and(|accept| accept == "text/event-stream");
        is_stream || (self.error_format == ErrorFormat::Page && is_part_of_page(headers))
    }

    /// Adds the `WWW-Authenticate` challenge of RFC 9110 and RFC 6750. The scheme is never Basic, because browsers would then prompt for
    /// a password.
    fn challenge(&self, response: &mut Response, refusal: Option<CredentialError>) {
        let challenge = match (self.credential, refusal) {
            (CredentialKind::None, _) => return,
            (CredentialKind::Cookie, _) => "Session realm=\"keepclear\"",
            (_, None | Some(CredentialError::Missing)) => "Bearer realm=\"keepclear\"",
            (_, Some(CredentialError::Expired)) => {
                "Bearer realm=\"keepclear\", error=\"invalid_token\", error_description=\"The token has expired\""
            }
            (_, Some(CredentialError::Invalid)) => {
                "Bearer realm=\"keepclear\", error=\"invalid_token\", error_description=\"The token is not valid for this path\""
            }
        };
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
}

/// Whether an open page fetches this, rather than somebody who goes to a page. Browsers say so. Over plain http they do not: there our
/// scripts say it, and images, for which no script can, do not ask for a page.
fn is_part_of_page(headers: &HeaderMap) -> bool {
    let is_to_be_shown = match headers.get("sec-fetch-dest") {
        Some(destination) => destination == "document",
        None => prefers_page(headers),
    };
    !is_to_be_shown || headers.contains_key(OPEN_PAGE)
}

/// The owner whose shares limit the work on a request. A login counts by its address.
fn share_holder(
    known: &Result<Authenticated, CredentialError>,
    class: RateLimitClass,
    origin: &Origin,
) -> TaskOwner {
    match known.as_ref().map(|known| &known.identity) {
        _ if class == RateLimitClass::Login => anonymous_holder(origin),
        _ if class == RateLimitClass::Probe => {
            TaskOwner::new(Tenant::Probes, Principal::address(origin.address))
        }
        Ok(Identity::User(user)) => TaskOwner::new(Tenant::Brand(user.brand()), Principal::User(user.user)),
        Ok(Identity::Device(device)) => {
            TaskOwner::new(Tenant::Brand(device.brand()), Principal::Token(device.token_id()))
        }
        Err(_) => anonymous_holder(origin),
    }
}

fn anonymous_holder(origin: &Origin) -> TaskOwner {
    TaskOwner::new(Tenant::Anonymous, Principal::address(origin.address))
}

fn rate_limited_error(seconds: i64) -> Failure {
    Error::new(
        app::ErrorKind::RateLimited,
        "rate_limited",
        "Too many calls. Wait for the number of seconds in Retry-After.",
    )
    .retry_after(seconds)
    .into()
}

fn insert_header(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    // Other applications of this host may set cookies that are no text; only the value of ours must be one.
    let lines = headers.get_all(header::COOKIE).iter();
    lines
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
        .filter_map(|pair| std::str::from_utf8(pair).ok()?.trim().split_once('='))
        .find(|(key, value)| *key == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// Returns the `Authorization` header. Bytes that are not text count as a credential that is never valid.
fn authorization(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or("unreadable"))
}

/// Returns the token after `Bearer`. Another scheme gives an empty text, which equals no token.
fn bearer(value: &str) -> &str {
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "theme=dark; keepclear_session=abc".parse().unwrap());
        headers.append(header::COOKIE, "x=y".parse().unwrap());
        assert_eq!(cookie(&headers, SESSION_COOKIE), Some("abc"));
        let foreign = HeaderValue::from_bytes(b"other=\xfc; keepclear_session=abc; last=\xfc").unwrap();
        headers.clear();
        headers.append(header::COOKIE, foreign);
        assert_eq!(cookie(&headers, SESSION_COOKIE), Some("abc"));
        assert_eq!(cookie(&headers, "session"), None);
    }

    #[test]
    fn only_going_to_a_page_is_a_use_of_the_session() {
        const PAGE: &str = "text/html,application/xhtml+xml,*/*;q=0.8";
        const IMAGE: &str = "image/avif,image/webp,*/*;q=0.8";
        let is_part = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_part_of_page(&pairs.collect())
        };
        assert!(!is_part(&[("accept", PAGE), ("sec-fetch-dest", "document")]));
        assert!(!is_part(&[("accept", "text/csv"), ("sec-fetch-dest", "document")]));
        assert!(!is_part(&[("accept", PAGE)]));
        assert!(is_part(&[("accept", PAGE), ("sec-fetch-dest", "empty")]));
        assert!(is_part(&[("accept", IMAGE), ("sec-fetch-dest", "image")]));
        assert!(is_part(&[("accept", IMAGE)]) && is_part(&[]));
        assert!(is_part(&[("accept", PAGE), (OPEN_PAGE, "1")]));
    }

    #[test]
    fn only_bearer_is_a_bearer() {
        assert_eq!(bearer("Bearer abc"), "abc");
        assert_eq!(bearer("bearer  abc"), "abc");
        assert_eq!(bearer("Basic abc"), "");
        assert_eq!(bearer("abc"), "");
    }
}

//! `ETag`, `If-Match` and `If-None-Match` for the versions of records.

use app::IfMatch;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::response::error::Failure;

/// The `If-Match` header of a change. Without one, any version matches.
pub struct IfMatchHeader(pub IfMatch);

/// The `If-None-Match` header of a read.
pub struct IfNoneMatchHeader(Vec<EntityTag>);

/// An entity tag sent by a client.
#[derive(Debug, PartialEq, Eq)]
enum EntityTag {
    Any,
    Version {
        version: i64,
        weak: bool,
    },
    /// A tag that this service did not create, so it matches nothing.
    Foreign,
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatchHeader {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        if !parts.headers.contains_key(header::IF_MATCH) {
            return Ok(Self(IfMatch::Any));
        }
        let tags = parse_entity_tags(&parts.headers, &header::IF_MATCH);
        if tags.contains(&EntityTag::Any) {
            return Ok(Self(IfMatch::Any));
        }
        // A weak tag never matches here (RFC 9110, section 13.1.1).
        let strong = tags.into_iter().filter_map(|tag| match tag {
            EntityTag::Version { version, weak: false } => Some(version),
            _ => None,
        });
        Ok(Self(IfMatch::Versions(strong.collect())))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatchHeader {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Ok(Self(parse_entity_tags(&parts.headers, &header::IF_NONE_MATCH)))
    }
}

/// Sets the `ETag` of a response. If the client already has this version, the response becomes a 304.
pub fn with_etag(
    mut response: Response,
    version: i64,
    if_none_match: Option<&IfNoneMatchHeader>,
) -> Response {
    let is_known = if_none_match.is_some_and(|IfNoneMatchHeader(tags)| {
        tags.iter().any(|tag| match tag {
            EntityTag::Any => true,
            EntityTag::Version { version: known, .. } => *known == version,
            EntityTag::Foreign => false,
        })
    });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
    set_etag(&mut response, version);
    require_revalidation(response)
}

/// Sets a weak `ETag`, for a representation that can change while the version stays, or beside another one that has the strong `ETag`.
pub fn with_weak_etag(mut response: Response, version: i64) -> Response {
    insert_etag(&mut response, format!("W/\"{version}\""));
    require_revalidation(response)
}

/// Lets private caches store the response, but not use it without asking again.
fn require_revalidation(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

pub(crate) fn set_etag(response: &mut Response, version: i64) {
    insert_etag(response, format!("\"{version}\""));
}

fn insert_etag(response: &mut Response, tag: String) {
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
}

fn parse_entity_tags(headers: &HeaderMap, name: &HeaderName) -> Vec<EntityTag> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(|text| parse_entity_tag(text.trim())).collect()
}

fn parse_entity_tag(text: &str) -> EntityTag {
    if text == "*" {
        return EntityTag::Any;
    }
    let (weak, quoted) = match text.strip_prefix("W/") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let version =
        quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(|text| text.parse().ok());
    version.map_or(EntityTag::Foreign, |version| EntityTag::Version { version, weak })
}

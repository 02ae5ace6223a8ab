//! The header `Last-Event-ID`, by which a live stream is resumed.

use app::{Error, ErrorKind};
use axum::extract::FromRequestParts;
use domain::Invalid;
use http::request::Parts;

use crate::response::error::Failure;

/// The sequence number of the last event with an id that the caller has got; none at the first call.
pub struct LastEventId(pub Option<i64>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let Some(value) = parts.headers.get("last-event-id") else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or("unreadable").trim();
        if text.is_empty() {
            return Ok(Self(None));
        }
        match text.parse::<i64>() {
            Ok(seq @ 0..) => Ok(Self(Some(seq))),
            _ => {
                let invalid = Invalid::new("invalid_header", "must be the id of an event, a whole number");
                Err(Error::for_field(ErrorKind::BadRequest, "Last-Event-ID", invalid).into())
            }
        }
    }
}

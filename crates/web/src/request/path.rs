//! Ids and other parameters in paths.

use app::Error;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use crate::response::error::Failure;

/// The text in a path like `/invitations/{token}`. Invalid text names no resource, so the answer is 404.
pub struct PathText(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(text)) => Ok(Self(text)),
            Err(_) => Err(Error::not_found("resource").into()),
        }
    }
}

/// The id at the end of a path like `/people/{id}`. A value that is not a whole number names no resource, so the answer is 404.
pub struct PathId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<i64>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(Error::not_found("resource").into()),
        }
    }
}

/// The two ids of a path like `/worksites/{id}/assignments/machines/{machine_id}`, in their order.
pub struct PathIds(pub i64, pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathIds {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<(i64, i64)>::from_request_parts(parts, state).await {
            Ok(Path((first, second))) => Ok(Self(first, second)),
            Err(_) => Err(Error::not_found("resource").into()),
        }
    }
}

/// The id and the text of a path like `/base_stations/{id}/events/{event_id}`, in their order.
pub struct PathIdText(pub i64, pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathIdText {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match Path::<(i64, String)>::from_request_parts(parts, state).await {
            Ok(Path((id, text))) => Ok(Self(id, text)),
            Err(_) => Err(Error::not_found("resource").into()),
        }
    }
}

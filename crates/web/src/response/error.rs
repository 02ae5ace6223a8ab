//! Errors on their way from a handler to the auth layer, which renders them in the format of the API version.

use std::sync::Arc;

use app::{Error, ErrorKind};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use crate::response::vary::vary_by_accept;

/// The result of a handler.
pub type Result<T = Response, E = Failure> = std::result::Result<T, E>;

/// An error that has not been rendered yet. See `docs/errors.md` for the status codes.
#[derive(Clone, Debug)]
pub struct Failure(pub Arc<Error>);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Arc::new(error.into()))
    }
}

/// Returns the status of each kind of error. This is the only place that decides it.
pub fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ErrorKind::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        ErrorKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Invalid | ErrorKind::MissingRelation => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.0.kind);
        if let Some(seconds) = self.0.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.kind == ErrorKind::NotAcceptable {
            response = vary_by_accept(response);
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Returns the error that a response carries. Responses that the router makes itself (405) get one too.
pub(crate) fn failure_of(response: &Response) -> Option<Failure> {
    if let Some(failure) = response.extensions().get::<Failure>() {
        return Some(failure.clone());
    }
    let bare = match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Error::new(
            ErrorKind::MethodNotAllowed,
            "method_not_allowed",
            "This path does not support that method. The Allow header lists the supported ones.",
        ),
        _ => return None,
    };
    Some(bare.into())
}

/// The handler for unknown paths.
pub async fn unknown_path_handler() -> Failure {
    unknown_path()
}

pub(crate) fn unknown_path() -> Failure {
    Error::new(ErrorKind::NotFound, "no_such_path", "There is nothing at this path.").into()
}

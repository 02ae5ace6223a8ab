//! How a failure leaves a handler: with its cause, and without a format until the gate of the face gives it one.

use std::sync::Arc;

use app::{Error, Kind};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use crate::shapes::pictures::by_accept;

/// What a handler returns.
pub type Result<T = Response, E = Failure> = std::result::Result<T, E>;

/// A failure on its way out. The face's gate turns it into a body; see `docs/errors.md` for which status when.
#[derive(Clone, Debug)]
pub struct Failure(pub Arc<Error>);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Arc::new(error.into()))
    }
}

/// The status of each kind of failure, decided here and nowhere else.
pub fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::BadRequest => StatusCode::BAD_REQUEST,
        Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
        Kind::Forbidden => StatusCode::FORBIDDEN,
        Kind::NotFound => StatusCode::NOT_FOUND,
        Kind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Kind::Conflict => StatusCode::CONFLICT,
        Kind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Kind::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
        Kind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        Kind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Kind::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Kind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Kind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.0.kind);
        if let Some(seconds) = self.0.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.kind == Kind::NotAcceptable {
            response = by_accept(response);
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The failure a response carries. Answers that the router made by itself (405) get one too.
pub(crate) fn of_response(response: &Response) -> Option<Failure> {
    if let Some(failure) = response.extensions().get::<Failure>() {
        return Some(failure.clone());
    }
    let bare = match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => Error::new(
            Kind::MethodNotAllowed,
            "method_not_allowed",
            "This path does not take that method; the Allow header lists those it takes.",
        ),
        _ => return None,
    };
    Some(bare.into())
}

/// The answer to a path that leads nowhere; also a handler, for what no route takes.
pub async fn nothing_here() -> Failure {
    no_such_path()
}

pub(crate) fn no_such_path() -> Failure {
    Error::new(Kind::NotFound, "no_such_path", "Nothing is served at this path.").into()
}

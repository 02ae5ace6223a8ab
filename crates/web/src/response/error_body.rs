//! The body of an error, rendered in the format of an API version.

use std::error::Error as _;

use app::{ErrorKind, Origin};
use axum::response::Response;
use http::header;

use crate::connection::access_log::{AccessLogFields, redact_path};
use crate::response::error::{self, Failure};
use crate::response::error_format::ErrorFormat;

/// Renders the body of an error that has none yet, in the format of this API version, and logs the details that are not for the caller.
/// The errors of pages stay in the response: the console takes them with [`take_failure`].
pub(crate) fn render_error_body(format: ErrorFormat, response: &mut Response, path: &str, origin: &Origin) {
    if format == ErrorFormat::Page {
        return;
    }
    if let Some(failure) = take_failure(response, path, origin) {
        format.render(response, &failure, path, &origin.request_id);
    }
}

/// Takes the error that has not been rendered yet out of a response, for whoever renders it now. Its code goes into the access log, and the
/// details that are not for the caller into the log.
pub fn take_failure(response: &mut Response, path: &str, origin: &Origin) -> Option<Failure> {
    if response.headers().contains_key(header::CONTENT_TYPE)
        && response.extensions().get::<Failure>().is_none()
    {
        return None;
    }
    let failure = error::failure_of(response)?;
    response.extensions_mut().remove::<Failure>();
    AccessLogFields::of(response).code = Some(failure.0.code);
    if matches!(failure.0.kind, ErrorKind::Internal | ErrorKind::Unavailable) {
        let path = &*redact_path(path);
        let request_id = &*origin.request_id;
        // Without a cause, the service works, and refuses a caller whose share of it is used up.
        match failure.0.source() {
            Some(_) => tracing::error!(request_id, path, "{}", failure.0),
            None => tracing::warn!(request_id, path, "{}", failure.0),
        }
    }
    Some(failure)
}

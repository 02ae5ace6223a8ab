//! The body of an error, rendered in the format of an API version.

use std::error::Error as _;

use app::{ErrorKind, Origin};
use axum::response::Response;
use http::header;

use crate::connection::access_log::{AccessLogFields, redact_path};
use crate::response::error::{self, Failure};
use crate::response::error_format::ErrorFormat;

/// Renders the body of an error that has none yet, in the format of this API version, and logs the details that are not for the caller.
pub(crate) fn render_error_body(format: ErrorFormat, response: &mut Response, path: &str, origin: &Origin) {
    if response.headers().contains_key(header::CONTENT_TYPE)
        && response.extensions().get::<Failure>().is_none()
    {
        return;
    }
    let Some(failure) = error::failure_of(response) else { return };
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
    format.render(response, &failure, path, &origin.request_id);
}

//! The parts of the access log that inner layers know.

use std::borrow::Cow;

use axum::response::Response;

/// What inner layers add to the access log line of a request. It travels in the extensions of the response.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLogFields {
    /// The user or token, if identified.
    pub caller: Option<String>,
    /// The error code of a refused or failed request.
    pub code: Option<&'static str>,
}

impl AccessLogFields {
    pub fn of(response: &mut Response) -> &mut Self {
        response.extensions_mut().get_or_insert_default()
    }
}

/// Returns the path for the log. The end of a link from a mail is a secret and is replaced.
pub(crate) fn redact_path(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("/account/").and_then(|rest| rest.split_once('/')) {
        Some((kind, _)) => format!("/account/{kind}/…").into(),
        None => path.into(),
    }
}

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
    for start in ["/account/", "/links/"] {
        if let Some((kind, _)) = path.strip_prefix(start).and_then(|rest| rest.split_once('/')) {
            return format!("{start}{kind}/…").into();
        }
    }
    // The pages that such links lead to.
    for start in ["/invitations/", "/password-resets/"] {
        if path.len() > start.len() && path.starts_with(start) {
            return format!("{start}…").into();
        }
    }
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secrets_of_links_are_not_logged() {
        assert_eq!(redact_path("/account/invitations/s3cret"), "/account/invitations/…");
        assert_eq!(redact_path("/links/reports/1.7.pdf.1773000000.s3cret"), "/links/reports/…");
        assert_eq!(redact_path("/invitations/s3cret"), "/invitations/…");
        assert_eq!(redact_path("/password-resets/s3cret/more"), "/password-resets/…");
        for path in [
            "/account/password_resets",
            "/links",
            "/api/v1/reports/7",
            "/invitations/",
            "/password-resets",
            "/machines/7",
        ] {
            assert_eq!(redact_path(path), path);
        }
    }
}

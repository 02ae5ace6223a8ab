//! Answers that are packed already.

use std::io;

use axum::body::Body;
use axum::response::IntoResponse;
use http::{HeaderMap, HeaderValue, header};

/// Returns a file as its gzip stream, if there is one to send, or as it is.
pub fn respond<P: Into<Body>>(
    media_type: &'static str,
    gzip: Option<impl Into<Body>>,
    plain: impl FnOnce() -> io::Result<P>,
) -> web::Result {
    let mut response = match gzip {
        Some(gzip) => ([(header::CONTENT_ENCODING, "gzip")], gzip.into()).into_response(),
        None => {
            let body: Body = plain().map_err(app::Error::internal)?.into();
            body.into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

/// Returns whether gzip is named without a weight of zero. Whoever accepts it only as `*` gets the file as it is.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = parameters
            .trim()
            .strip_prefix(['q', 'Q'])
            .and_then(|weight| weight.strip_prefix('='))
            .map(|weight| weight.trim().parse::<f32>());
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight, Some(Ok(0.0) | Err(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_name_it() {
        for (value, is_accepted) in [
            ("gzip", true),
            ("gzip;Q=0", false),
            ("br, GZIP;q=0.5", true),
            ("deflate, gzip;q=1.0, *;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("br", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]);
            assert_eq!(accepts_gzip(&headers), is_accepted, "{value:?}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}

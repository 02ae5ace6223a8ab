//! Content negotiation of JSON:API 1.1: no extensions, any profile, no other media type parameter.

use app::{Error, ErrorKind};
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use web::{Failure, JSON_API};

/// An extractor that checks `Accept` and `Content-Type` against the rules of JSON:API.
///
/// Clients that accept other media types only get JSON:API all the same, because there is no other format.
pub struct Negotiated;

impl<S: Send + Sync> FromRequestParts<S> for Negotiated {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let sent = joined_header(&parts.headers, &header::CONTENT_TYPE);
        if !json_api_parameters(&sent).iter().flatten().all(is_supported) {
            let detail = "The media type of JSON:API allows only the parameters ext and profile, and no extension is \
                          supported here.";
            let error = Error::new(ErrorKind::UnsupportedMediaType, "unsupported_media_type", detail);
            return Err(error.for_header("Content-Type").into());
        }
        let accepted = joined_header(&parts.headers, &header::ACCEPT);
        let instances = json_api_parameters(&accepted);
        if !instances.is_empty() && !instances.iter().any(|parameters| is_acceptable(parameters)) {
            let detail = "Accept the media type of JSON:API without parameters, or with profile only.";
            return Err(Error::new(ErrorKind::NotAcceptable, "not_acceptable", detail)
                .for_header("Accept")
                .into());
        }
        Ok(Self)
    }
}

/// Adds `Vary: Accept` to a response.
pub async fn vary_by_accept(mut response: Response) -> Response {
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// Name and value of a media type parameter.
type Parameter = (String, String);

fn joined_header(headers: &HeaderMap, name: &HeaderName) -> String {
    let lines: Vec<_> = headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect();
    lines.join(",")
}

/// Returns the parameters of each occurrence of the JSON:API media type in a header.
fn json_api_parameters(header: &str) -> Vec<Vec<Parameter>> {
    let ranges = split_unquoted(header, ',').into_iter().map(|range| split_unquoted(range, ';'));
    let instances = ranges.filter_map(|parts| {
        let (essence, parameters) = parts.split_first()?;
        essence
            .trim()
            .eq_ignore_ascii_case(JSON_API)
            .then(|| parameters.iter().copied().map(parameter).collect())
    });
    instances.collect()
}

fn parameter(text: &str) -> Parameter {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"').to_owned())
}

/// Tells whether a parameter asks only for supported features.
fn is_supported((name, value): &Parameter) -> bool {
    match name.as_str() {
        "profile" | "" => true,
        "ext" => value.split_whitespace().next().is_none(),
        _ => false,
    }
}

/// Tells whether the client accepts a media type that can be sent. The weight `q`, which only `Accept` has, is not a parameter of the
/// media type; a weight of zero refuses it.
fn is_acceptable(parameters: &[Parameter]) -> bool {
    parameters.iter().all(|parameter| match parameter {
        (name, weight) if name == "q" => weight.parse::<f32>().is_ok_and(|weight| weight > 0.0),
        parameter => is_supported(parameter),
    })
}

/// Splits at a character, except inside quotes.
fn split_unquoted(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut begin, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if c == at && !quoted => {
                parts.push(&text[begin..index]);
                begin = index + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_found_whatever_stands_in_quotes() {
        let header = r#"text/html, Application/VND.api+json; profile="https://x/a,b;c", application/vnd.api+json;ext="u v""#;
        let found = json_api_parameters(header);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], [("profile".to_owned(), "https://x/a,b;c".to_owned())]);
        assert_eq!((is_acceptable(&found[0]), is_acceptable(&found[1])), (true, false));
        assert!(json_api_parameters("*/*, application/json").is_empty());
        for odd in ["", ";;", "application/vnd.api+json;\"", ",", "application/vnd.api+json;q=x"] {
            let _ = json_api_parameters(odd);
        }
    }
}

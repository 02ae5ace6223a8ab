//! Content negotiation of JSON:API 1.1: no extensions, any profile, no other media type parameter.

use app::{Error, ErrorKind};
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderName, header};
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

/// Whether a client prefers JSON:API at a path that also has plain JSON.
pub struct PrefersJsonApi(pub bool);

impl<S: Send + Sync> FromRequestParts<S> for PrefersJsonApi {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        match preferred_format(&joined_header(&parts.headers, &header::ACCEPT)) {
            PreferredFormat::PlainJson => Ok(Self(false)),
            // The extractor refuses `Neither`.
            PreferredFormat::JsonApi | PreferredFormat::Neither => {
                Negotiated::from_request_parts(parts, state).await?;
                Ok(Self(true))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PreferredFormat {
    PlainJson,
    JsonApi,
    /// The client accepts JSON:API only with features that are not supported.
    Neither,
}

/// Chooses between plain JSON and JSON:API by the weights in `Accept`. Between equal weights, naming JSON:API decides: clients that do not
/// know it never name it.
fn preferred_format(accept: &str) -> PreferredFormat {
    let instances = json_api_parameters(accept);
    let plain = plain_json_weight(accept);
    let acceptable = instances.iter().filter(|parameters| is_acceptable(parameters));
    match acceptable.filter_map(|parameters| weight(parameters)).max_by(f32::total_cmp) {
        Some(weight) if weight >= plain => PreferredFormat::JsonApi,
        None if plain <= 0.0 && instances.iter().any(|parameters| !is_refused(parameters)) => {
            PreferredFormat::Neither
        }
        // Also for a client that accepts other media types only: this is what the path has for everyone.
        _ => PreferredFormat::PlainJson,
    }
}

/// Returns the weight of plain JSON in `Accept`: that of the range that describes it most precisely.
fn plain_json_weight(accept: &str) -> f32 {
    let weights = split_unquoted(accept, ',').into_iter().filter_map(|range| {
        let parts = split_unquoted(range, ';');
        let (essence, parameters) = parts.split_first()?;
        let precision = match essence.trim().to_ascii_lowercase().as_str() {
            "application/json" => 2,
            "application/*" => 1,
            "*/*" => 0,
            _ => return None,
        };
        let parameters: Vec<Parameter> = parameters.iter().copied().map(parameter).collect();
        Some((precision, weight(&parameters)?))
    });
    let best = weights.max_by(|(one, weight), (other, than)| one.cmp(other).then(weight.total_cmp(than)));
    best.map_or(0.0, |(_, weight)| weight)
}

/// Adds `Vary: Accept` to a response, as a layer.
pub async fn vary_by_accept(response: Response) -> Response {
    web::vary_by_accept(response)
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

/// Returns whether a parameter asks only for supported features.
fn is_supported((name, value): &Parameter) -> bool {
    match name.as_str() {
        "profile" | "" => true,
        "ext" => value.split_whitespace().next().is_none(),
        _ => false,
    }
}

/// Returns the weight of a media range: 1 without `q`, and none if it is not a number.
fn weight(parameters: &[Parameter]) -> Option<f32> {
    match parameters.iter().find(|(name, _)| name == "q") {
        Some((_, text)) => {
            let weight = text.parse::<f32>().ok().filter(|weight| !weight.is_nan())?;
            Some(weight.clamp(0.0, 1.0))
        }
        None => Some(1.0),
    }
}

/// Returns whether a weight of zero refuses the media range.
fn is_refused(parameters: &[Parameter]) -> bool {
    weight(parameters).is_some_and(|weight| weight <= 0.0)
}

/// Returns whether the client accepts a media type that can be sent. The weight `q`, which only `Accept` has, is not a parameter of the
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

    #[test]
    fn weights_decide_between_the_formats_of_a_path() {
        use PreferredFormat::{JsonApi, Neither, PlainJson};
        for (accept, preferred) in [
            ("", PlainJson),
            ("*/*", PlainJson),
            ("text/html", PlainJson),
            ("application/json", PlainJson),
            ("application/vnd.api+json", JsonApi),
            ("application/vnd.api+json, application/json", JsonApi),
            ("application/json, application/vnd.api+json", JsonApi),
            ("application/json, application/vnd.api+json;q=0.1", PlainJson),
            ("application/json;q=0.1, application/vnd.api+json;q=0.2", JsonApi),
            ("application/json; Q=0, application/vnd.api+json;q=0.2", JsonApi),
            ("application/vnd.api+json;q=0.9, */*", PlainJson),
            ("application/vnd.api+json, */*;q=0.1", JsonApi),
            ("application/vnd.api+json;q=0.5, application/*;q=0.4, */*", JsonApi),
            ("application/vnd.api+json;q=0.5, application/json;q=0.4, */*", JsonApi),
            ("application/vnd.api+json;q=0", PlainJson),
            ("application/json, application/vnd.api+json;q=0", PlainJson),
            ("*/*;q=0.1, application/vnd.api+json;q=0.000", PlainJson),
            // An instance with an extension is ignored if there is another one, or plain JSON.
            ("application/vnd.api+json;ext=\"https://x\", application/vnd.api+json;q=0.5", JsonApi),
            ("application/vnd.api+json;ext=\"https://x\", application/json;q=0.5", PlainJson),
            ("application/vnd.api+json;ext=\"https://x\"", Neither),
            ("application/vnd.api+json;ext=\"https://x\", text/html", Neither),
            ("application/vnd.api+json;ext=\"https://x\", application/json;q=0", Neither),
            ("application/vnd.api+json;q=x", Neither),
            ("application/vnd.api+json;q=nan, application/json;q=nan", Neither),
        ] {
            assert_eq!(preferred_format(accept), preferred, "{accept}");
        }
    }
}

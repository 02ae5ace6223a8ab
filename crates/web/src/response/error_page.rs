//! Errors as small pages, for people who follow a link in a mail with a browser. Programs get problem details.

use std::collections::BTreeMap;

use app::reports::texts::{Language, reasons};
use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, header};
#[cfg(feature = "openapi")]
use utoipa::openapi::{ContentBuilder, RefOr};
#[cfg(feature = "openapi")]
use utoipa::{IntoResponses, PartialSchema};

use crate::connection::access_log::AccessLogFields;
use crate::response::error::{Failure, Result, status};
use crate::response::error_responses::problem;
use crate::shapes::chart_format::{MediaRange, parse_quality};

const MEDIA_TYPE: &str = "text/html; charset=utf-8";
/// A page has its own style, and neither runs nor loads anything.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The errors that [`or_link_page`] shows as a page or as problem details, for OpenAPI.
pub struct LinkErrors;

#[cfg(feature = "openapi")]
impl IntoResponses for LinkErrors {
    fn responses() -> BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let mut responses = problem::NotFound::responses();
        responses.extend(problem::Conflict::responses());
        for response in responses.values_mut() {
            if let RefOr::T(response) = response {
                let page = ContentBuilder::new().schema(Some(String::schema())).build();
                response.content.insert(MEDIA_TYPE.to_owned(), RefOr::T(page));
            }
        }
        responses
    }
}

/// Shows why a link leads to no file as a page in the reader's language, if the reader asks for pages.
pub fn or_link_page(result: Result, headers: &HeaderMap) -> Result {
    let failure = match result {
        Err(failure) if prefers_page(headers) => failure,
        other => return other,
    };
    let language = preferred_language(headers);
    match reasons::of_link(language, failure.0.code) {
        Some(text) => Ok(page(&failure, language, text)),
        // The service has failed, or is busy.
        None => Err(failure),
    }
}

/// Builds a page. The texts are the program's own, so that nothing needs to be escaped.
fn page(failure: &Failure, language: Language, text: &str) -> Response {
    let (tag, title) = (language.as_str(), reasons::NO_FILE.get(language));
    let html = format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>body {{ font: 1.1rem/1.5 sans-serif; margin: 10vh auto; max-width: 36rem; padding: 0 1rem }}</style>\n\
         <h1>{title}</h1>\n<p>{text}</p>\n</html>\n"
    );
    let mut response = Response::new(Body::from(html));
    *response.status_mut() = status(failure.0.kind);
    AccessLogFields::of(&mut response).code = Some(failure.0.code);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(tag));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    response
}

/// Whether `Accept` names pages, and prefers nothing that programs read.
pub fn prefers_page(headers: &HeaderMap) -> bool {
    let items = list_items(headers, &header::ACCEPT);
    let ranges: Vec<MediaRange<'_>> = items.into_iter().filter_map(MediaRange::read).collect();
    let named = |kind: &str, subtype: &str| {
        let precise = ranges.iter().filter(|range| range.specificity_for(kind, subtype) == Some(2));
        precise.map(|range| range.quality).max().unwrap_or(0)
    };
    let page = named("text", "html");
    page > 0 && page >= named("application", "problem+json").max(named("application", "json"))
}

/// Returns the language with texts that `Accept-Language` prefers; English if it names none.
pub fn preferred_language(headers: &HeaderMap) -> Language {
    let named = list_items(headers, &header::ACCEPT_LANGUAGE).into_iter().filter_map(|item| {
        let (tag, parameter) = item.split_once(';').unwrap_or((item, "q=1"));
        let quality = parse_quality(parameter.trim().strip_prefix("q=")?)?;
        let primary = tag.split('-').next()?.trim().to_ascii_lowercase();
        (quality > 0).then_some((quality, Language::parse(&primary)?))
    });
    // Among equals, the first.
    let best = named.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map_or(Language::English, |(_, language)| language)
}

/// Returns the items of a list, which may be spread over several headers.
fn list_items<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn browsers_get_pages_and_programs_do_not() {
        for (accept, is_page) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true),
            ("text/html", true),
            ("Text/HTML;q=0.5, application/json;q=0.4", true),
            ("text/html;q=0", false),
            ("application/json, text/html;q=0.9", false),
            ("application/problem+json, text/html;q=0.9", false),
            ("text/*", false),
            ("*/*", false),
            ("", false),
        ] {
            assert_eq!(prefers_page(&headers(header::ACCEPT, accept)), is_page, "{accept}");
        }
        assert!(!prefers_page(&HeaderMap::new()));
    }

    #[test]
    fn the_language_is_the_best_liked_one_that_has_texts() {
        for (accepted, language) in [
            ("de", Language::German),
            ("de-AT,de;q=0.9,en;q=0.8", Language::German),
            ("sv, de;q=0.3, en;q=0.2", Language::German),
            ("en-GB,en;q=0.9,de;q=0.8", Language::English),
            ("de;q=0, en;q=0.1", Language::English),
            ("de;q=x", Language::English),
            ("*", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(
                preferred_language(&headers(header::ACCEPT_LANGUAGE, accepted)),
                language,
                "{accepted}"
            );
        }
        assert_eq!(preferred_language(&HeaderMap::new()), Language::English);
    }
}

//! `Range`, `If-Range` and preconditions for stored bytes that never change (RFC 9110, sections 13 and 14).

use std::ops::Range;

use app::{Error, ErrorKind};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use crate::response::error::Failure;

/// Stored bytes and how HTTP serves them.
#[derive(Clone, Debug)]
pub struct Representation {
    pub size_bytes: u64,
    pub media_type: &'static str,
    /// A strong entity tag without quotes, different for different bytes.
    pub etag: String,
    /// The file name to suggest: letters, digits, dots and hyphens.
    pub file_name: String,
    pub disposition: Disposition,
}

/// Whether a browser displays or saves the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    Inline,
    Attachment,
}

/// The response to a range request.
#[derive(Debug)]
pub enum RangeOutcome {
    /// A complete response without a body.
    WithoutBody(Response),
    /// The response, and the range of bytes to send as its body.
    WithBody(Range<u64>, Response),
}

/// Evaluates the preconditions and the range of a GET or HEAD request and prepares the response.
///
/// One range gives a 206. Several ranges, or an invalid range, give the whole content, because servers may ignore them. A range that
/// starts beyond the end is refused, and the response contains the length.
pub fn evaluate_range_request(
    method: &Method,
    headers: &HeaderMap,
    representation: &Representation,
) -> Result<RangeOutcome, Failure> {
    let tag = format!("\"{}\"", representation.etag);
    let if_match = parse_entity_tags(headers, &header::IF_MATCH);
    if !if_match.is_empty() && !if_match.iter().any(|known| *known == "*" || *known == tag) {
        return Err(Error::new(
            ErrorKind::PreconditionFailed,
            "stale",
            "The content is not the version that you have.",
        )
        .into());
    }
    let is_known = |known: &&str| *known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag;
    let mut response = Response::new(Body::empty());
    set_header(&mut response, header::ETAG, tag.clone());
    // A private cache may store the response, but must revalidate it.
    set_header(&mut response, header::CACHE_CONTROL, "private, no-cache".to_owned());
    if parse_entity_tags(headers, &header::IF_NONE_MATCH).iter().any(is_known) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(RangeOutcome::WithoutBody(response));
    }
    set_header(&mut response, header::ACCEPT_RANGES, "bytes".to_owned());
    set_header(&mut response, header::CONTENT_TYPE, representation.media_type.to_owned());
    let disposition = match representation.disposition {
        Disposition::Inline => "inline",
        Disposition::Attachment => "attachment",
    };
    let disposition = format!("{disposition}; filename=\"{}\"", representation.file_name);
    set_header(&mut response, header::CONTENT_DISPOSITION, disposition);

    let size = representation.size_bytes;
    let part = match requested_range(method, headers, &tag, size) {
        RequestedRange::Whole => 0..size,
        RequestedRange::Single(range) => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let last = range.end - 1;
            set_header(&mut response, header::CONTENT_RANGE, format!("bytes {}-{last}/{size}", range.start));
            range
        }
        RequestedRange::Unsatisfiable => return Ok(RangeOutcome::WithoutBody(range_not_satisfiable(size))),
    };
    set_header(&mut response, header::CONTENT_LENGTH, (part.end - part.start).to_string());
    if method == Method::HEAD {
        Ok(RangeOutcome::WithoutBody(response))
    } else {
        Ok(RangeOutcome::WithBody(part, response))
    }
}

/// The requested part.
#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    Whole,
    Single(Range<u64>),
    /// A range that starts beyond the end.
    Unsatisfiable,
}

fn requested_range(method: &Method, headers: &HeaderMap, tag: &str, size: u64) -> RequestedRange {
    // Ranges apply to GET only.
    if method != Method::GET {
        return RequestedRange::Whole;
    }
    // No `Last-Modified` is sent, so a date never matches, and a weak tag never matches either.
    if let Some(condition) = headers.get(header::IF_RANGE)
        && condition.as_bytes() != tag.as_bytes()
    {
        return RequestedRange::Whole;
    }
    let mut lines = headers.get_all(header::RANGE).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else { return RequestedRange::Whole };
    line.to_str().ok().and_then(|line| parse_single_range(line, size)).unwrap_or(RequestedRange::Whole)
}

/// Parses a header with a single range. Returns `None` if it is invalid, of another unit, or has several ranges.
fn parse_single_range(line: &str, size: u64) -> Option<RequestedRange> {
    let (unit, range) = line.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = range.trim().split_once('-')?;
    let (first, last) = (parse_bound(first)?, parse_bound(last)?);
    match (first, last) {
        (None, None) => None,
        (Some(first), Some(last)) if last < first => None,
        // The last `length` bytes. An empty suffix or content cannot be satisfied, because a 206 cannot describe an empty range.
        (None, Some(length)) if length == 0 || size == 0 => Some(RequestedRange::Unsatisfiable),
        (None, Some(length)) => Some(RequestedRange::Single(size.saturating_sub(length)..size)),
        (Some(first), _) if first >= size => Some(RequestedRange::Unsatisfiable),
        (Some(first), last) => {
            Some(RequestedRange::Single(first..last.map_or(size, |last| last.saturating_add(1).min(size))))
        }
    }
}

/// Parses a bound: `Some(None)` if it is empty, `None` if it is not a number. A number that is too large counts as infinite.
fn parse_bound(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| Some(text.parse().unwrap_or(u64::MAX)))
}

fn range_not_satisfiable(size: u64) -> Response {
    let detail = format!("The range is beyond the end of the content, which has {size} bytes.");
    let error = Error::new(ErrorKind::RangeNotSatisfiable, "range_not_satisfiable", detail);
    let mut response = Failure::from(error).into_response();
    set_header(&mut response, header::CONTENT_RANGE, format!("bytes */{size}"));
    set_header(&mut response, header::ACCEPT_RANGES, "bytes".to_owned());
    response
}

fn set_header(response: &mut Response, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        response.headers_mut().insert(name, value);
    }
}

fn parse_entity_tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|tag| !tag.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bytes that a range selects, one by one, as RFC 9110 (section 14.1.2) describes them; `None` for an invalid range, which is
    /// ignored.
    fn selected(first: Option<u64>, last: Option<u64>, size: u64) -> Option<Vec<u64>> {
        match (first, last) {
            (None, None) => None,
            (Some(first), Some(last)) if last < first => None,
            (Some(first), last) => {
                Some((0..size).filter(|at| *at >= first && last.is_none_or(|last| *at <= last)).collect())
            }
            (None, Some(length)) => Some((0..size).filter(|at| size - at <= length).collect()),
        }
    }

    proptest! {
        #[test]
        fn a_range_selects_what_the_rfc_says(
            first in proptest::option::of(0_u64..40),
            last in proptest::option::of(0_u64..40),
            size in prop_oneof![Just(0_u64), 0_u64..40],
        ) {
            let text = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
            let line = format!("bytes={}-{}", text(first), text(last));
            let stored = Representation { size_bytes: size, ..stored() };
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, HeaderValue::try_from(line).unwrap());
            let asked = evaluate_range_request(&Method::GET, &headers, &stored).unwrap();
            match (selected(first, last, size), asked) {
                (None, RangeOutcome::WithBody(range, response)) => {
                    prop_assert_eq!((response.status().as_u16(), range), (200, 0..size));
                }
                (Some(bytes), RangeOutcome::WithoutBody(response)) => {
                    prop_assert!(bytes.is_empty());
                    prop_assert_eq!(response.status().as_u16(), 416);
                    prop_assert_eq!(&response.headers()[header::CONTENT_RANGE], &format!("bytes */{size}"));
                }
                (Some(bytes), RangeOutcome::WithBody(range, response)) => {
                    prop_assert_eq!(response.status().as_u16(), 206);
                    prop_assert_eq!(range.clone().collect::<Vec<_>>(), bytes);
                    let content_range = format!("bytes {}-{}/{size}", range.start, range.end - 1);
                    prop_assert_eq!(&response.headers()[header::CONTENT_RANGE], &content_range);
                }
                (None, RangeOutcome::WithoutBody(_)) => prop_assert!(false, "an invalid range was not ignored"),
            }
        }
    }

    #[test]
    fn a_range_is_read_as_the_rfc_has_it() {
        let whole = |line| assert_eq!(parse_single_range(line, 1000), None, "{line}");
        let is = |line, range: Range<u64>| {
            assert_eq!(parse_single_range(line, 1000), Some(RequestedRange::Single(range)), "{line}");
        };
        let absent =
            |line| assert_eq!(parse_single_range(line, 1000), Some(RequestedRange::Unsatisfiable), "{line}");
        is("bytes=0-", 0..1000);
        is("bytes=0-0", 0..1);
        is("bytes=0-999", 0..1000);
        is("bytes=0-5000", 0..1000);
        is("bytes=999-", 999..1000);
        is("BYTES=10-19", 10..20);
        is("bytes= 10-19 ", 10..20);
        is("bytes=-1", 999..1000);
        is("bytes=-5000", 0..1000);
        is("bytes=5-99999999999999999999999", 5..1000);
        absent("bytes=1000-");
        absent("bytes=1000-2000");
        absent("bytes=-0");
        absent("bytes=99999999999999999999999-");
        for line in [
            "bytes=",
            "bytes=-",
            "bytes=5-4",
            "bytes=a-b",
            "bytes=0-1,5-6",
            "bytes=+1-2",
            "lines=0-1",
            "0-1",
            "bytes=--1",
        ] {
            whole(line);
        }
    }

    fn stored() -> Representation {
        Representation {
            size_bytes: 1000,
            media_type: "video/mp4",
            etag: "abc".to_owned(),
            file_name: "x.mp4".to_owned(),
            disposition: Disposition::Inline,
        }
    }

    fn asked_with(method: &Method, pairs: &[(&'static str, &'static str)]) -> (u16, Option<Range<u64>>) {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        match evaluate_range_request(method, &headers, &stored()) {
            Ok(RangeOutcome::WithoutBody(response)) => (response.status().as_u16(), None),
            Ok(RangeOutcome::WithBody(range, response)) => (response.status().as_u16(), Some(range)),
            Err(failure) => (crate::response::error::status(failure.0.kind).as_u16(), None),
        }
    }

    #[test]
    fn conditions_come_before_ranges() {
        let get = |pairs: &[_]| asked_with(&Method::GET, pairs);
        assert_eq!(get(&[]), (200, Some(0..1000)));
        assert_eq!(get(&[("range", "bytes=1-2")]), (206, Some(1..3)));
        assert_eq!(get(&[("range", "bytes=1000-")]), (416, None));
        assert_eq!(get(&[("range", "bytes=1-2"), ("if-range", "\"abc\"")]), (206, Some(1..3)));
        assert_eq!(get(&[("range", "bytes=1000-"), ("if-range", "\"old\"")]), (200, Some(0..1000)));
        assert_eq!(get(&[("range", "bytes=1-2"), ("if-range", "W/\"abc\"")]), (200, Some(0..1000)));
        let date = "Sun, 01 Mar 2026 12:00:00 GMT";
        assert_eq!(get(&[("range", "bytes=1-2"), ("if-range", date)]), (200, Some(0..1000)));
        assert_eq!(get(&[("range", "bytes=1-2"), ("if-none-match", "\"abc\"")]), (304, None));
        assert_eq!(get(&[("if-none-match", "\"x\", W/\"abc\"")]), (304, None));
        assert_eq!(get(&[("if-none-match", "*")]), (304, None));
        assert_eq!(get(&[("if-none-match", "\"x\"")]), (200, Some(0..1000)));
        assert_eq!(get(&[("if-match", "\"x\"")]), (412, None));
        assert_eq!(get(&[("if-match", "W/\"abc\"")]), (412, None));
        assert_eq!(get(&[("if-match", "\"abc\""), ("range", "bytes=-1")]), (206, Some(999..1000)));
        assert_eq!(get(&[("range", "bytes=0-1"), ("range", "bytes=2-3")]), (200, Some(0..1000)));
        assert_eq!(asked_with(&Method::HEAD, &[("range", "bytes=1000-")]), (200, None));
    }
}

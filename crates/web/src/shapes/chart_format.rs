//! Responses that are data or a chart image, chosen by `format` or else by `Accept`.

use std::convert::Infallible;

use app::chart_images::{ChartImageRequest, Theme};
use app::{Error, ErrorKind};
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};

use crate::IntoParams;
use crate::request::params::{FromParams, Query};
use crate::response::enum_schemas;
use crate::response::error::Failure;
use crate::shapes::chart_enums::{ChartFormat, ChartTheme, ChartTitle};

/// The query parameters of a chart image, for OpenAPI. [`ChartImageParams`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct ChartImageQuery {
    /// Format of the answer: `json` for the data, `svg` for the image. The default follows the header `Accept`.
    #[param(value_type = Option<enum_schemas::ChartFormat>)]
    format: Option<String>,
    /// Theme of the image: `light`, `dark`, or `auto` for the preference of the reader's system. The default is `light`.
    #[param(value_type = Option<enum_schemas::ChartTheme>)]
    theme: Option<String>,
    /// Width of the image in pixels. The default suits the chart.
    #[param(minimum = 200, maximum = 4000)]
    width: Option<i64>,
    /// Height of the image in pixels. The default suits the chart.
    #[param(minimum = 200, maximum = 4000)]
    height: Option<i64>,
    /// `none` draws the image without its title and subtitle, for a page that has them beside it. The default is `shown`.
    #[param(value_type = Option<enum_schemas::ChartTitle>)]
    title: Option<String>,
}

impl ChartImageQuery {
    /// The names of all parameters.
    pub const NAMES: [&str; 5] = ["format", "theme", "width", "height", "title"];
}

/// The parsed query parameters of a chart image.
#[derive(Clone, Copy, Debug)]
pub struct ChartImageParams {
    format: Option<ChartFormat>,
    request: ChartImageRequest,
}

impl FromParams for ChartImageParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let format = query.one("format", ChartFormat::parse)?;
        let image = read_chart_image(query, Theme::default())?;
        let without_title = query.one("title", ChartTitle::parse)? == Some(ChartTitle::None);
        Ok(Self { format, request: ChartImageRequest { without_title, ..image } })
    }
}

/// Reads the theme, or the one that is usual, and the sides of an image with its title.
pub fn read_chart_image(query: &mut Query, usual: Theme) -> Result<ChartImageRequest, Error> {
    let theme = query.one("theme", ChartTheme::parse)?.unwrap_or(usual);
    let mut side = |name| {
        let pixels = query.integer(name, ChartImageRequest::SIZES)?;
        Ok::<_, Error>(pixels.and_then(|pixels| u32::try_from(pixels).ok()))
    };
    let (width, height) = (side("width")?, side("height")?);
    Ok(ChartImageRequest { theme, width, height, without_title: false })
}

/// The requested form of a response.
#[derive(Clone, Copy, Debug)]
pub enum OutputFormat {
    Data,
    Image(ChartImageRequest),
}

impl ChartImageParams {
    /// Returns the requested form. Fails if `Accept` allows neither.
    pub fn output_format(self, accept: &Accept) -> Result<OutputFormat, Failure> {
        let format = match self.format {
            Some(format) => format,
            None => accept.choose_format()?,
        };
        Ok(match format {
            ChartFormat::Json => OutputFormat::Data,
            ChartFormat::Svg => OutputFormat::Image(self.request),
        })
    }
}

/// The preferences of the `Accept` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accept {
    /// The quality of each format in thousandths; 0 means not acceptable.
    json_quality: u16,
    svg_quality: u16,
}

impl<S: Send + Sync> FromRequestParts<S> for Accept {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::read(&parts.headers))
    }
}

/// A media range of `Accept` with its quality.
pub(crate) struct MediaRange<'a> {
    kind: &'a str,
    subtype: &'a str,
    /// In thousandths.
    pub quality: u16,
}

impl<'a> MediaRange<'a> {
    pub fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        if kind.is_empty() || subtype.is_empty() || (kind == "*" && subtype != "*") {
            return None;
        }
        let quality = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case("q").then(|| parse_quality(value.trim()))
        });
        Some(Self { kind, subtype, quality: quality.unwrap_or(Some(1_000))? })
    }

    /// Returns how specifically the range matches a media type, or `None` if it does not match.
    pub fn specificity_for(&self, kind: &str, subtype: &str) -> Option<u8> {
        match (self.kind, self.subtype) {
            ("*", _) => Some(0),
            (own, "*") if own.eq_ignore_ascii_case(kind) => Some(1),
            (own, sub) if own.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => Some(2),
            _ => None,
        }
    }
}

/// Parses a quality value of RFC 9110, from 0 to 1 with at most three decimals, and returns it in thousandths.
pub(crate) fn parse_quality(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_weight = matches!(whole, "0" | "1")
        && decimals.len() <= 3
        && decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !is_weight {
        return None;
    }
    let number: u16 = format!("{whole}{decimals:0<3}").parse().ok()?;
    (number <= 1_000).then_some(number)
}

impl Accept {
    fn read(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges: Vec<MediaRange<'_>> =
            lines.flat_map(|line| line.split(',')).filter_map(MediaRange::read).collect();
        let quality = |kind: &str, subtype: &str| {
            // Without a valid `Accept` everything is acceptable.
            if ranges.is_empty() {
                return 1_000;
            }
            let named = ranges
                .iter()
                .filter_map(|range| Some((range.specificity_for(kind, subtype)?, range.quality)));
            named.max().map_or(0, |(_, quality)| quality)
        };
        Self { json_quality: quality("application", "json"), svg_quality: quality("image", "svg+xml") }
    }

    fn choose_format(self) -> Result<ChartFormat, Error> {
        match self {
            Self { json_quality: 0, svg_quality: 0 } => Err(Error::new(
                ErrorKind::NotAcceptable,
                "not_acceptable",
                "Available formats are application/json and image/svg+xml, and Accept allows neither.",
            )),
            Self { json_quality: json, svg_quality: svg } if svg > json => Ok(ChartFormat::Svg),
            Self { .. } => Ok(ChartFormat::Json),
        }
    }
}

/// Returns 200 with an SVG image, which can neither run scripts nor load anything.
pub fn svg_response(svg: String) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; \
        frame-ancestors 'none'; sandbox";
    let mut response = Response::new(Body::from(svg));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(accept: &[&'static str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for line in accept {
            headers.append(header::ACCEPT, HeaderValue::from_static(line));
        }
        Accept::read(&headers).choose_format().ok().map(ChartFormat::as_str)
    }

    #[test]
    fn the_best_liked_form_is_chosen_and_data_among_equals() {
        for (accept, chosen) in [
            (&[][..], Some("json")),
            (&["*/*"], Some("json")),
            (&["image/svg+xml"], Some("svg")),
            (&["Image/SVG+xml"], Some("svg")),
            (&["image/*"], Some("svg")),
            (&["image/svg+xml", "application/json;q=0.5"], Some("svg")),
            (&["image/svg+xml;q=0.4, application/json;q=0.5"], Some("json")),
            (&["image/svg+xml;q=0.5, application/json;q=0.500"], Some("json")),
            (&["*/*;q=0.9, application/json;q=0"], Some("svg")),
            (&["*/*;q=0.9, image/*;q=0.1, image/svg+xml"], Some("svg")),
            (&["image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8"], Some("svg")),
            (&["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"], Some("json")),
            (&["application/json; charset=utf-8"], Some("json")),
            (&["nonsense"], Some("json")),
            (&["image/svg+xml;q=2, application/json;q=0.1"], Some("json")),
            (&["text/html"], None),
            (&["application/json;q=0, image/svg+xml;q=0.000"], None),
            (&["image/png, image/svg+xml;q=0"], None),
        ] {
            assert_eq!(choice(accept), chosen, "{accept:?}");
        }
    }

    #[cfg(feature = "openapi")]
    #[test]
    fn the_names_are_those_that_are_documented() {
        let documented: Vec<String> =
            ChartImageQuery::into_params(|| None).into_iter().map(|parameter| parameter.name).collect();
        assert_eq!(documented, ChartImageQuery::NAMES);
    }
}

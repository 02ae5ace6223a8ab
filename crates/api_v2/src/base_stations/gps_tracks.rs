//! GET /api/v2/base_stations/{id}/gps_tracks

use std::sync::Arc;

use app::{App, Error, TrackRequest};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{BaseStationId, Fix, Invalid, PeriodBound, Timestamp};
use web::enum_schemas::{FeatureCollectionType, FeatureType, LineStringType};
use web::{Caller, FromParams, Params, PathId, Query, Result, json_api_errors};

const MAX_TOLERANCE_M: f64 = 100.0;

/// The parsed query parameters.
pub struct TrackParams(pub TrackRequest);

impl FromParams for TrackParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let simplify_m = query.one("simplify_m", |text| match text.parse::<f64>() {
            Ok(metres) if (0.0..=MAX_TOLERANCE_M).contains(&metres) => Ok(metres),
            _ => Err(Invalid::new("out_of_range", format!("must be a number from 0 to {MAX_TOLERANCE_M}"))),
        })?;
        let (from, to) = (query.one("from", PeriodBound::parse)?, query.one("to", PeriodBound::parse)?);
        Ok(Self(TrackRequest { from, to, simplify_m: simplify_m.unwrap_or(0.0) }))
    }
}

/// A GeoJSON feature collection (RFC 7946) of lines.
#[web::answer]
pub struct Tracks {
    /// Always `FeatureCollection`.
    #[serde(rename = "type")]
    kind: FeatureCollectionType,
    /// Lines, the oldest first. A line ends where no position was received for more than five minutes, and at the 180th meridian.
    features: Vec<Track>,
}

/// A GeoJSON feature: a part of the track without gaps.
#[web::answer]
pub struct Track {
    /// Always `Feature`.
    #[serde(rename = "type")]
    kind: FeatureType,
    /// The line.
    geometry: TrackLine,
    /// Time and speed at each vertex of the line.
    properties: TrackTimes,
}

/// A GeoJSON line. A single position without others near it in time is a line from and to itself.
#[web::answer]
pub struct TrackLine {
    /// Always `LineString`.
    #[serde(rename = "type")]
    kind: LineStringType,
    /// Longitude and latitude of each vertex, in degrees with six decimal places.
    #[schema(value_type = Vec<Vec<f64>>, example = json!([[13.405, 52.52], [13.406, 52.521]]))]
    coordinates: Vec<[f64; 2]>,
}

/// Time and speed at each vertex, in the order of the vertices.
#[web::answer]
pub struct TrackTimes {
    /// Time at each vertex, RFC 3339 in UTC with milliseconds.
    #[schema(value_type = Vec<String>, example = json!(["2026-03-01T08:00:00Z", "2026-03-01T08:00:01Z"]))]
    times: Vec<Timestamp>,
    /// Speed at each vertex in kilometres per hour, rounded to 0.5; null where it is not known.
    #[schema(value_type = Vec<Option<f64>>, example = json!([4.5, null]))]
    speeds_kmh: Vec<Option<f64>>,
}

impl Tracks {
    /// Builds the GeoJSON feature collection.
    pub fn from_lines(lines: Vec<app::TrackLine>) -> Self {
        Self { kind: FeatureCollectionType, features: lines.into_iter().map(feature).collect() }
    }
}

fn feature(mut line: app::TrackLine) -> Track {
    if let [alone] = line[..] {
        line.push(alone);
    }
    let degrees = |e6: i32| f64::from(e6) / 1e6;
    let position = |fix: &Fix| [degrees(fix.lon_e6), degrees(fix.lat_e6)];
    let coordinates = line.iter().map(position).collect();
    let at = |fix: &Fix| Timestamp::from_micros(fix.at_ms.saturating_mul(1_000));
    let speed = |fix: &Fix| fix.speed_half_kmh.map(|steps| f64::from(steps) / 2.0);
    Track {
        kind: FeatureType,
        geometry: TrackLine { kind: LineStringType, coordinates },
        properties: TrackTimes {
            times: line.iter().map(at).collect(),
            speeds_kmh: line.iter().map(speed).collect(),
        },
    }
}

/// Get the GPS track of a base station
///
/// Returns GeoJSON lines with the time at each vertex, up to 100,000 vertices; use a shorter period or simpler lines if there are more.
/// If your access is restricted to projects, only the times at which the base station was in one of them are returned.
#[web::operation(
    get, path = "/api/v2/base_stations/{id}/gps_tracks", tag = "base stations", operation_id = "get_gps_tracks",
    params(
        ("id" = i64, Path, description = "Id of the base station."),
        ("from" = Option<String>, Query, description = "Start of the period: a time (RFC 3339), or a date, which begins by the local \
            time of the worksite where the machine is now. At most 31 days before `to`. Default: 24 hours before `to`."),
        ("to" = Option<String>, Query, description = "End of the period, exclusive; a time or a date, as in `from`. Default: now."),
        ("simplify_m" = Option<f64>, Query, minimum = 0, maximum = 100, description = "Tolerance in metres: positions at most this far from \
            the simplified line are left out. Default: all positions are returned."),
    ),
    responses(
        (status = 200, description = "The GPS track as a feature collection.", body = Tracks,
            content_type = "application/geo+json"),
        json_api_errors::BadParams, json_api_errors::NotFound,
    ),
)]
pub async fn get_gps_tracks(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(TrackParams(request)): Params<TrackParams>,
) -> Result {
    let lines = app.list_station_tracks(&caller, BaseStationId(id), request).await?;
    Ok(web::geo_json_response(&Tracks::from_lines(lines)))
}

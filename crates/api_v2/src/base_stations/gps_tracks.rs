//! GET /api/v2/base_stations/{id}/gps_tracks

use std::sync::Arc;

use app::{App, Error, TrackRequest};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{BaseStationId, Fix, Invalid, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, FromParams, Params, PathId, Query, Result, json_api_errors};

/// The greatest tolerance, in metres.
const MAX_TOLERANCE_M: f64 = 100.0;

/// Which way.
pub struct TrackParams(TrackRequest);

impl FromParams for TrackParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let simplify_m = query.one("simplify_m", |text| match text.parse::<f64>() {
            Ok(metres) if (0.0..=MAX_TOLERANCE_M).contains(&metres) => Ok(metres),
            _ => Err(Invalid::new("out_of_range", format!("must be a number from 0 to {MAX_TOLERANCE_M}"))),
        })?;
        let (from, to) = (query.time("from")?, query.time("to")?);
        Ok(Self(TrackRequest { from, to, simplify_m: simplify_m.unwrap_or(0.0) }))
    }
}

/// A GeoJSON feature collection (RFC 7946) of lines.
#[derive(Serialize, ToSchema)]
pub struct Tracks {
    /// `FeatureCollection`.
    #[serde(rename = "type")]
    #[schema(example = "FeatureCollection")]
    kind: &'static str,
    /// A line each, the oldest first. One ends where nothing was heard for more than five minutes, and at the 180th meridian.
    features: Vec<Track>,
}

/// A way without gaps.
#[derive(Serialize, ToSchema)]
pub struct Track {
    /// `Feature`.
    #[serde(rename = "type")]
    #[schema(example = "Feature")]
    kind: &'static str,
    /// Where.
    geometry: TrackLine,
    /// When.
    properties: TrackTimes,
}

/// A GeoJSON line. A position without any near it in time is a line from and to itself.
#[derive(Serialize, ToSchema)]
pub struct TrackLine {
    /// `LineString`.
    #[serde(rename = "type")]
    #[schema(example = "LineString")]
    kind: &'static str,
    /// Longitude and latitude of each vertex, in degrees, to the sixth digit.
    #[schema(value_type = Vec<Vec<f64>>, example = json!([[13.405, 52.52], [13.406, 52.521]]))]
    coordinates: Vec<[f64; 2]>,
}

/// What is known of each vertex, in their order.
#[derive(Serialize, ToSchema)]
pub struct TrackTimes {
    /// When, to the millisecond.
    #[schema(value_type = Vec<String>, example = json!(["2026-03-01T08:00:00Z", "2026-03-01T08:00:01Z"]))]
    times: Vec<Timestamp>,
    /// How fast, in kilometres an hour, to the half; null where that is not known.
    #[schema(value_type = Vec<Option<f64>>, example = json!([4.5, null]))]
    speeds_kmh: Vec<Option<f64>>,
}

impl Tracks {
    /// Lines as GeoJSON.
    pub fn from_lines(lines: Vec<app::TrackLine>) -> Self {
        Self { kind: "FeatureCollection", features: lines.into_iter().map(feature).collect() }
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
        kind: "Feature",
        geometry: TrackLine { kind: "LineString", coordinates },
        properties: TrackTimes {
            times: line.iter().map(at).collect(),
            speeds_kmh: line.iter().map(speed).collect(),
        },
    }
}

/// Where a base station went, as GeoJSON lines with the time of each vertex. At most 100,000 vertices: ask for a shorter time
/// or simpler lines if there are more. If you are restricted to projects, only where it went while it stood in them.
#[utoipa::path(
    get, path = "/api/v2/base_stations/{id}/gps_tracks", tag = "base stations", operation_id = "get_gps_tracks",
    security(("jwt" = [])),
    params(
        ("id" = i64, Path, description = "The base station's id"),
        ("from" = Option<String>, Query, description = "From then on, RFC 3339. Left out: 24 hours before `to`. At most 31 \
            days before `to`"),
        ("to" = Option<String>, Query, description = "Only before, RFC 3339. Left out: up to now"),
        ("simplify_m" = Option<f64>, Query, minimum = 0, maximum = 100, description = "Leaves out positions that are at most so many metres off \
            the line. Left out: all are shown"),
    ),
    responses(
        (status = 200, description = "A feature collection", body = Tracks),
        json_api_errors::BadParams, json_api_errors::Unauthenticated, json_api_errors::NotFound,
    ),
)]
pub async fn get_gps_tracks(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(TrackParams(request)): Params<TrackParams>,
) -> Result {
    let lines = app.list_station_tracks(&caller, BaseStationId(id), request).await?;
    Ok(web::json_response(&Tracks::from_lines(lines)))
}

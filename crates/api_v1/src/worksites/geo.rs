//! GET /api/v1/worksites/{id}/geo

use std::sync::Arc;

use app::{App, Error, MachineAtWorksite};
use axum::extract::State;
use domain::access::ReadRegistry;
use domain::{Timestamp, WorksiteId};
use geography::Boundary;
use serde_json::{Value, json};
use web::enum_schemas::FeatureCollectionType;
use web::{Caller, FromParams, Params, PathId, Query, Result, ToSchema, problem};

pub struct GeoParams {
    at: Option<Timestamp>,
}

impl FromParams for GeoParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self { at: query.time("at")? })
    }
}

/// A worksite as a GeoJSON feature collection (RFC 7946).
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct WorksiteGeo {
    /// GeoJSON type, always `FeatureCollection`.
    r#type: FeatureCollectionType,
    /// Bounding box (west, south, east, north) in degrees; absent if there is no feature.
    #[schema(example = json!([13.40, 52.51, 13.41, 52.52]))]
    bbox: Option<Vec<f64>>,
    /// The boundary, if there is one, with the properties `feature` (`boundary`), `id`, `name`, `colour`, `kind`, `area_m2` and, for a
    /// circle, which is drawn as a polygon, `center` and `radius_m`. Without `at`, the machines that are assigned to the worksite or were
    /// last inside it follow as points at their last positions since their base station was installed on them, with the properties
    /// `feature` (`machine`), `id`, `name`, `kind`, `base_station`, `at` (the time of the position), `assigned` and `inside`.
    #[schema(value_type = Vec<Object>)]
    features: Vec<Value>,
}

/// Get a worksite as GeoJSON
///
/// Returns the boundary of the worksite, now or at a given time, and the machines that are there now.
#[web::operation(
    get, path = "/api/v1/worksites/{id}/geo", tag = "worksites", operation_id = "get_worksite_geo",
    params(
        ("id" = i64, Path, description = "Identifier of the worksite"),
        ("at" = Option<String>, Query, description = "Time of the boundary (RFC 3339); the default is now"),
    ),
    responses(
        (status = 200, description = "A feature collection", body = WorksiteGeo, content_type = "application/geo+json"),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn get_worksite_geo(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadRegistry>,
    PathId(id): PathId,
    Params(params): Params<GeoParams>,
) -> Result {
    let (site, boundary, machines) = app.find_worksite_geo(&caller, WorksiteId(id), params.at).await?;
    let mut bbox = boundary.as_ref().map(Boundary::bbox);
    let mut features: Vec<Value> = boundary.iter().map(|boundary| feature(&site, boundary)).collect();
    for machine in machines {
        let (lon, lat) = (machine.position.position.lon(), machine.position.position.lat());
        let [west, south, east, north] = bbox.unwrap_or([lon, lat, lon, lat]);
        bbox = Some([west.min(lon), south.min(lat), east.max(lon), north.max(lat)]);
        features.push(point(machine));
    }
    let mut collection = json!({ "type": FeatureCollectionType, "features": features });
    if let Some(bbox) = bbox {
        collection["bbox"] = json!(bbox);
    }
    Ok(web::geo_json_response(&collection))
}

fn feature(site: &domain::Worksite, boundary: &Boundary) -> Value {
    let mut properties = json!({
        "feature": "boundary",
        "id": site.id,
        "name": site.name,
        "colour": site.colour,
        "kind": site.kind,
        "area_m2": boundary.area_m2(),
    });
    if let Some((center, radius_m)) = boundary.circle() {
        properties["center"] = center;
        properties["radius_m"] = json!(radius_m);
    }
    boundary.to_feature(&properties)
}

fn point(machine: MachineAtWorksite) -> Value {
    let MachineAtWorksite { position, assigned, inside } = machine;
    let (station, serial) = position.base_station;
    json!({
        "type": "Feature",
        "geometry": { "type": "Point", "coordinates": [position.position.lon(), position.position.lat()] },
        "properties": {
            "feature": "machine",
            "id": position.machine,
            "name": position.machine_name,
            "kind": position.machine_kind,
            "base_station": { "id": station, "serial": serial },
            "at": position.at,
            "assigned": assigned,
            "inside": inside,
        },
    })
}

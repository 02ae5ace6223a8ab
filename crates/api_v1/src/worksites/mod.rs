//! /api/v1/worksites: worksites, their boundaries, terms and assignments.

mod assignments;
mod change;
mod create;
mod delete;
mod geo;
mod get;
mod list;
mod terms;

use domain::Timestamp;
use serde_json::Value;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_worksites, create::create_worksite))
        .routes(routes!(get::get_worksite, change::change_worksite, delete::delete_worksite))
        .routes(routes!(geo::get_worksite_geo))
        .routes(routes!(terms::list_worksite_terms))
        .merge(assignments::routes())
}

/// A worksite as it is listed, without its boundary, which may be long.
#[web::answer(record)]
pub struct WorksiteSummary {
    /// Identifier of the worksite.
    #[schema(example = 2)]
    id: i64,
    /// Name of the worksite.
    #[schema(example = "North bridge, east bank")]
    name: String,
    /// Colour in which the worksite is drawn, as `#rrggbb`.
    #[schema(example = "#ff8800")]
    colour: String,
    /// Kind of work that is done at the worksite.
    #[schema(value_type = enum_schemas::WorksiteKind)]
    kind: domain::WorksiteKind,
    /// Time zone of the worksite, as a name of the IANA database. It determines where its days begin.
    #[schema(example = "Europe/Berlin")]
    time_zone: String,
    /// Area in square metres; null without a boundary.
    #[schema(example = 41_250)]
    area_m2: Option<i64>,
    /// Contact for technical questions.
    #[schema(example = "Ada Lovelace, +49 30 1234")]
    technical_contact: Option<String>,
    /// Identifier of the project that the worksite belongs to.
    #[schema(example = 3)]
    project_id: Option<i64>,
    /// Time at which the worksite was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the worksite was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the worksite was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
}

/// A worksite with its boundary.
#[web::answer(record)]
pub struct Worksite {
    #[serde(flatten)]
    summary: WorksiteSummary,
    /// Boundary: a GeoJSON polygon with its outline counterclockwise and its holes clockwise, or `{"type": "Circle", "center": [lon,
    /// lat], "radius_m": …}`.
    #[schema(value_type = Option<Object>)]
    boundary: Option<Value>,
}

fn summary(site: domain::Worksite) -> WorksiteSummary {
    WorksiteSummary {
        id: site.id.0,
        name: site.name,
        colour: site.colour,
        kind: site.kind,
        time_zone: site.time_zone,
        area_m2: site.area_m2,
        technical_contact: site.technical_contact,
        project_id: site.project.map(|id| id.0),
        created_at: site.created_at,
        updated_at: site.updated_at,
        archived_at: site.archived_at,
    }
}

fn shape(mut site: domain::Worksite) -> Worksite {
    // The text was stored as JSON by this service.
    let boundary = site.boundary.take().and_then(|kept| serde_json::from_str(&kept.text).ok());
    Worksite { summary: summary(site), boundary }
}

//! /api/v1/entities: people and machines in one list, with how they stand and what they were part of.

mod get;
mod list;

use app::Error;
use domain::insights::IncursionFilter;
use domain::{Activity, EntityType, Period, PeriodBound, ProjectId, Review, Timestamp, WorksiteId};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, FromParams, Query, enum_schemas};

use crate::references::NamedReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_entities))
        .routes(routes!(get::get_person_entity))
        .routes(routes!(get::get_machine_entity))
}

/// Which incursions are counted; for OpenAPI.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct EntityFacts {
    /// Count incursions that began then or later: a time (RFC 3339), or a bare date, which cuts where that day begins on each
    /// site's own clock. Left out: thirty days before `to`. At most five years before `to`.
    #[param(example = "2026-02-01")]
    from: Option<String>,
    /// Count incursions that began before; a time or a bare date, as `from`. Left out: up to now.
    #[param(example = "2026-03-01T00:00:00Z")]
    to: Option<String>,
    /// Count incursions of these projects, up to 100.
    project_id: Option<Vec<i64>>,
    /// Count incursions at these worksites, up to 100.
    worksite_id: Option<Vec<i64>>,
}

fn read_fact_filter(query: &mut Query) -> Result<IncursionFilter, Error> {
    let period =
        Period { from: query.one("from", PeriodBound::parse)?, to: query.one("to", PeriodBound::parse)? };
    Ok(IncursionFilter {
        period: Some(period),
        projects: query.ids("project_id", ProjectId)?,
        worksites: query.ids("worksite_id", WorksiteId)?,
        reviews: Review::COUNTED.to_vec(),
        ..IncursionFilter::default()
    })
}

/// Which incursions are counted.
pub struct FactParams(Box<IncursionFilter>);

impl FromParams for FactParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(Box::new(read_fact_filter(query)?)))
    }
}

/// A tag that is worn or a base station that is installed now.
#[derive(Serialize, ToSchema)]
pub struct EntityDevice {
    /// Its id.
    #[schema(example = 12)]
    id: i64,
    /// What stands on it.
    #[schema(example = "T-0012")]
    serial: String,
    /// When it was last heard of.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
}

/// Who it is and how they stand.
#[derive(Serialize, ToSchema)]
pub struct EntityHead {
    /// Whether it is a person or a machine.
    #[serde(rename = "type")]
    #[schema(value_type = enum_schemas::EntityType, example = "machine")]
    entity_type: &'static str,
    /// Its id among people or machines.
    #[schema(example = 3)]
    id: i64,
    /// What it is called; `Person 7` for those who do not see names.
    #[schema(example = "Loader 3")]
    name: String,
    /// What sort of person or machine it is.
    #[schema(example = "loader")]
    kind: String,
    /// How it stands: `archived`; `silent`, if its device is; `active`, if it was seen within 24 hours; else `idle`. The first
    /// that holds.
    #[schema(value_type = enum_schemas::Activity, example = "active")]
    activity: &'static str,
    /// When it was last seen: when its device was heard of while it carried it.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// The tags a person wears now.
    tags: Vec<EntityDevice>,
    /// The base station on a machine now.
    base_station: Option<EntityDevice>,
    /// The site a machine is at now.
    worksite: Option<NamedReference>,
    /// When it was archived.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
}

fn shape_head(entity: store::Entity, activity: Activity) -> EntityHead {
    let device = |device: store::EntityDevice| EntityDevice {
        id: device.id,
        serial: device.serial,
        last_seen_at: device.last_seen_at,
    };
    let mut devices: Vec<EntityDevice> = entity.devices.into_iter().map(device).collect();
    let base_station = match entity.entity_type {
        EntityType::Machine => devices.pop(),
        EntityType::Person => None,
    };
    EntityHead {
        entity_type: entity.entity_type.as_str(),
        id: entity.id,
        name: entity.name,
        kind: entity.kind,
        activity: activity.as_str(),
        last_seen_at: entity.last_seen_at,
        tags: devices,
        base_station,
        worksite: entity.worksite.map(|(id, name, _)| NamedReference { id: id.0, name }),
        archived_at: entity.archived_at,
    }
}

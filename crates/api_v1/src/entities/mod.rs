//! /api/v1/entities: people and machines in one list, with their activity and metrics.

mod get;
mod list;

use app::Error;
use domain::insights::IncursionFilter;
use domain::{
    Activity, EntityType, OpenAlert, Period, PeriodBound, ProjectId, Review, Timestamp, WorksiteId,
};
use web::{FromParams, IntoParams, OpenAlertRecord, OperationRouter, Query, enum_schemas, routes};

use crate::references::NamedReference;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_entities))
        .routes(routes!(get::get_person_entity))
        .routes(routes!(get::get_machine_entity))
}

/// The query parameters that choose the incursions to count.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters for OpenAPI")]
pub struct EntityFacts {
    /// Start of the period: only incursions that started at this time or later are counted. Either a time (RFC 3339) or a date, which
    /// means the beginning of that day in the time zone of each worksite. The default is 28 local days, the day of `to` being the last of
    /// them; at most five years before `to`.
    #[param(example = "2026-02-01")]
    from: Option<String>,
    /// End of the period, exclusive: a time or a date, as in `from`. The default is now.
    #[param(example = "2026-03-01T00:00:00Z")]
    to: Option<String>,
    /// Only incursions of these projects are counted; at most 100.
    project_id: Option<Vec<i64>>,
    /// Only incursions at these worksites are counted; at most 100.
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

/// The incursions to count.
pub struct FactParams(Box<IncursionFilter>);

impl FromParams for FactParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self(Box::new(read_fact_filter(query)?)))
    }
}

/// A tag that is assigned, or a base station that is installed, now.
#[web::answer]
pub struct EntityDevice {
    /// Identifier of the device.
    #[schema(example = 12)]
    id: i64,
    /// Serial number printed on the device.
    #[schema(example = "T-0012")]
    serial: String,
    /// Time of the last contact with the device, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
}

/// The identity and the activity of a person or machine.
#[web::answer]
pub struct EntityHead {
    /// Whether the entity is a person or a machine.
    #[serde(rename = "type")]
    #[schema(value_type = enum_schemas::EntityType, example = "machine")]
    entity_type: &'static str,
    /// Identifier of the person or machine. People and machines are numbered separately.
    #[schema(example = 3)]
    id: i64,
    /// Name of the person or machine; callers who may not see names get `Person 7` instead.
    #[schema(example = "Loader 3")]
    name: String,
    /// Kind of person or machine, such as `staff` or `loader`.
    #[schema(value_type = enum_schemas::EntityKind, example = "loader")]
    kind: String,
    /// Activity, the first of these that applies: `archived`, `silent` (its device is silent), `active` (it was seen within 24 hours),
    /// `idle`.
    #[schema(value_type = enum_schemas::Activity, example = "active")]
    activity: &'static str,
    /// Time at which the person or machine was last seen, RFC 3339 in UTC: the last contact with its device while the device was assigned
    /// to it.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Tags that the person wears now; empty for a machine.
    tags: Vec<EntityDevice>,
    /// Base station that is installed on the machine now; null for a person.
    base_station: Option<EntityDevice>,
    /// Worksite that the machine is assigned to now; null for a person.
    worksite: Option<NamedReference>,
    /// Alarms about the person or machine that have not cleared, the newest first; as far as you see them.
    open_alerts: Vec<OpenAlertRecord>,
    /// Number of alarms about that worksite that have not cleared, as far as you see them; null without a worksite.
    #[schema(example = 0)]
    worksite_open_alerts: Option<usize>,
    /// Time at which the person or machine was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the person or machine was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change of the person or machine, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape_head(
    entity: domain::Entity,
    activity: Activity,
    (open_alerts, worksite_open_alerts): (Vec<OpenAlert>, Option<usize>),
) -> EntityHead {
    let device = |device: domain::EntityDevice| EntityDevice {
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
        open_alerts: open_alerts.into_iter().map(web::shape_open_alert).collect(),
        worksite_open_alerts,
        archived_at: entity.archived_at,
        created_at: entity.created_at,
        updated_at: entity.updated_at,
    }
}

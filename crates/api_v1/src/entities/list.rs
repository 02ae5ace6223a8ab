//! GET /api/v1/entities

use std::sync::Arc;

use app::{App, EntityEntry, EntityFilter, EntityOrder, EntitySort, Error};
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{Activity, EntityType};
use web::{Caller, FromParams, List, ListParams, NamedMetrics, Params, Query, Result, enum_schemas, problem};

use super::{EntityFacts, EntityHead, read_fact_filter, shape_head};

pub struct EntityParams {
    filter: Box<EntityFilter>,
    list: ListParams,
}

const DEFAULT_ORDER: EntityOrder = EntityOrder { by: EntitySort::Name, is_descending: false };

impl FromParams for EntityParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        let filter = EntityFilter {
            types: query.many("type", EntityType::ALL.len(), EntityType::parse)?,
            q: query.search("q")?,
            activities: query.many("activity", Activity::ALL.len(), Activity::parse)?,
            order: query.one("sort", EntityOrder::parse)?.unwrap_or(DEFAULT_ORDER),
            facts: read_fact_filter(query)?,
        };
        Ok(Self { filter: Box::new(filter), list: ListParams::read(query)? })
    }
}

/// An entry in the list of people and machines.
#[web::answer]
pub struct EntityListItem {
    #[serde(flatten)]
    head: EntityHead,
    /// Metrics of the period: `incursions`, `acknowledged`, `acknowledgement_rate`, `average_duration` and `exposure`. For a person they
    /// cover the roles of pedestrian and operator together.
    summary: NamedMetrics,
}

pub type EntityList = List<EntityListItem>;

fn shape(entry: EntityEntry) -> EntityListItem {
    let alerts = (entry.alerts.own, entry.alerts.of_worksite);
    EntityListItem {
        summary: NamedMetrics::new(&EntityEntry::MEASURES, &entry.figures),
        head: shape_head(entry.entity, entry.activity, alerts),
    }
}

/// List entities
///
/// Lists people and machines together, each with its activity and its metrics of the period.
///
/// With `project_id` or `worksite_id`, the list contains the machines that are there now and everyone who was part of an incursion there
/// in the period, and only those incursions are counted. `incursions` and `last_seen` change over time, so paging through a list that is
/// sorted by them may skip or repeat entries.
#[web::operation(
    get, path = "/api/v1/entities", tag = "entities", operation_id = "list_entities",
    params(
        ("type" = Option<Vec<enum_schemas::EntityType>>, Query, description = "Only people or only machines"),
        ("q" = Option<String>, Query, description = "Part of the name as you see it; case and accents are ignored"),
        ("activity" = Option<Vec<enum_schemas::Activity>>, Query,
            description = "Only entries with one of these activities; the default is all but `archived`"),
        ("sort" = Option<enum_schemas::EntitySort>, Query, example = "-incursions",
            description = "Sort key. A leading `-` sorts in descending order. The default is `name`"),
        EntityFacts,
        ListParams,
    ),
    responses(
        (status = 200, description = "A page of people and machines", body = EntityList),
        problem::BadParams, problem::ResultTooLarge, problem::Unavailable,
    ),
)]
pub async fn list_entities(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(params): Params<EntityParams>,
) -> Result {
    let list = &params.list;
    let found = app.list_entities(&caller, &params.filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(list, found, shape))
}

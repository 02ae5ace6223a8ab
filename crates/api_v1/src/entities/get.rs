//! GET /api/v1/entities/people/{id} and /api/v1/entities/machines/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{MachineId, PersonId, Timestamp};
use web::{AnswerScope, Caller, NamedMetrics, Params, PathId, Result, enum_schemas, problem};

use super::{EntityFacts, EntityHead, FactParams, shape_head};

/// A tag, base station or worksite that a person or machine is or was linked to.
#[web::answer]
pub struct EntityLink {
    /// Kind of the linked item.
    #[schema(value_type = enum_schemas::EntityLinkKind, example = "base_station")]
    kind: &'static str,
    /// Identifier of the linked tag, base station or worksite.
    #[schema(example = 12)]
    id: i64,
    /// Serial number of the tag or base station, or name of the worksite.
    #[schema(example = "B-0012")]
    label: String,
    /// Time at which the link began, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    from: Timestamp,
    /// Time at which the link ended, RFC 3339 in UTC, exclusive; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

/// The incursions of a person or machine in one role.
#[web::answer]
pub struct EntitySummary {
    /// Role in the incursions.
    #[schema(value_type = enum_schemas::EntityRole, example = "machine")]
    role: &'static str,
    /// Metrics of these incursions.
    metrics: NamedMetrics,
}

/// A person or a machine with details.
#[web::answer]
pub struct EntityDetails {
    #[serde(flatten)]
    head: EntityHead,
    /// Metrics of the period, by role. A person has one entry as a pedestrian and one as an operator.
    summaries: Vec<EntitySummary>,
    /// Open links.
    current_links: Vec<EntityLink>,
    /// Open and ended links, the latest first.
    link_history: Vec<EntityLink>,
    /// Whether there are more links than the 200 that are listed.
    #[schema(example = false)]
    more_links: bool,
    #[serde(flatten)]
    of: AnswerScope,
}

fn shape(page: app::EntityDetails) -> EntityDetails {
    let link = |link: &domain::EntityLink| EntityLink {
        kind: link.kind.as_str(),
        id: link.id,
        label: link.label.clone(),
        from: link.from,
        to: link.to,
    };
    let summaries = page.summaries.iter().map(|(role, figures)| EntitySummary {
        role: role.as_str(),
        metrics: NamedMetrics::new(role.measures(), figures),
    });
    let alerts = (page.alerts.own, page.alerts.of_worksite);
    EntityDetails {
        summaries: summaries.collect(),
        current_links: page.links.iter().filter(|link| link.to.is_none()).map(link).collect(),
        link_history: page.links.iter().map(link).collect(),
        more_links: page.more_links,
        of: AnswerScope::from(&page.query_result),
        head: shape_head(page.entity, page.activity, alerts),
    }
}

/// Get a person's entity details
///
/// Returns the person with the metrics of the period and the tags that the person wore.
#[web::operation(
    get, path = "/api/v1/entities/people/{id}", tag = "entities", operation_id = "get_person_entity",
    params(("id" = i64, Path, description = "Identifier of the person"), EntityFacts),
    responses(
        (status = 200, description = "The person with details", body = EntityDetails),
        problem::BadParams, problem::NotFound, problem::Unavailable,
    ),
)]
pub async fn get_person_entity(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(FactParams(facts)): Params<FactParams>,
) -> Result {
    Ok(web::json_response(&shape(app.find_person_entity(&caller, PersonId(id), &facts).await?)))
}

/// Get a machine's entity details
///
/// Returns the machine with the metrics of the period, its base stations and the worksites it was assigned to.
#[web::operation(
    get, path = "/api/v1/entities/machines/{id}", tag = "entities", operation_id = "get_machine_entity",
    params(("id" = i64, Path, description = "Identifier of the machine"), EntityFacts),
    responses(
        (status = 200, description = "The machine with details", body = EntityDetails),
        problem::BadParams, problem::NotFound, problem::Unavailable,
    ),
)]
pub async fn get_machine_entity(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(FactParams(facts)): Params<FactParams>,
) -> Result {
    Ok(web::json_response(&shape(app.find_machine_entity(&caller, MachineId(id), &facts).await?)))
}

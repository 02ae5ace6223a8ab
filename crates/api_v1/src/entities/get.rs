//! GET /api/v1/entities/people/{id} and /api/v1/entities/machines/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{MachineId, PersonId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{AnswerScope, Caller, NamedMetrics, Params, PathId, Result, problem};

use super::{EntityFacts, EntityHead, FactParams, shape_head};

/// What a person or machine is or was linked to.
#[derive(Serialize, ToSchema)]
pub struct EntityLink {
    /// `tag`, `base_station` or `worksite`.
    #[schema(example = "base_station")]
    kind: &'static str,
    /// Its id.
    #[schema(example = 12)]
    id: i64,
    /// What stands on it, or what it is called.
    #[schema(example = "B-0012")]
    label: String,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-02-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

/// What someone was part of in one role.
#[derive(Serialize, ToSchema)]
pub struct EntitySummary {
    /// `machine`, `pedestrian` or `operator`.
    #[schema(example = "machine")]
    role: &'static str,
    /// What it comes to.
    metrics: NamedMetrics,
}

/// A person or a machine in full.
#[derive(Serialize, ToSchema)]
pub struct EntityDetails {
    #[serde(flatten)]
    head: EntityHead,
    /// What it was part of in the period; a person on foot and driving, each by itself.
    summaries: Vec<EntitySummary>,
    /// What it is linked to now.
    current_links: Vec<EntityLink>,
    /// What it is and was linked to, the latest first.
    link_history: Vec<EntityLink>,
    /// Whether there are older links than the 200 that are told.
    #[schema(example = false)]
    more_links: bool,
    #[serde(flatten)]
    of: AnswerScope,
}

fn shape(page: app::EntityDetails) -> EntityDetails {
    let link = |link: &store::EntityLink| EntityLink {
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
    EntityDetails {
        summaries: summaries.collect(),
        current_links: page.links.iter().filter(|link| link.to.is_none()).map(link).collect(),
        link_history: page.links.iter().map(link).collect(),
        more_links: page.more_links,
        of: AnswerScope::from(&page.query_result),
        head: shape_head(page.entity, page.activity),
    }
}

/// A person, with what they were part of and the tags they wore.
#[utoipa::path(
    get, path = "/api/v1/entities/people/{id}", tag = "entities", operation_id = "get_person_entity",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The person's id"), EntityFacts),
    responses(
        (status = 200, description = "The person in full", body = EntityDetails),
        problem::BadParams, problem::Unauthenticated, problem::NotFound, problem::Unavailable,
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

/// A machine, with what it was part of, the base stations it had and the sites it was at.
#[utoipa::path(
    get, path = "/api/v1/entities/machines/{id}", tag = "entities", operation_id = "get_machine_entity",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The machine's id"), EntityFacts),
    responses(
        (status = 200, description = "The machine in full", body = EntityDetails),
        problem::BadParams, problem::Unauthenticated, problem::NotFound, problem::Unavailable,
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

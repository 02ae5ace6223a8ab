//! /api/v1/projects: projects, which group worksites.

mod change;
mod create;
mod get;
mod list;

use domain::Timestamp;
use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_projects, create::create_project))
        .routes(routes!(get::get_project, change::change_project))
}

/// A project, which groups worksites.
#[web::answer(record)]
pub struct Project {
    /// Identifier of the project.
    #[schema(example = 3)]
    id: i64,
    /// Name of the project.
    #[schema(example = "North bridge")]
    name: String,
    /// Code of the project in the brand's own systems.
    #[schema(example = "NB-2026")]
    code: Option<String>,
    /// Time at which the project was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the project was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
    /// Time at which the project was archived, RFC 3339 in UTC; null while it is active.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
}

fn shape(project: domain::Project) -> Project {
    Project {
        id: project.id.0,
        name: project.name,
        code: project.code,
        created_at: project.created_at,
        updated_at: project.updated_at,
        archived_at: project.archived_at,
    }
}

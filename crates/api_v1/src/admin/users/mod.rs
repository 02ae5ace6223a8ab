//! /api/v1/admin/users: people who sign in.

mod change;
mod get;
mod invite;
mod list;
mod sign_in;
mod state;

use domain::{Invalid, ProjectId, Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_users, invite::invite_user))
        .routes(routes!(get::get_user, change::change_user))
        .routes(routes!(invite::resend_invitation))
        .routes(routes!(state::deactivate_user))
        .routes(routes!(state::reactivate_user))
        .routes(routes!(sign_in::reset_second_factor))
        .routes(routes!(sign_in::end_user_sessions))
}

/// A user as admins see them.
#[derive(Serialize, ToSchema)]
pub struct User {
    /// Its id.
    #[schema(example = 1)]
    id: i64,
    /// Unique in the installation.
    #[schema(example = "admin@keepclear.local")]
    email: String,
    /// What they are called.
    #[schema(example = "Administrator")]
    name: String,
    /// What they may do.
    #[schema(value_type = enum_schemas::Role, example = "admin")]
    role: &'static str,
    /// Whether they may sign in.
    #[schema(value_type = enum_schemas::UserState, example = "active")]
    state: &'static str,
    /// The projects they are restricted to; null if they see all.
    project_ids: Option<Vec<i64>>,
    /// Whether their logins ask for a code beside the password.
    #[schema(example = false)]
    second_factor: bool,
    /// When they last signed in.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_login_at: Option<Timestamp>,
    /// When they were added.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// When they were last changed.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape((user, project_ids): app::UserWithProjects) -> User {
    User {
        id: user.id.0,
        email: user.email,
        name: user.name,
        role: user.role.as_str(),
        state: user.state.as_str(),
        project_ids: project_ids.map(|ids| ids.into_iter().map(|id| id.0).collect()),
        second_factor: user.has_second_factor,
        last_login_at: user.last_login_at,
        created_at: user.created_at,
        updated_at: user.updated_at,
    }
}

/// Reads the projects that a user is to be restricted to, each once and in order.
fn projects(value: &Value) -> Result<Vec<ProjectId>, Invalid> {
    let ids = value.as_array().ok_or_else(|| Invalid::new("wrong_type", "must be a list of ids"))?;
    if ids.len() > MAX_PROJECTS {
        return Err(Invalid::new("out_of_range", format!("must have at most {MAX_PROJECTS} ids")));
    }
    let mut ids: Vec<ProjectId> =
        ids.iter().map(|id| web::id(id).map(ProjectId)).collect::<Result<_, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// More would make every statement of such a user long; who needs more, sees all.
const MAX_PROJECTS: usize = 100;

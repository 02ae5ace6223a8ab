//! /api/v1/admin/users: the people who sign in.

mod change;
mod get;
mod invite;
mod list;
mod sign_in;
mod state;

use domain::{Invalid, ProjectId, Timestamp};
use serde_json::Value;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_users, invite::invite_user))
        .routes(routes!(get::get_user, change::change_user))
        .routes(routes!(invite::resend_invitation))
        .routes(routes!(state::deactivate_user))
        .routes(routes!(state::reactivate_user))
        .routes(routes!(sign_in::reset_second_factor))
        .routes(routes!(sign_in::end_user_sessions))
}

/// A user as administrators see them.
#[web::answer(record)]
pub struct User {
    /// Identifier of the user.
    #[schema(example = 1)]
    id: i64,
    /// Email address to sign in with. It is unique in the installation.
    #[schema(example = "admin@keepclear.local")]
    email: String,
    /// Name of the user.
    #[schema(example = "Administrator")]
    name: String,
    /// Role of the user in the brand.
    #[schema(value_type = enum_schemas::Role, example = "admin")]
    role: &'static str,
    /// Whether the user is invited, active or deactivated. Only active users can sign in.
    #[schema(value_type = enum_schemas::UserState, example = "active")]
    state: &'static str,
    /// Identifiers of the projects that the user is restricted to; null if the user sees all projects.
    project_ids: Option<Vec<i64>>,
    /// Whether the user's logins require a second factor.
    #[schema(example = false)]
    second_factor: bool,
    /// Time of the user's last login, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_login_at: Option<Timestamp>,
    /// Time at which the user was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the user was last changed, RFC 3339 in UTC.
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

/// Reads the projects that a user or service account is restricted to, sorted and without duplicates.
pub(super) fn projects(value: &Value) -> Result<Vec<ProjectId>, Invalid> {
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

/// A longer list would make every SQL statement for such a user long. A user who needs more projects should not be restricted.
const MAX_PROJECTS: usize = 100;

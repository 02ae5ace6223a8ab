//! GET /api/v1/admin/users

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::Timestamp;
use domain::access::ManageUsers;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Caller, ListParams, PageInfo, Params, Result, problem, words};

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
    #[schema(value_type = words::Role, example = "admin")]
    role: &'static str,
    /// Whether they may sign in.
    #[schema(value_type = words::UserState, example = "active")]
    state: &'static str,
    /// The projects they are restricted to; null if they see all.
    project_ids: Option<Vec<i64>>,
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

/// A page of users.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the answer for OpenAPI")]
pub struct UserList {
    data: Vec<User>,
    page: PageInfo,
}

/// Lists the users of the brand, by name.
#[utoipa::path(
    get, path = "/api/v1/admin/users", tag = "admin", operation_id = "list_users", security(("session" = [])),
    params(ListParams),
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "A page of users", body = UserList),
        problem::BadParams, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn list_users(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageUsers>,
    Params(params): Params<ListParams>,
) -> Result {
    let (page, total) = app.list_users(&caller, &params.page(), params.include_total).await?;
    Ok(web::list_answer(&params, (page, total), |(user, project_ids)| shape(user, project_ids)))
}

fn shape(user: store::User, project_ids: Option<Vec<domain::ProjectId>>) -> User {
    User {
        id: user.id.0,
        email: user.email,
        name: user.name,
        role: user.role.as_str(),
        state: user.state.as_str(),
        project_ids: project_ids.map(|ids| ids.into_iter().map(|id| id.0).collect()),
        last_login_at: user.last_login_at,
        created_at: user.created_at,
        updated_at: user.updated_at,
    }
}

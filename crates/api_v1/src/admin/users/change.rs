//! PATCH /api/v1/admin/users/{id}

use std::sync::Arc;

use app::{App, UserChange};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Name, Role, UserId};
use utoipa::ToSchema;
use web::{
    DeferredBody, Fields, FreshCaller, FromFields, IfMatchHeader, NoParams, PathId, Result, enum_schemas,
    problem, text,
};

use super::{User, projects, shape};

/// What to change; what is left out stays.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedUser {
    /// What they are called.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// What they may do.
    #[schema(value_type = Option<enum_schemas::Role>, example = "member", nullable = false)]
    role: Option<String>,
    /// The only projects they see, at most 100; null for all.
    #[schema(example = json!([]), max_items = 100)]
    project_ids: Option<Vec<i64>>,
}

/// A change that was read.
pub struct ChangeFields(UserChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let role = fields.change("role", text(Role::parse));
        let projects = fields.change_optional("project_ids", projects);
        Some(Self(UserChange { name: name?, role: role?, projects: projects? }))
    }
}

/// Changes what a user is called, may do and sees. It holds at once, also for sessions they have.
///
/// If you are restricted to projects, a user who sees more than you is not found, and the answer is 403 `restricted` if the user would
/// see more than you after the change.
#[utoipa::path(
    patch, path = "/api/v1/admin/users/{id}", tag = "admin", operation_id = "change_user", security(("session" = ["fresh_proof"])),
    params(
        ("id" = i64, Path, description = "The user's id"),
        ("If-Match" = Option<String>, Header, description = "The ETag you read; 412 if it was changed since"),
    ),
    request_body = ChangedUser,
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "Changed", body = User, headers(("ETag" = String, description = "Its version"))),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::PreconditionFailed,
        problem::Conflict,
    ),
)]
pub async fn change_user(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.find_user_of_brand(&caller, UserId(id)).await?;
    let ChangeFields(change) = body.read().await?;
    let changed = app.change_user(&caller, UserId(id), &if_match, change).await?;
    let version = changed.0.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

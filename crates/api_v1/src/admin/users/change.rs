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

/// Changes to an user. Fields that are left out keep their values.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ChangedUser {
    /// Name of the user.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100, nullable = false)]
    name: Option<String>,
    /// Role of the user in the brand.
    #[schema(value_type = Option<enum_schemas::Role>, example = "member", nullable = false)]
    role: Option<String>,
    /// Identifiers of the only projects that the user may see, at most 100; null for all projects.
    #[schema(example = json!([]), max_items = 100)]
    project_ids: Option<Vec<i64>>,
}

pub struct ChangeFields(UserChange);

impl FromFields for ChangeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let name = fields.change("name", text(Name::parse));
        let role = fields.change("role", text(Role::parse));
        let projects = fields.change_optional("project_ids", projects);
        Some(Self(UserChange { name: name?, role: role?, projects: projects? }))
    }
}

/// Change a user
///
/// Changes the name, the role or the visible projects. The change takes effect immediately, also in the user's open sessions.
///
/// If your access is restricted to projects, a user with wider access than yours is not found, and a change that would give the user
/// wider access than yours fails with 403 `restricted`.
#[utoipa::path(
    patch, path = "/api/v1/admin/users/{id}", tag = "admin", operation_id = "change_user", security(("session" = ["fresh_proof"])),
    params(
        ("id" = i64, Path, description = "Identifier of the user"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedUser,
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "The changed user", body = User, headers(("ETag" = String, description = "Version of the resource"))),
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

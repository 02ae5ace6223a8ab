//! POST /api/v1/admin/users and POST /api/v1/admin/users/{id}/resend_invitation

use std::sync::Arc;

use app::{App, Idempotent, NewInvitation, UserWithProjects};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{EmailAddress, Name, Role, UserId};
use utoipa::ToSchema;
use web::{
    Fields, FreshCaller, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, PathId, Result,
    enum_schemas, problem, text,
};

use super::{User, projects, shape};

/// Fields for inviting a user.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewUser {
    /// Email address that the invitation is sent to; unique in the brand. If the address already has an account elsewhere in the
    /// installation, the mail says that it cannot have a second one.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: String,
    /// Name of the user.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: String,
    /// Role that the user will have in the brand.
    #[schema(value_type = enum_schemas::Role, example = "member")]
    role: String,
    /// Identifiers of the only projects that the user will see, at most 100; null or left out for all projects.
    #[schema(example = json!([]), max_items = 100)]
    project_ids: Option<Vec<i64>>,
}

pub struct InvitationFields(NewInvitation);

impl FromFields for InvitationFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let email = fields.required("email", text(EmailAddress::parse));
        let name = fields.required("name", text(Name::parse));
        let role = fields.required("role", text(Role::parse));
        let projects = fields.optional("project_ids", projects);
        Some(Self(NewInvitation { email: email?, name: name?, role: role?, projects: projects? }))
    }
}

/// Invite a user
///
/// The user gets a mail with a link to choose a password.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the user would have wider access than yours. Give
/// `project_ids` out of your own projects.
#[utoipa::path(
    post, path = "/api/v1/admin/users", tag = "admin", operation_id = "invite_user", security(("session" = ["fresh_proof"])),
    params(IdempotencyKeyHeader),
    request_body = NewUser,
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 201, description = "The invited user", body = User),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn invite_user(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    _: NoParams,
    IdempotentBody { value: InvitationFields(invitation), key }: IdempotentBody<InvitationFields>,
) -> Result {
    let once = Idempotent::new(key, |made: &UserWithProjects| {
        web::created_to_store(format!("/api/v1/admin/users/{}", made.0.id), &shape(made.clone()))
    });
    Ok(web::render_stored(app.invite_user(&caller, &invitation, once).await?))
}

/// Resend an invitation
///
/// Sends the invitation again with a new link. The old link stops working.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[utoipa::path(
    post, path = "/api/v1/admin/users/{id}/resend_invitation", tag = "admin", operation_id = "resend_invitation",
    security(("session" = ["fresh_proof"])),
    params(("id" = i64, Path, description = "Identifier of the user")),
    extensions(("x-permission" = json!("manage_users"))),
    responses(
        (status = 200, description = "The invited user; the mail will be sent shortly", body = User),
        problem::Unauthenticated, problem::Forbidden, problem::NotFound, problem::Conflict,
    ),
)]
pub async fn resend_invitation(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.resend_invitation(&caller, UserId(id)).await?)))
}

//! POST /api/v1/admin/users and POST /api/v1/admin/users/{id}/resend_invitation

use std::sync::Arc;

use app::{App, Idempotent, NewInvitation, UserWithProjects};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{EmailAddress, Name, ProjectId, Role, UserId};
use web::{FreshCaller, IdempotentBody, NoParams, PathId, Result, enum_schemas, problem};

use super::{User, projects, shape};

/// Fields for inviting a user.
#[web::body(into = NewInvitation)]
pub struct NewUser {
    /// Email address that the invitation is sent to; unique in the brand. If the address already has an account elsewhere in the
    /// installation, the mail says that it cannot have a second one.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: EmailAddress,
    /// Name of the user.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Name,
    /// Role that the user will have in the brand.
    #[schema(value_type = enum_schemas::Role, example = "member")]
    role: Role,
    /// Identifiers of the only projects that the user will see, at most 100; null or left out for all projects.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = projects, into = projects)]
    project_ids: Option<Vec<ProjectId>>,
}

/// Invite a user
///
/// The user gets a mail with a link to choose a password.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the user would have wider access than yours. Give
/// `project_ids` out of your own projects.
#[web::operation(
    post, path = "/api/v1/admin/users", tag = "admin", operation_id = "invite_user",
    request_body = NewUser,
    responses(
        (status = 201, description = "The invited user", body = User),
        problem::BadBody,
    ),
)]
pub async fn invite_user(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewUser>,
) -> Result {
    let once = Idempotent::new(key, |made: &UserWithProjects| {
        web::created_to_store(format!("/api/v1/admin/users/{}", made.0.id), &shape(made.clone()))
            .with_version(made.0.version)
    });
    let invitation = NewInvitation::from(new);
    Ok(web::render_stored(app.invite_user(&caller, &invitation, once).await?))
}

/// Resend an invitation
///
/// Sends the invitation again with a new link. The old link stops working.
///
/// If your access is restricted to projects, a user with wider access than yours is not found.
#[web::operation(
    post, path = "/api/v1/admin/users/{id}/resend_invitation", tag = "admin", operation_id = "resend_invitation",
    params(("id" = i64, Path, description = "Identifier of the user")),
    responses(
        (status = 200, description = "The invited user; the mail will be sent shortly", body = User),
        problem::NotFound, problem::Conflict,
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

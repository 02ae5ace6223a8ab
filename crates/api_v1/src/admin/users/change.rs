//! PATCH /api/v1/admin/users/{id}

use std::sync::Arc;

use app::{App, UserChange};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Change, Name, ProjectId, Role, UserId, UserState};
use web::{
    DeferredBody, FixedMembers, FreshCaller, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::{User, projects, shape};

/// Changes to an user. Fields that are left out keep their values.
#[web::body(into = UserChange, of = User)]
pub struct ChangedUser {
    /// Name of the user.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Role of the user in the brand.
    #[schema(value_type = Option<enum_schemas::Role>, example = "member")]
    role: Change<Role>,
    /// Identifiers of the only projects that the user may see, at most 100; null for all projects.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = projects, into = projects)]
    project_ids: Change<Option<Vec<ProjectId>>>,
}

/// States of users who are not deactivated. Which of the two it is depends on the user alone, so a body may contain either.
const NOT_DEACTIVATED: &[&str] = &[UserState::Invited.as_str(), UserState::Active.as_str()];
const DEACTIVATED: &[&str] = &[UserState::Deactivated.as_str()];

const STATE_REFUSAL: &str = "cannot be changed here; see POST /api/v1/admin/users/{id}/deactivate and \
    POST /api/v1/admin/users/{id}/reactivate";

/// Change a user
///
/// Changes the name, the role or the visible projects. The change takes effect immediately, also in the user's open sessions. The `state`
/// is changed by deactivating and reactivating the user: a body that asks for that fails with 422 `read_only`.
///
/// If your access is restricted to projects, a user with wider access than yours is not found, and a change that would give the user
/// wider access than yours fails with 403 `restricted`.
#[web::operation(
    patch, path = "/api/v1/admin/users/{id}", tag = "admin", operation_id = "change_user",
    params(
        ("id" = i64, Path, description = "Identifier of the user"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedUser,
    responses(
        (status = 200, description = "The changed user", body = User, headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
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
    let (user, _) = app.find_user_of_brand(&caller, UserId(id)).await?;
    // Other states are not ignored: nobody should believe that they have locked out a user who can still sign in.
    let states = if user.state == UserState::Deactivated { DEACTIVATED } else { NOT_DEACTIVATED };
    let fixed = FixedMembers::new(id, user.created_at).with_text("email", &user.email);
    let fixed = fixed.with_words("state", states, STATE_REFUSAL);
    let change = body.read_change::<ChangedUser>(&fixed).await?;
    let changed = app.change_user(&caller, UserId(id), &if_match, change.into()).await?;
    let version = changed.0.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

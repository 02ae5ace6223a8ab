//! POST /api/v1/admin/service_accounts

use std::sync::Arc;

use app::{App, Idempotent, ServiceAccountWithProjects};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Name, ProjectId, Role, Timestamp};
use web::{FreshCaller, IdempotentBody, NoParams, Result, enum_schemas, problem};

use super::{ServiceAccount, shape};
use crate::admin::users::projects;

/// Fields of a new service account.
#[web::body(into = domain::NewServiceAccount)]
pub struct NewServiceAccount {
    /// Name of the service account. It is unique among those of the brand that are not archived.
    #[schema(example = "Dashboard", min_length = 1, max_length = 100)]
    name: Name,
    /// Role of the service account in the brand.
    #[schema(value_type = enum_schemas::Role, example = "viewer")]
    role: Role,
    /// Identifiers of the only projects that the service account sees, at most 100; null or left out for all projects.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = projects, into = projects)]
    project_ids: Option<Vec<ProjectId>>,
    /// Time at which its tokens stop working, RFC 3339 in UTC, at most two years from now.
    #[schema(example = "2027-12-31T00:00:00Z")]
    expires_at: Timestamp,
}

/// Add a service account
///
/// A service account is a program that calls V2 as itself. It cannot do anything until it has a token. Whatever its role, it grants nobody
/// access, and operations that require fresh proof refuse it. A second factor is never required of it.
///
/// Fails with 403 `restricted` if your access is restricted to projects and the service account would have wider access than yours. Give
/// `project_ids` out of your own projects.
#[web::operation(
    post, path = "/api/v1/admin/service_accounts", tag = "admin", operation_id = "create_service_account",
    request_body = NewServiceAccount,
    responses(
        (status = 201, description = "The new service account", body = ServiceAccount),
        problem::BadBody,
    ),
)]
pub async fn create_service_account(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    _: NoParams,
    IdempotentBody { value: new, key }: IdempotentBody<NewServiceAccount>,
) -> Result {
    let once = Idempotent::new(key, |made: &ServiceAccountWithProjects| {
        web::created_to_store(format!("/api/v1/admin/service_accounts/{}", made.0.id), &shape(made.clone()))
            .with_version(made.0.version)
    });
    let new = domain::NewServiceAccount::from(new);
    Ok(web::render_stored(app.create_service_account(&caller, &new, once).await?))
}

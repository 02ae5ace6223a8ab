//! PATCH /api/v1/admin/service_accounts/{id}

use std::sync::Arc;

use app::{App, ServiceAccountChange};
use axum::extract::State;
use domain::access::ManageUsers;
use domain::{Change, Name, ProjectId, Role, Timestamp, UserId};
use web::{
    DeferredBody, FixedMembers, FreshCaller, IfMatchHeader, NoParams, PathId, Result, enum_schemas, problem,
};

use super::{ServiceAccount, shape};
use crate::admin::users::projects;

/// Changes to a service account. Fields that are left out keep their values.
#[web::body(into = ServiceAccountChange, of = ServiceAccount)]
pub struct ChangedServiceAccount {
    /// Name of the service account. It is unique among those of the brand that are not archived.
    #[schema(example = "Dashboard", min_length = 1, max_length = 100)]
    name: Change<Name>,
    /// Role of the service account in the brand.
    #[schema(value_type = Option<enum_schemas::Role>, example = "viewer")]
    role: Change<Role>,
    /// Identifiers of the only projects that the service account sees, at most 100; null for all projects.
    #[schema(value_type = Option<Vec<i64>>, example = json!([]), max_items = 100)]
    #[field(with = projects, into = projects)]
    project_ids: Change<Option<Vec<ProjectId>>>,
    /// Time at which its tokens stop working, RFC 3339 in UTC, at most two years from now. An earlier time also applies to tokens that have
    /// been issued, a later one only to new tokens.
    #[schema(example = "2027-12-31T00:00:00Z")]
    expires_at: Change<Timestamp>,
}

/// Change a service account
///
/// The change takes effect immediately, also for tokens that have been issued. A higher role or more projects end the tokens that others
/// have issued.
///
/// If your access is restricted to projects, a service account with wider access than yours is not found, and a change that would give it
/// wider access than yours fails with 403 `restricted`.
#[web::operation(
    patch, path = "/api/v1/admin/service_accounts/{id}", tag = "admin", operation_id = "change_service_account",
    params(
        ("id" = i64, Path, description = "Identifier of the service account"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedServiceAccount,
    responses(
        (status = 200, description = "The changed service account", body = ServiceAccount,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed,
        problem::Conflict,
    ),
)]
pub async fn change_service_account(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageUsers>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let (stored, _) = app.find_service_account(&caller, UserId(id)).await?;
    let fixed = FixedMembers::new(id, stored.created_at);
    let change = body.read_change::<ChangedServiceAccount>(&fixed).await?;
    let changed = app.change_service_account(&caller, UserId(id), &if_match, change.into()).await?;
    let version = changed.0.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

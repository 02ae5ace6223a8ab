//! /api/v1/admin/service_accounts: programs that call V2 as themselves, and their tokens.

mod archive;
mod change;
mod create;
mod get;
mod list;
mod token;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_service_accounts, create::create_service_account))
        .routes(routes!(
            get::get_service_account,
            change::change_service_account,
            archive::archive_service_account
        ))
        .routes(routes!(token::issue_service_token, token::revoke_service_tokens))
}

/// A program that calls V2 as itself.
#[web::answer(record)]
pub struct ServiceAccount {
    /// Identifier of the service account.
    #[schema(example = 12)]
    id: i64,
    /// Name of the service account. It is unique among those of the brand that are not archived.
    #[schema(example = "Dashboard")]
    name: String,
    /// Role of the service account in the brand.
    #[schema(value_type = enum_schemas::Role, example = "viewer")]
    role: &'static str,
    /// Identifiers of the projects that the service account is restricted to; null if it sees all projects.
    project_ids: Option<Vec<i64>>,
    /// Time at which its tokens stop working, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2027-12-31T00:00:00Z")]
    expires_at: Timestamp,
    /// Token that was issued last; null if there is none that works.
    token: Option<ServiceToken>,
    /// Token before it, while it still works; null otherwise.
    previous_token: Option<ServiceToken>,
    /// Time at which the service account was archived, RFC 3339 in UTC; null if it is not archived.
    #[schema(value_type = Option<String>, format = DateTime)]
    archived_at: Option<Timestamp>,
    /// Time at which the service account was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the service account was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A token of a service account, without the token itself.
#[web::answer]
pub struct ServiceToken {
    /// Identifier of the token, which is also its claim `sid`.
    #[schema(example = 3)]
    id: i64,
    /// Time at which the token was issued, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    issued_at: Timestamp,
    /// Time at which the token stops working, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2027-12-31T00:00:00Z")]
    expires_at: Timestamp,
    /// Time at which the token was last used, RFC 3339 in UTC, accurate to the minute; null if it has not been used.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
    /// Time at which the token was added, RFC 3339 in UTC; the same as `issued_at`.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the token was last used or replaced, RFC 3339 in UTC; that of the issue before that.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape((account, project_ids): app::ServiceAccountWithProjects) -> ServiceAccount {
    ServiceAccount {
        id: account.id.0,
        name: account.name,
        role: account.role.as_str(),
        project_ids: project_ids.map(|ids| ids.into_iter().map(|id| id.0).collect()),
        expires_at: account.expires_at,
        token: account.token.map(ServiceToken::from),
        previous_token: account.previous_token.map(ServiceToken::from),
        archived_at: account.archived_at,
        created_at: account.created_at,
        updated_at: account.updated_at,
    }
}

impl From<domain::ServiceToken> for ServiceToken {
    fn from(token: domain::ServiceToken) -> Self {
        Self {
            id: token.id.0,
            issued_at: token.issued_at,
            expires_at: token.expires_at,
            last_used_at: token.last_used_at,
            created_at: token.issued_at,
            updated_at: token.updated_at(),
        }
    }
}

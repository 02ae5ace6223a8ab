//! GET and POST /account/invitations/{token}

use std::sync::Arc;

use app::{App, Credentials, OpenInvitation, Origin};
use axum::Extension;
use axum::extract::State;
use domain::{Name, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use web::{DeferredBody, Fields, FromFields, NoParams, PathText, Result, enum_schemas, problem, text};

/// An invitation, as the one who got it sees it.
#[derive(Serialize, ToSchema)]
pub struct AccountInvitation {
    /// To sign in with.
    #[schema(example = "grace@example.com")]
    email: String,
    /// What they are called.
    #[schema(example = "Grace Hopper")]
    name: String,
    /// What they will be allowed to do.
    #[schema(value_type = enum_schemas::Role, example = "member")]
    role: &'static str,
    /// What the brand is called.
    #[schema(example = "Acme")]
    brand_name: String,
    /// From when on the link opens nothing.
    #[schema(value_type = String, format = DateTime, example = "2026-03-08T08:00:00Z")]
    expires_at: Timestamp,
}

/// What is needed to join.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct AcceptInvitationBody {
    /// At least 12 characters, and not easily guessed.
    #[schema(example = "plum wagon sixty tiles", format = Password, min_length = 12, max_length = 256)]
    password: String,
    /// What they are called, if they want to be called otherwise.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Option<String>,
}

/// What was read.
pub struct AcceptFields {
    password: String,
    name: Option<Name>,
}

impl FromFields for AcceptFields {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        let password = fields.required("password", text(Credentials::check_password));
        let name = fields.optional("name", text(Name::parse));
        Some(Self { password: password?, name: name? })
    }
}

/// Says who is invited, to what.
///
/// 409 `address_in_use` if the address got an account in this installation since the mail was sent.
#[utoipa::path(
    get, path = "/account/invitations/{token}", tag = "account", operation_id = "get_invitation", security(()),
    params(("token" = String, Path, description = "What stands at the end of the link")),
    responses(
        (status = 200, description = "The invitation", body = AccountInvitation),
        problem::NotFound, problem::Conflict, problem::RateLimited,
    ),
)]
pub async fn get_invitation(State(app): State<Arc<App>>, PathText(token): PathText, _: NoParams) -> Result {
    Ok(web::json_response(&shape(app.read_invitation(&token).await?)))
}

/// Joins: chooses a password. The link opens nothing afterwards.
///
/// 409 `address_in_use` if the address got an account in this installation since the mail was sent.
#[utoipa::path(
    post, path = "/account/invitations/{token}", tag = "account", operation_id = "accept_invitation", security(()),
    params(("token" = String, Path, description = "What stands at the end of the link")),
    request_body = AcceptInvitationBody,
    responses(
        (status = 200, description = "You can sign in now", body = AccountInvitation),
        problem::BadBody, problem::NotFound, problem::Conflict, problem::RateLimited,
    ),
)]
pub async fn accept_invitation(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    PathText(token): PathText,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.read_invitation(&token).await?;
    let AcceptFields { password, name } = body.read().await?;
    Ok(web::json_response(&shape(app.accept_invitation(&token, (&password, name.as_ref()), &origin).await?)))
}

fn shape(invitation: OpenInvitation) -> AccountInvitation {
    AccountInvitation {
        email: invitation.email,
        name: invitation.name,
        role: invitation.role.as_str(),
        brand_name: invitation.brand_name,
        expires_at: invitation.expires_at,
    }
}

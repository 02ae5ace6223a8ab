//! GET and POST /account/invitations/{token}

use std::sync::Arc;

use app::{App, Credentials, OpenInvitation, Origin};
use axum::Extension;
use axum::extract::State;
use domain::{Name, Timestamp};
use web::{DeferredBody, NoParams, PathText, Result, enum_schemas, problem};

/// An invitation, as its recipient sees it.
#[web::answer]
pub struct AccountInvitation {
    /// Email address to sign in with.
    #[schema(example = "grace@example.com")]
    email: String,
    /// Name of the invited user.
    #[schema(example = "Grace Hopper")]
    name: String,
    /// Role that the user will have in the brand.
    #[schema(value_type = enum_schemas::Role, example = "member")]
    role: &'static str,
    /// Name of the brand that sent the invitation.
    #[schema(example = "Acme")]
    brand_name: String,
    /// Time at which the invitation link expires, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-08T08:00:00Z")]
    expires_at: Timestamp,
}

/// Fields for accepting an invitation.
#[web::body(max_bytes = 64 * 1024)]
pub struct AcceptInvitationBody {
    /// Password to sign in with: at least 12 characters, and not easy to guess.
    #[schema(example = "plum wagon sixty tiles", format = Password, min_length = 12, max_length = 256)]
    #[field(parse = Credentials::check_password)]
    password: String,
    /// Name of the user, if it should differ from the one in the invitation.
    #[schema(example = "Grace Hopper", min_length = 1, max_length = 100)]
    name: Option<Name>,
}

/// Get an invitation
///
/// Returns who is invited, to which brand and with which role.
///
/// Fails with 409 `address_in_use` if the address got an account in this installation after the mail was sent.
#[web::operation(
    get, path = "/account/invitations/{token}", tag = "account", operation_id = "get_invitation", security(),
    params(("token" = String, Path, description = "Token at the end of the invitation link")),
    responses(
        (status = 200, description = "The invitation", body = AccountInvitation),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn get_invitation(State(app): State<Arc<App>>, PathText(token): PathText, _: NoParams) -> Result {
    Ok(web::json_response(&shape(app.read_invitation(&token).await?)))
}

/// Accept an invitation
///
/// Sets the password of the new account. The link stops working afterwards.
///
/// Fails with 409 `address_in_use` if the address got an account in this installation after the mail was sent.
#[web::operation(
    post, path = "/account/invitations/{token}", tag = "account", operation_id = "accept_invitation", security(),
    params(("token" = String, Path, description = "Token at the end of the invitation link")),
    request_body = AcceptInvitationBody,
    responses(
        (status = 200, description = "The accepted invitation; the user can sign in now", body = AccountInvitation),
        problem::BadBody, problem::NotFound, problem::Conflict,
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
    let AcceptInvitationBody { password, name } = body.read().await?;
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

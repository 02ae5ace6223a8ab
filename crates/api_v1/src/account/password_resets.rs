//! POST /account/password_resets and POST /account/password_resets/{token}

use std::sync::Arc;

use app::{App, Credentials, Origin};
use axum::Extension;
use axum::extract::State;
use domain::EmailAddress;
use web::{Body, DeferredBody, NoParams, PathText, Result, problem};

/// A request to reset a forgotten password.
#[web::body(max_bytes = 64 * 1024)]
pub struct PasswordResetRequest {
    /// Email address of the account.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: EmailAddress,
}

/// A new password that replaces a forgotten one.
#[web::body(max_bytes = 64 * 1024)]
pub struct NewPasswordBody {
    /// Password to sign in with: at least 12 characters, and not easy to guess.
    #[schema(example = "olive anchor ninety drums", format = Password, min_length = 12, max_length = 256)]
    #[field(parse = Credentials::check_password)]
    password: String,
}

/// The result of a step of a password reset.
#[web::answer]
pub struct PasswordResetAccepted {
    /// A sentence that says what happens next.
    #[schema(example = "If an account with this address exists, a mail will be sent to it.")]
    detail: &'static str,
}

/// Request a password reset
///
/// Sends a mail with a link to choose a new password. The answer is the same whether or not an account exists.
#[web::operation(
    post, path = "/account/password_resets", tag = "account", operation_id = "request_password_reset", security(),
    request_body = PasswordResetRequest,
    responses(
        (status = 200, description = "The request was accepted", body = PasswordResetAccepted),
        problem::BadBody,
    ),
)]
pub async fn request_password_reset(
    State(app): State<Arc<App>>,
    _: NoParams,
    Body(PasswordResetRequest { email }): Body<PasswordResetRequest>,
) -> Result {
    app.request_password_reset(email)?;
    Ok(web::json_response(&PasswordResetAccepted {
        detail: "If an account with this address exists, a mail will be sent to it.",
    }))
}

/// Reset a password
///
/// Sets a new password. All sessions of the account end, and the link stops working.
#[web::operation(
    post, path = "/account/password_resets/{token}", tag = "account", operation_id = "reset_password", security(),
    params(("token" = String, Path, description = "Token at the end of the reset link")),
    request_body = NewPasswordBody,
    responses(
        (status = 200, description = "The password was changed", body = PasswordResetAccepted),
        problem::BadBody, problem::NotFound,
    ),
)]
pub async fn reset_password(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    PathText(token): PathText,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    app.check_password_reset(&token).await?;
    let NewPasswordBody { password } = body.read().await?;
    app.reset_password(&token, &password, &origin).await?;
    Ok(web::json_response(&PasswordResetAccepted {
        detail: "The password was changed. You can sign in with it.",
    }))
}

//! POST /account/password_resets and POST /account/password_resets/{token}

use std::sync::Arc;

use app::{App, Credentials, Origin};
use axum::Extension;
use axum::extract::State;
use domain::EmailAddress;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Body, DeferredBody, Fields, FromFields, NoParams, PathText, Result, problem, text};

/// Whose password is forgotten.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct PasswordResetRequest {
    /// The account's email.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: String,
}

/// A request that was read.
pub struct RequestFields(EmailAddress);

impl FromFields for RequestFields {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("email", text(EmailAddress::parse)).map(Self)
    }
}

/// The new password.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewPasswordBody {
    /// At least 12 characters, and not easily guessed.
    #[schema(example = "olive anchor ninety drums", format = Password, min_length = 12, max_length = 256)]
    password: String,
}

/// A new password that was read.
pub struct PasswordFields(String);

impl FromFields for PasswordFields {
    const MAX_BYTES: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("password", text(Credentials::check_password)).map(Self)
    }
}

/// What happens next, in a sentence.
#[derive(Serialize, ToSchema)]
pub struct PasswordResetAccepted {
    /// The sentence.
    #[schema(example = "If there is such an account, a mail is on its way to it.")]
    detail: &'static str,
}

/// Asks for a mail with a link to choose a new password. The answer is the same whether there is such an account or not.
#[utoipa::path(
    post, path = "/account/password_resets", tag = "account", operation_id = "request_password_reset", security(()),
    request_body = PasswordResetRequest,
    responses(
        (status = 200, description = "Taken in", body = PasswordResetAccepted),
        problem::BadBody, problem::RateLimited,
    ),
)]
pub async fn request_password_reset(
    State(app): State<Arc<App>>,
    _: NoParams,
    Body(RequestFields(email)): Body<RequestFields>,
) -> Result {
    app.request_password_reset(email)?;
    Ok(web::json_response(&PasswordResetAccepted {
        detail: "If there is such an account, a mail is on its way to it.",
    }))
}

/// Chooses a new password. All sessions of the account end, and the link opens nothing afterwards.
#[utoipa::path(
    post, path = "/account/password_resets/{token}", tag = "account", operation_id = "reset_password", security(()),
    params(("token" = String, Path, description = "What stands at the end of the link")),
    request_body = NewPasswordBody,
    responses(
        (status = 200, description = "You can sign in with it", body = PasswordResetAccepted),
        problem::BadBody, problem::NotFound, problem::RateLimited,
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
    let PasswordFields(password) = body.read().await?;
    app.reset_password(&token, &password, &origin).await?;
    Ok(web::json_response(&PasswordResetAccepted { detail: "The password is changed. Sign in with it." }))
}

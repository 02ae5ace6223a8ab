//! POST /account/password_resets and POST /account/password_resets/{token}

use std::sync::Arc;

use app::{App, Credentials, Origin};
use axum::Extension;
use axum::extract::State;
use domain::Email;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Body, Fields, FromFields, NoParams, PathText, Result, Unread, problem, text};

/// Whose password is forgotten.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct PasswordResetRequest {
    /// The account's email.
    #[schema(example = "grace@example.com", format = "email", max_length = 254)]
    email: String,
}

/// A request that was read.
pub struct RequestFields(Email);

impl FromFields for RequestFields {
    const LIMIT: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("email", text(Email::parse)).map(Self)
    }
}

/// The new password.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct ReplacedPassword {
    /// At least 12 characters, and not easily guessed.
    #[schema(example = "olive anchor ninety drums", format = Password, min_length = 12, max_length = 256)]
    password: String,
}

/// A new password that was read.
pub struct PasswordFields(String);

impl FromFields for PasswordFields {
    const LIMIT: usize = 64 * 1024;

    fn read(fields: &mut Fields) -> Option<Self> {
        fields.required("password", text(Credentials::check_password)).map(Self)
    }
}

/// What happens next, in a sentence.
#[derive(Serialize, ToSchema)]
pub struct Said {
    /// The sentence.
    #[schema(example = "If there is such an account, a mail is on its way to it.")]
    detail: &'static str,
}

/// Asks for a mail with a link to choose a new password. The answer is the same whether there is such an account or not.
#[utoipa::path(
    post, path = "/account/password_resets", tag = "account", operation_id = "request_password_reset", security(()),
    request_body = PasswordResetRequest,
    responses(
        (status = 200, description = "Taken in", body = Said),
        problem::BadBody, problem::TooOften,
    ),
)]
pub async fn request_password_reset(
    State(app): State<Arc<App>>,
    _: NoParams,
    Body(RequestFields(email)): Body<RequestFields>,
) -> Result {
    app.request_password_reset(email)?;
    Ok(web::answer(&Said { detail: "If there is such an account, a mail is on its way to it." }))
}

/// Chooses a new password. All sessions of the account end, and the link opens nothing afterwards.
#[utoipa::path(
    post, path = "/account/password_resets/{token}", tag = "account", operation_id = "reset_password", security(()),
    params(("token" = String, Path, description = "What stands at the end of the link")),
    request_body = ReplacedPassword,
    responses(
        (status = 200, description = "You can sign in with it", body = Said),
        problem::BadBody, problem::NotFound, problem::TooOften,
    ),
)]
pub async fn reset_password(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    PathText(token): PathText,
    _: NoParams,
    body: Unread,
) -> Result {
    app.check_password_reset(&token).await?;
    let PasswordFields(password) = body.read().await?;
    app.reset_password(&token, &password, &origin).await?;
    Ok(web::answer(&Said { detail: "The password is changed. Sign in with it." }))
}

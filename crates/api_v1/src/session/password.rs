//! PUT /api/v1/session/password

use std::sync::Arc;

use app::{App, Credentials};
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Body, Fields, FreshCaller, FromFields, NoParams, Result, problem, text};

/// A new password and the current one.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewPassword {
    /// Current password.
    #[schema(format = Password, example = "plum wagon sixty tiles", max_length = 1024)]
    current_password: String,
    /// New password: at least 12 characters, and not easy to guess.
    #[schema(format = Password, example = "seven grey otters row", min_length = 12, max_length = 256)]
    new_password: String,
}

pub struct PasswordFields {
    current: String,
    new: String,
}

impl FromFields for PasswordFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let current = fields.required("current_password", text(Credentials::check_password));
        let new = fields.required("new_password", text(Credentials::check_password));
        Some(Self { current: current?, new: new? })
    }
}

/// The result of a change of password.
#[derive(Serialize, ToSchema)]
pub struct ChangedPassword {
    /// Number of other sessions that were ended.
    #[schema(example = 2)]
    sessions_ended: u64,
}

/// Change your password
///
/// Your other sessions end.
#[utoipa::path(
    put, path = "/api/v1/session/password", tag = "session", operation_id = "change_password",
    security(("session" = ["fresh_proof"])),
    request_body = NewPassword,
    responses(
        (status = 200, description = "The number of ended sessions", body = ChangedPassword),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::RateLimited,
    ),
)]
pub async fn change_password(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
    Body(PasswordFields { current, new }): Body<PasswordFields>,
) -> Result {
    let sessions_ended = app.change_own_password(&caller, &current, &new).await?;
    Ok(web::json_response(&ChangedPassword { sessions_ended }))
}

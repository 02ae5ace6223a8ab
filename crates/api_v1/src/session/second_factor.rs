//! GET, POST, DELETE /api/v1/session/second_factor and POST /api/v1/session/second_factor/confirm

use std::sync::Arc;

use app::{App, Credentials, SecondFactorState};
use axum::extract::State;
use domain::Timestamp;
use domain::access::ManageOwnSignIn;
use serde::Serialize;
use utoipa::ToSchema;
use web::{Body, Caller, Fields, FreshCaller, FromFields, NoParams, Result, problem, text};

/// How your second factor stands.
#[derive(Serialize, ToSchema)]
pub struct SecondFactor {
    /// Whether your role must have one in this brand.
    #[schema(example = false)]
    required: bool,
    /// Whether your logins are asked for a code.
    #[schema(example = true)]
    enabled: bool,
    /// Since when; null while they are not.
    #[schema(value_type = Option<String>, format = DateTime)]
    enabled_at: Option<Timestamp>,
    /// Whether a secret has been shown that is yet to be confirmed.
    #[schema(example = false)]
    pending: bool,
    /// How many recovery codes are still good.
    #[schema(example = 10)]
    recovery_codes_left: i64,
}

/// What an authenticator app is told. It is shown this once.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorSecret {
    /// The secret in base32, to be typed into the app.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// The same as an address, to be shown as a QR code.
    #[schema(
        example = "otpauth://totp/Keepclear:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Keepclear&algorithm=SHA1&digits=6&period=30"
    )]
    otpauth_url: String,
}

/// A code of the app that was told the secret.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct SecondFactorCode {
    /// The code that the app shows.
    #[schema(example = "492039", max_length = 64)]
    otp: String,
}

/// A second factor that has just been added, with its recovery codes.
#[derive(Serialize, ToSchema)]
pub struct ConfirmedSecondFactor {
    #[serde(flatten)]
    state: SecondFactor,
    /// Ten codes that each stand in for the app once. They are shown this once.
    #[schema(example = json!(["abcd-efgh-jkmn-pqrs-2345-6789"]))]
    recovery_codes: Vec<String>,
}

/// A code that was read.
pub struct CodeFields(String);

impl FromFields for CodeFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let otp = fields.required("otp", text(Credentials::check_otp));
        // An empty one is a wrong one.
        Some(Self(otp?.unwrap_or_default()))
    }
}

/// Shows how your second factor stands.
#[utoipa::path(
    get, path = "/api/v1/session/second_factor", tag = "session", operation_id = "get_second_factor",
    security(("session" = [])),
    responses(
        (status = 200, description = "How it stands", body = SecondFactor),
        problem::Unauthenticated,
    ),
)]
pub async fn get_second_factor(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_second_factor(&caller).await?)))
}

/// Begins to add a second factor: shows the secret of an authenticator app (TOTP). Nothing asks for it until it is confirmed.
///
/// A secret that was shown before and never confirmed is void.
#[utoipa::path(
    post, path = "/api/v1/session/second_factor", tag = "session", operation_id = "begin_second_factor",
    security(("session" = ["fresh_proof"])),
    responses(
        (status = 201, description = "The secret, to be confirmed", body = SecondFactorSecret),
        problem::Unauthenticated, problem::Forbidden, problem::Conflict,
    ),
)]
pub async fn begin_second_factor(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    let made = app.begin_second_factor(&caller).await?;
    let shown = SecondFactorSecret { secret: made.secret, otpauth_url: made.uri };
    Ok(web::created_response("/api/v1/session/second_factor", &shown))
}

/// Adds the second factor for good, after the app has shown a right code. Your other sessions end.
#[utoipa::path(
    post, path = "/api/v1/session/second_factor/confirm", tag = "session", operation_id = "confirm_second_factor",
    security(("session" = ["fresh_proof"])),
    request_body = SecondFactorCode,
    responses(
        (status = 200, description = "Added", body = ConfirmedSecondFactor),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::Conflict,
    ),
)]
pub async fn confirm_second_factor(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
    Body(CodeFields(otp)): Body<CodeFields>,
) -> Result {
    let (state, recovery_codes) = app.confirm_second_factor(&caller, &otp).await?;
    Ok(web::json_response(&ConfirmedSecondFactor { state: shape(state), recovery_codes }))
}

/// Removes your second factor and its recovery codes. Removing it twice is fine.
///
/// Where your role must have one, your sessions open nothing but this until you have added another.
#[utoipa::path(
    delete, path = "/api/v1/session/second_factor", tag = "session", operation_id = "delete_second_factor",
    security(("session" = ["fresh_proof"])),
    responses(
        (status = 200, description = "Removed", body = SecondFactor),
        problem::Unauthenticated, problem::Forbidden,
    ),
)]
pub async fn delete_second_factor(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.remove_second_factor(&caller).await?)))
}

fn shape(state: SecondFactorState) -> SecondFactor {
    SecondFactor {
        required: state.required,
        enabled: state.enabled_at.is_some(),
        enabled_at: state.enabled_at,
        pending: state.is_pending,
        recovery_codes_left: state.recovery_codes_left,
    }
}

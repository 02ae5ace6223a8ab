//! GET, POST, DELETE /api/v1/session/second_factor and POST /api/v1/session/second_factor/confirm

use std::sync::Arc;

use app::{App, Credentials, SecondFactorState};
use axum::extract::State;
use domain::Timestamp;
use domain::access::ManageOwnSignIn;
use web::{Body, Caller, FreshCaller, NoParams, Result, problem};

/// The state of your second factor.
#[web::answer]
pub struct SecondFactor {
    /// Whether your role must use a second factor in this brand.
    #[schema(example = false)]
    required: bool,
    /// Whether your logins require a code.
    #[schema(example = true)]
    enabled: bool,
    /// Time since which your logins have required a code, RFC 3339 in UTC; null while they do not.
    #[schema(value_type = Option<String>, format = DateTime)]
    enabled_at: Option<Timestamp>,
    /// Whether a secret was issued that has not been confirmed yet.
    #[schema(example = false)]
    pending: bool,
    /// Number of unused recovery codes.
    #[schema(example = 10)]
    recovery_codes_left: i64,
}

/// The secret for an authenticator app. It is shown only once.
#[web::answer]
pub struct SecondFactorSecret {
    /// Secret in base32, for typing into the app.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// Secret as an `otpauth` URL, for display as a QR code.
    #[schema(
        example = "otpauth://totp/Keepclear:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Keepclear&algorithm=SHA1&digits=6&period=30"
    )]
    otpauth_url: String,
}

/// A code from the authenticator app that got the secret.
#[web::body]
pub struct SecondFactorCode {
    /// Code that the app shows.
    #[schema(example = "492039", max_length = 64)]
    // An empty code is treated as a wrong code.
    #[field(parse = |text| Credentials::check_otp(text).map(Option::unwrap_or_default))]
    otp: String,
}

/// A second factor that has just been enabled, with its recovery codes.
#[web::answer]
pub struct ConfirmedSecondFactor {
    #[serde(flatten)]
    state: SecondFactor,
    /// Ten recovery codes, each of which replaces a code of the app once. They are shown only once.
    #[schema(example = json!(["abcd-efgh-jkmn-pqrs-2345-6789"]))]
    recovery_codes: Vec<String>,
}

/// Get the state of your second factor
///
/// Returns whether your logins require a code, whether your role must have a second factor, and how many recovery codes are left.
#[web::operation(
    get, path = "/api/v1/session/second_factor", tag = "session", operation_id = "get_second_factor",
    responses(
        (status = 200, description = "The state of the second factor", body = SecondFactor),
    ),
)]
pub async fn get_second_factor(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_second_factor(&caller).await?)))
}

/// Begin to add a second factor
///
/// Returns a secret for an authenticator app (TOTP). Logins do not require a code until the secret is confirmed.
///
/// An earlier secret that was never confirmed becomes invalid.
#[web::operation(
    post, path = "/api/v1/session/second_factor", tag = "session", operation_id = "begin_second_factor",
    responses(
        (status = 201, description = "The secret, which must be confirmed", body = SecondFactorSecret),
        problem::Conflict,
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

/// Confirm your second factor
///
/// Enables the second factor with a valid code from the app. Your other sessions end.
#[web::operation(
    post, path = "/api/v1/session/second_factor/confirm", tag = "session", operation_id = "confirm_second_factor",
    request_body = SecondFactorCode,
    responses(
        (status = 200, description = "The enabled second factor", body = ConfirmedSecondFactor),
        problem::BadBody, problem::Conflict,
    ),
)]
pub async fn confirm_second_factor(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageOwnSignIn>,
    _: NoParams,
    Body(SecondFactorCode { otp }): Body<SecondFactorCode>,
) -> Result {
    let (state, recovery_codes) = app.confirm_second_factor(&caller, &otp).await?;
    Ok(web::json_response(&ConfirmedSecondFactor { state: shape(state), recovery_codes }))
}

/// Remove your second factor
///
/// The recovery codes are removed too. The operation is idempotent.
///
/// If your role must use a second factor, your sessions can do nothing but add another one.
#[web::operation(
    delete, path = "/api/v1/session/second_factor", tag = "session", operation_id = "delete_second_factor",
    responses(
        (status = 200, description = "The state of the second factor", body = SecondFactor),
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

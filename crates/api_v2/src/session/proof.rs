//! POST /api/v2/session/proof

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{AcceptedProof, Body, Caller, NoParams, ProofBody, Result, json_api_errors};

use crate::tokens;

/// Confirm your identity for sensitive operations
///
/// Some operations require a fresh proof of identity. The session continues with new tokens, which are in the response headers as
/// after a login; the previous tokens become invalid immediately. Wrong passwords count as failed logins. A login counts as a proof,
/// a refresh does not.
#[web::operation(
    post, path = "/api/v2/session/proof", tag = "session", operation_id = "prove_session",
    request_body = ProofBody,
    responses(
        (status = 200, description = "The identity is confirmed.", body = AcceptedProof, headers(
            ("AccessToken" = String, description = "Access token (a JWT) to send as the bearer token."),
            ("AccessTokenExpiry" = i64, description = "Time at which the access token expires, in Unix seconds."),
            ("RefreshToken" = String, description = "Refresh token for the next refresh; it can be used once."),
        )),
        json_api_errors::BadBody,
    ),
)]
pub async fn prove_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
    Body(proof): Body<ProofBody>,
) -> Result {
    let (fresh_until, login) = app.prove_with_token(&caller, proof.into()).await?;
    tokens::with_token_headers(web::json_response(&AcceptedProof { fresh_until }), &login)
}

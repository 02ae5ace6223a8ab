//! POST /api/v2/session/proof

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use web::{AcceptedProof, Body, Caller, NoParams, ProofBody, ProofFields, Result, json_api_errors};

use crate::tokens;

/// Shows once more that it is you, for acts that ask for fresh proof.
///
/// The session goes on with new tokens, which come in the headers as at login; those of before end at once. Wrong passwords count as at
/// login. A login is a proof too; a refresh is none.
#[utoipa::path(
    post, path = "/api/v2/session/proof", tag = "session", operation_id = "prove_session", security(("jwt" = [])),
    request_body = ProofBody,
    responses(
        (status = 200, description = "Proven", body = AcceptedProof, headers(
            ("AccessToken" = String, description = "The JWT"),
            ("AccessTokenExpiry" = i64, description = "When it expires, in UNIX seconds"),
            ("RefreshToken" = String, description = "Buys the next access token, once"),
        )),
        json_api_errors::BadBody, json_api_errors::Unauthenticated, json_api_errors::RateLimited,
    ),
)]
pub async fn prove_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
    Body(ProofFields(proof)): Body<ProofFields>,
) -> Result {
    let (fresh_until, login) = app.prove_with_token(&caller, proof).await?;
    tokens::with_token_headers(web::json_response(&AcceptedProof { fresh_until }), &login)
}

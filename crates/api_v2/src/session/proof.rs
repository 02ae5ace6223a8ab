//! POST /api/v2/session/proof

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::KeepSignIn;
use web::{Body, Caller, NoParams, ProofAgain, ProofFields, Proven, Result, json_api};

use crate::tokens;

/// Shows once more that it is you, for acts that ask for fresh proof.
///
/// The session goes on with new tokens, which come in the headers as at login; those of before end at once. Wrong passwords count as at
/// login. A login is a proof too; a refresh is none.
#[utoipa::path(
    post, path = "/api/v2/session/proof", tag = "session", operation_id = "prove_session", security(("jwt" = [])),
    request_body = ProofAgain,
    responses(
        (status = 200, description = "Proven", body = Proven, headers(
            ("AccessToken" = String, description = "The JWT"),
            ("AccessTokenExpiry" = i64, description = "When it expires, in UNIX seconds"),
            ("RefreshToken" = String, description = "Buys the next access token, once"),
        )),
        json_api::BadBody, json_api::Unauthenticated, json_api::TooOften,
    ),
)]
pub async fn prove_session(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<KeepSignIn>,
    _: NoParams,
    Body(ProofFields(proof)): Body<ProofFields>,
) -> Result {
    let (fresh_until, login) = app.prove_with_token(&caller, proof).await?;
    tokens::with_headers(web::answer(&Proven { fresh_until }), &login)
}

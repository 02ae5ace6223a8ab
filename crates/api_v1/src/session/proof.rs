//! POST /api/v1/session/proof

use axum::extract::State;
use domain::access::ManageOwnSignIn;
use http::{HeaderValue, header};
use web::{AcceptedProof, Body, Caller, EdgeState, NoParams, ProofBody, Result, problem};

/// Confirm your identity again
///
/// Required before operations that need fresh proof. The session continues under a new cookie.
///
/// Failed attempts count as failed logins. A login counts as proof too.
#[web::operation(
    post, path = "/api/v1/session/proof", tag = "session", operation_id = "prove_session",
    request_body = ProofBody,
    responses(
        (status = 200, description = "The proof was accepted", body = AcceptedProof, headers(("Set-Cookie" = String, description = "The session cookie"))),
        problem::BadBody,
    ),
)]
pub async fn prove_session(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
    Body(proof): Body<ProofBody>,
) -> Result {
    let (fresh_until, cookie) = edge.app.prove_with_cookie(&caller, proof.into()).await?;
    let mut response = web::json_response(&AcceptedProof { fresh_until });
    let cookie = web::set_session_cookie(&cookie, &edge.config.server);
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    Ok(response)
}

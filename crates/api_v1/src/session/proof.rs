//! POST /api/v1/session/proof

use axum::extract::State;
use domain::access::ManageOwnSignIn;
use http::{HeaderValue, header};
use web::{AcceptedProof, Body, Caller, EdgeState, NoParams, ProofBody, ProofFields, Result, problem};

/// Shows once more that it is you, for acts that ask for fresh proof. The session goes on under a new cookie.
///
/// Wrong passwords count as at login. A login is a proof too.
#[utoipa::path(
    post, path = "/api/v1/session/proof", tag = "session", operation_id = "prove_session",
    security(("session" = [])),
    request_body = ProofBody,
    responses(
        (status = 200, description = "Proven", body = AcceptedProof, headers(("Set-Cookie" = String, description = "The session cookie"))),
        problem::BadBody, problem::Unauthenticated, problem::RateLimited,
    ),
)]
pub async fn prove_session(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<ManageOwnSignIn>,
    _: NoParams,
    Body(ProofFields(proof)): Body<ProofFields>,
) -> Result {
    let (fresh_until, cookie) = edge.app.prove_with_cookie(&caller, proof).await?;
    let mut response = web::json_response(&AcceptedProof { fresh_until });
    let cookie = super::set_cookie(&cookie, &edge.config.server);
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    Ok(response)
}

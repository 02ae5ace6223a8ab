//! POST /api/v1/session/proof

use axum::extract::State;
use domain::access::KeepSignIn;
use http::{HeaderValue, header};
use web::{Body, Caller, EdgeState, NoParams, ProofAgain, ProofFields, Proven, Result, problem};

/// Shows once more that it is you, for acts that ask for fresh proof. The session goes on under a new cookie.
///
/// Wrong passwords count as at login. A login is a proof too.
#[utoipa::path(
    post, path = "/api/v1/session/proof", tag = "session", operation_id = "prove_session",
    security(("session" = [])),
    request_body = ProofAgain,
    responses(
        (status = 200, description = "Proven", body = Proven, headers(("Set-Cookie" = String, description = "The session cookie"))),
        problem::BadBody, problem::Unauthenticated, problem::TooOften,
    ),
)]
pub async fn prove_session(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<KeepSignIn>,
    _: NoParams,
    Body(ProofFields(proof)): Body<ProofFields>,
) -> Result {
    let (fresh_until, cookie) = edge.app.prove_with_cookie(&caller, proof).await?;
    let mut response = web::answer(&Proven { fresh_until });
    let cookie = super::set_cookie(&cookie, &edge.config.server);
    response
        .headers_mut()
        .insert(header::SET_COOKIE, HeaderValue::try_from(cookie).map_err(app::Error::internal)?);
    Ok(response)
}

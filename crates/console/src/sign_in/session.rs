//! GET /sign-in/session

use axum::response::Response;
use domain::access::ManageOwnSignIn;
use serde_json::json;
use web::Caller;

use crate::response;

/// Tells an open page whose session there is, or 401. To ask is no use of the session (`assets/session.js`). There is always a body: a
/// window that another site opens here would stay as it is without one, and show that site whether its reader is signed in.
pub async fn check(Caller(caller): Caller<ManageOwnSignIn>) -> Response {
    let session = json!({ "user_id": caller.identity.user });
    response::bytes("application/json", session.to_string().into_bytes(), None)
}

//! GET /sign-in/session

use domain::access::ManageOwnSignIn;
use http::StatusCode;
use web::Caller;

/// Tells an open page whether its session is still there: 204, or 401. To ask is no use of the session (`assets/session.js`).
pub async fn check(Caller(_): Caller<ManageOwnSignIn>) -> StatusCode {
    StatusCode::NO_CONTENT
}

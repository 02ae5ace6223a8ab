//! POST /sign-out

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageOwnSignIn;
use http::{HeaderName, HeaderValue};
use web::Result;

use super::SIGNED_OUT;
use crate::frame::Frame;
use crate::response;

/// Tells browsers to delete what they stored for this service.
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// Ends the session, if there is one still.
pub async fn sign_out(State(app): State<Arc<App>>, frame: Frame) -> Result {
    if let Ok(caller) = frame.caller::<ManageOwnSignIn>() {
        app.log_out(&caller).await?;
    }
    // An empty value clears the cookie.
    frame.remember_cookie(String::new());
    let mut response = response::redirect("/sign-in", Some((&SIGNED_OUT, None)));
    // Without "cookies", which would also clear the cookies of other services on the same domain.
    let value = HeaderValue::from_static("\"cache\", \"storage\"");
    response.headers_mut().insert(CLEAR_SITE_DATA, value);
    Ok(response)
}

//! /api/v1/session: signing in and out with a cookie, the password and the second factor.

mod create;
mod delete;
mod get;
mod password;
mod proof;
mod second_factor;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(create::create_session, get::get_session, delete::delete_session))
        .routes(routes!(password::change_password))
        .routes(routes!(proof::prove_session))
        .routes(routes!(
            second_factor::get_second_factor,
            second_factor::begin_second_factor,
            second_factor::delete_second_factor
        ))
        .routes(routes!(second_factor::confirm_second_factor))
}

/// The result of ending the sessions of a user, or one's other sessions.
#[web::answer]
pub struct EndedSessions {
    /// Number of sessions that were ended.
    #[schema(example = 2)]
    pub sessions_ended: u64,
}

/// Returns the `Set-Cookie` value that sets the session cookie, or with an empty value clears it.
fn set_cookie(value: &str, server: &web::Server) -> String {
    let name = web::session_cookie_name(server.is_https());
    let secure = if server.is_https() { "; Secure" } else { "" };
    let age = if value.is_empty() { "; Max-Age=0" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}")
}

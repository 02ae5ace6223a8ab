//! /api/v1/session: signing in and out with a cookie, the password and the second factor.

mod create;
mod delete;
mod get;
mod password;
mod proof;
mod second_factor;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
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

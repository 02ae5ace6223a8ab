//! /account: the targets of the links in mails. These calls have no session; the token in the link authorises them.

mod invitations;
mod password_resets;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(invitations::get_invitation, invitations::accept_invitation))
        .routes(routes!(password_resets::request_password_reset))
        .routes(routes!(password_resets::reset_password))
}

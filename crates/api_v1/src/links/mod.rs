//! /links: what is behind the signed links in mails: files, and unsubscribing. These calls have no session; the token in the link
//! authorises them.

mod alerts;
mod reports;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(reports::get_linked_report))
        .routes(routes!(alerts::show_unsubscribe, alerts::unsubscribe))
}

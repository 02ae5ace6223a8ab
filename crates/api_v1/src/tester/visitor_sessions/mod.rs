//! /api/v1/tester/visitor_sessions: visits, from check-in to check-out at a tester device.

mod check_out;
mod create;
mod get;
mod incursions;
mod list;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_visitor_sessions, create::create_visitor_session))
        .routes(routes!(get::get_visitor_session))
        .routes(routes!(check_out::check_out_visitor))
        .routes(routes!(incursions::list_incursions_of_visit))
}

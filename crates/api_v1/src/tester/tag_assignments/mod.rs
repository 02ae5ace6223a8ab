//! /api/v1/tester/tag_assignments: handing tags out and taking them back, at a tester device.

mod create;
mod delete;
mod get;
mod list;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_tag_assignments, create::create_tag_assignment))
        .routes(routes!(get::get_tag_assignment, delete::delete_tag_assignment))
}

//! /api/v2/user_preferences/relationships

mod default_view;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(
        default_view::get::get_default_view_link,
        default_view::replace::replace_default_view_link
    ))
}

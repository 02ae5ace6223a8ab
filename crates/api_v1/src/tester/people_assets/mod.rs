//! /api/v1/tester/people_assets: the people of the device's brand.

mod create;
mod get;
mod list;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_people_assets, create::create_person_asset))
        .routes(routes!(get::get_person_asset))
}

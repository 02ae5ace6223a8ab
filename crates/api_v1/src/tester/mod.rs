//! /api/v1/tester: the calls of tester devices, which authenticate with device tokens.

mod people_assets;
mod tag_assignments;
mod tag_tests;
mod tags;
mod visitor_sessions;

use web::OperationRouter;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .merge(people_assets::routes())
        .merge(tag_assignments::routes())
        .merge(tag_tests::routes())
        .merge(tags::routes())
        .merge(visitor_sessions::routes())
}

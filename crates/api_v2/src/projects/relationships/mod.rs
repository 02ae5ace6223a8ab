//! /api/v2/projects/{id}/relationships

mod worksites;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(
        worksites::get::get_worksite_links,
        worksites::add::add_worksite_links,
        worksites::replace::replace_worksite_links,
        worksites::remove::remove_worksite_links
    ))
}

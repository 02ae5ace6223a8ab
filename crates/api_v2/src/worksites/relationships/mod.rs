//! /api/v2/worksites/{id}/relationships

mod machines;
mod project;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(project::get::get_project_link, project::replace::replace_project_link))
        .routes(routes!(
            machines::get::get_machine_links,
            machines::add::add_machine_links,
            machines::replace::replace_machine_links,
            machines::remove::remove_machine_links
        ))
}

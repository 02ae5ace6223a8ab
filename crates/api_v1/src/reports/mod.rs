//! /api/v1/reports: documents and tables that are made in the background, and their files.

mod create;
mod delete;
mod download;
mod get;
mod list;
mod remake;

use app::ReportView;
use web::{List, OperationRouter, ReportRecord as Report, routes};

/// Path of the collection.
pub const PATH: &str = "/api/v1/reports";

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_reports, create::request_report))
        .routes(routes!(get::get_report, delete::delete_report))
        .routes(routes!(download::download_report))
        .routes(routes!(remake::remake_report))
}

pub type ReportList = List<Report>;

pub fn shape(view: impl Into<ReportView>) -> Report {
    web::shape_report(view.into(), PATH)
}

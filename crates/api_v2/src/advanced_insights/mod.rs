//! /api/v2/advanced_insights: pivots, outliers and exports in plain JSON, and written site reports as JSON:API documents.

mod exports;
mod outliers;
mod pivot;
pub mod site_reports;

use web::{OperationRouter, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(outliers::get_outliers))
        .routes(routes!(pivot::compute::compute_pivot, pivot::run_view::run_saved_view))
        .merge(exports::routes())
}

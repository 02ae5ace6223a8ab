//! GET /api/v2/advanced_insights/exports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ExportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, json_api_errors};

use super::{Export, shape};

/// Get one of your exports
///
/// Returns its state and progress, and the path of its file once that is complete.
#[web::operation(
    get, path = "/api/v2/advanced_insights/exports/{id}", tag = "advanced insights", operation_id = "get_export",
    params(("id" = i64, Path, description = "Id of the export.")),
    responses(
        (status = 200, description = "The export.", body = Export),
        json_api_errors::BadParams, json_api_errors::NotFound,
    ),
)]
pub async fn get_export(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.find_export(&caller, ExportId(id)).await?)))
}

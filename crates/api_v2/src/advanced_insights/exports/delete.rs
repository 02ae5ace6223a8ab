//! DELETE /api/v2/advanced_insights/exports/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::ExportId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, json_api_errors};

use super::{Export, shape};

/// Cancel or delete one of your exports
///
/// An export that is not finished is cancelled (`failed`); the file of a finished export is deleted (`expired`). Repeating the call has
/// no further effect.
#[web::operation(
    delete, path = "/api/v2/advanced_insights/exports/{id}", tag = "advanced insights", operation_id = "delete_export",
    params(("id" = i64, Path, description = "Id of the export.")),
    responses(
        (status = 200, description = "The cancelled or deleted export.", body = Export),
        json_api_errors::BadParams, json_api_errors::NotFound,
    ),
)]
pub async fn delete_export(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.delete_export(&caller, ExportId(id)).await?)))
}

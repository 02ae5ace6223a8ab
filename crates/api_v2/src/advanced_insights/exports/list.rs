//! GET /api/v2/advanced_insights/exports

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, ListParams, Params, Result, json_api_errors};

use super::{ExportList, shape};

/// List your exports
///
/// Returns the newest first. Exports whose files have been deleted are listed for 90 days.
#[web::operation(
    get, path = "/api/v2/advanced_insights/exports", tag = "advanced insights", operation_id = "list_exports", params(ListParams),
    responses(
        (status = 200, description = "A page of exports.", body = ExportList),
        json_api_errors::BadParams,
    ),
)]
pub async fn list_exports(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    Params(list): Params<ListParams>,
) -> Result {
    let found = app.list_exports(&caller, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, shape))
}

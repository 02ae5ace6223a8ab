//! GET /api/v1/alerts/{id}/firings

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{AlertFiringFilter, AlertRuleId};
use web::{Caller, ListParams, Params, PathId, Result, problem};

use super::params::{FiringFilters, FiringParams};
use super::{AlertFiringList, shape};

/// List firings of an alert
///
/// Lists the alarms of the alert, the newest first, as far as you see all projects that went into them. They are stored for a year, unless
/// the installation or the brand's retention says otherwise.
#[web::operation(
    get, path = "/api/v1/alerts/{id}/firings", tag = "alerts", operation_id = "list_firings_of_alert",
    params(("id" = i64, Path, description = "Identifier of the alert"), FiringFilters, ListParams),
    responses(
        (status = 200, description = "A page of firings", body = AlertFiringList),
        problem::BadParams, problem::NotFound,
    ),
)]
pub async fn list_firings_of_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    Params(params): Params<FiringParams>,
) -> Result {
    let rule = app.find_alert(&caller, AlertRuleId(id)).await?.rule.id;
    let (filter, list) = params.resolve(&app, &caller).await?;
    let filter = AlertFiringFilter { rules: vec![rule], ..filter };
    let found = app.list_alert_firings(&caller, &filter, &list.page(), list.include_total).await?;
    Ok(web::list_response(&list, found, |view| shape(&app, view)))
}

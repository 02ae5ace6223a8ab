//! GET /api/v1/alerts/{id}/firings/{firing_id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ReadInsights;
use domain::{AlertFiringId, AlertRuleId};
use web::{Caller, NoParams, PathIds, Result, problem};

use super::{AlertFiringWithDeliveries, shape, shape_delivery};

/// Get a firing
///
/// Shows one alarm with the mails and calls of webhooks about it. It is found even after its alert was deleted, as long as it is stored.
#[web::operation(
    get, path = "/api/v1/alerts/{id}/firings/{firing_id}", tag = "alerts", operation_id = "get_alert_firing",
    params(
        ("id" = i64, Path, description = "Identifier of the alert"),
        ("firing_id" = i64, Path, description = "Identifier of the firing"),
    ),
    responses(
        (status = 200, description = "The firing", body = AlertFiringWithDeliveries),
        problem::NotFound,
    ),
)]
pub async fn get_alert_firing(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathIds(alert, firing): PathIds,
    _: NoParams,
) -> Result {
    let mut found = app.find_alert_firing(&caller, Some(AlertRuleId(alert)), AlertFiringId(firing)).await?;
    let deliveries = std::mem::take(&mut found.deliveries).into_iter().map(shape_delivery).collect();
    let details = AlertFiringWithDeliveries { firing: shape(&app, found), deliveries };
    Ok(web::json_response(&details))
}

//! DELETE /api/v1/alerts/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::AlertRuleId;
use domain::access::ManageAlerts;
use web::{Caller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Alert, shape};

/// Delete an alert
///
/// Its open alarms are closed, and nobody is notified. Its firings stay until their retention ends; links to them in mails still work.
///
/// Fails with 403 `not_yours` if the alert is someone else's and you do not manage the whole brand.
#[web::operation(
    delete, path = "/api/v1/alerts/{id}", tag = "alerts", operation_id = "delete_alert",
    params(
        ("id" = i64, Path, description = "Identifier of the alert"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    responses(
        (status = 200, description = "The deleted alert, as it was", body = Alert),
        problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn delete_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    let deleted = app.delete_alert(&caller, AlertRuleId(id), &if_match).await?;
    Ok(web::json_response(&shape(deleted)))
}

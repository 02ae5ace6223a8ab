//! GET /api/v1/alerts/{id}

use std::sync::Arc;

use app::{App, Names};
use axum::extract::State;
use domain::AlertRuleId;
use domain::access::ReadInsights;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Alert, shape};

/// Get an alert
///
/// Names of users and addresses are left out for callers who may not see names. If your access is restricted to projects, you see your own
/// alerts, and those that count nothing beyond your projects.
#[web::operation(
    get, path = "/api/v1/alerts/{id}", tag = "alerts", operation_id = "get_alert",
    params(("id" = i64, Path, description = "Identifier of the alert")),
    responses(
        (status = 200, description = "The alert", body = Alert,
            headers(("ETag" = String, description = "Version of the resource, for If-Match; only for callers who may see names"))),
        problem::NotFound,
    ),
)]
pub async fn get_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadInsights>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_alert(&caller, AlertRuleId(id)).await?;
    let version = found.rule.version;
    let answer = web::json_response(&shape(found));
    Ok(match caller.names() {
        Names::Shown => web::with_etag(answer, version, None),
        // A version has two representations, with and without names, but only one ETag; so no ETag is sent without names.
        Names::Hidden => answer,
    })
}

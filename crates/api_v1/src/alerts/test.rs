//! POST /api/v1/alerts/{id}/test

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::AlertRuleId;
use domain::access::ManageAlerts;
use web::{Caller, NoParams, PathId, Result, problem};

/// A test of an alert.
#[web::answer]
pub struct AlertTest {
    /// Number of mails and calls of webhooks that were queued. Recipients who get no mails, because they have unsubscribed, were refused
    /// or have left, are not counted.
    #[schema(example = 3)]
    deliveries: u64,
}

/// Test an alert
///
/// Sends one message, which is marked as a test, to the recipients and webhooks of the alert, with the value of now or an example. Nothing
/// fires.
///
/// Fails with 409 `too_many_tests` after five tests of the alert, twenty of yours or sixty of the brand within an hour, and with 403
/// `not_yours` if the alert is someone else's and you do not manage the whole brand.
#[web::operation(
    post, path = "/api/v1/alerts/{id}/test", tag = "alerts", operation_id = "test_alert",
    params(("id" = i64, Path, description = "Identifier of the alert")),
    responses(
        (status = 200, description = "The messages are queued", body = AlertTest),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn test_alert(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageAlerts>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let deliveries = app.test_alert(&caller, AlertRuleId(id)).await?;
    Ok(web::json_response(&AlertTest { deliveries }))
}

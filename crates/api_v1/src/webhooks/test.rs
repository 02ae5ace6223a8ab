//! POST /api/v1/webhooks/{id}/test

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WebhookId;
use domain::access::ManageBrand;
use web::{Caller, NoParams, PathId, Result, problem};

use super::deliveries::{WebhookDelivery, shape};

/// Test a webhook
///
/// Calls the webhook with an event of the type `alert.test`, whose firing is made up. The list of deliveries shows how it went.
///
/// Fails with 409 `webhook_disabled` if the webhook is disabled, with 409 `too_many_tests` after twenty tests of the brand's webhooks
/// within an hour, and with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/webhooks/{id}/test", tag = "webhooks", operation_id = "test_webhook",
    params(("id" = i64, Path, description = "Identifier of the webhook")),
    responses(
        (status = 200, description = "The delivery, which waits for its first attempt", body = WebhookDelivery),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn test_webhook(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.test_webhook(&caller, WebhookId(id)).await?)))
}

//! POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{AlertDeliveryId, WebhookId};
use web::{Caller, NoParams, PathIds, Result, problem};

use super::{WebhookDelivery, shape};

/// Send an event again
///
/// Calls the webhook once more with the same `webhook-id`, by which a receiver recognises an event that it has handled before. The
/// attempts are counted from the beginning.
///
/// Fails with 409 `already_queued` if the delivery is waiting for an attempt, and with `webhook_disabled` if the webhook is disabled.
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", tag = "webhooks",
    operation_id = "redeliver_webhook_event",
    params(
        ("id" = i64, Path, description = "Identifier of the webhook"),
        ("delivery_id" = i64, Path, description = "Identifier of the delivery"),
    ),
    responses(
        (status = 200, description = "The delivery, which waits for its next attempt", body = WebhookDelivery),
        problem::NotFound, problem::Conflict,
    ),
)]
pub async fn redeliver_webhook_event(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathIds(id, delivery_id): PathIds,
    _: NoParams,
) -> Result {
    let (id, delivery) = (WebhookId(id), AlertDeliveryId(delivery_id));
    Ok(web::json_response(&shape(app.redeliver(&caller, id, delivery).await?)))
}

//! DELETE /api/v1/webhooks/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WebhookId;
use domain::access::ManageBrand;
use web::{FreshCaller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::{Webhook, shape};

/// Delete a webhook
///
/// Its deliveries are deleted with it. What has not been sent yet is not sent any more.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    delete, path = "/api/v1/webhooks/{id}", tag = "webhooks", operation_id = "delete_webhook",
    params(
        ("id" = i64, Path, description = "Identifier of the webhook"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    responses(
        (status = 200, description = "The deleted webhook", body = Webhook),
        problem::NotFound, problem::PreconditionFailed,
    ),
)]
pub async fn delete_webhook(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
) -> Result {
    Ok(web::json_response(&shape(app.delete_webhook(&caller, WebhookId(id), &if_match).await?)))
}

//! PATCH /api/v1/webhooks/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WebhookId;
use domain::access::ManageBrand;
use web::{DeferredBody, FixedMembers, FreshCaller, IfMatchHeader, NoParams, PathId, Result, problem};

use super::fields::ChangedWebhook;
use super::{Webhook, shape};

/// Change a webhook
///
/// With `"enabled": true` a webhook that was disabled is called again, for what happens from now on; what it missed can be sent again
/// with `POST …/deliveries/{delivery_id}/redeliver`.
///
/// Fails with 409 `webhook_disabled` if it is to be enabled and its secret was lost with the installation key; rotate the secret instead.
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    patch, path = "/api/v1/webhooks/{id}", tag = "webhooks", operation_id = "change_webhook",
    params(
        ("id" = i64, Path, description = "Identifier of the webhook"),
        ("If-Match" = Option<String>, Header, description = "ETag of the version you have read; the answer is 412 if it has changed since"),
    ),
    request_body = ChangedWebhook,
    responses(
        (status = 200, description = "The changed webhook", body = Webhook,
            headers(("ETag" = String, description = "Version of the resource"))),
        problem::BadBody, problem::NotFound, problem::PreconditionFailed, problem::Conflict,
    ),
)]
pub async fn change_webhook(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    PathId(id): PathId,
    IfMatchHeader(if_match): IfMatchHeader,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = WebhookId(id);
    let stored = app.find_webhook(&caller, id).await?;
    let fixed = FixedMembers::new(id.0, stored.webhook.created_at);
    let change = body.read_change::<ChangedWebhook>(&fixed).await?;
    let changed = app.change_webhook(&caller, id, &if_match, change.into()).await?;
    let version = changed.webhook.version;
    Ok(web::with_etag(web::json_response(&shape(changed)), version, None))
}

//! POST /api/v1/webhooks

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use web::{Body, FreshCaller, NoParams, Result, problem};

use super::fields::NewWebhook;
use super::{PATH, WebhookWithSecret, shape_with_secret};

/// Add a webhook
///
/// The address is called with a POST whenever an alert fires or clears; what is sent is documented under `webhooks`. Calls are signed by
/// the rules of Standard Webhooks with the secret in this answer, which is never shown again. An `Idempotency-Key` is ignored, because
/// the stored answer would contain the secret.
///
/// Fails with 409 `too_many_webhooks` if the brand already has 50, and with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/webhooks", tag = "webhooks", operation_id = "create_webhook",
    request_body = NewWebhook,
    responses(
        (status = 201, description = "The new webhook and its secret", body = WebhookWithSecret),
        problem::BadBody, problem::Conflict,
    ),
)]
pub async fn create_webhook(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    _: NoParams,
    Body(new): Body<NewWebhook>,
) -> Result {
    let made = app.create_webhook(&caller, new.into()).await?;
    let (id, version) = (made.0.webhook.id, made.0.webhook.version);
    // Nothing of it is stored: neither here nor, because it has no `Cache-Control` of its own, by caches.
    let answer = web::created_to_store(format!("{PATH}/{id}"), &shape_with_secret(made));
    Ok(web::render_stored(answer.with_version(version)))
}

//! GET /api/v1/webhooks/{id}

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::WebhookId;
use domain::access::ManageBrand;
use web::{Caller, NoParams, PathId, Result, problem};

use super::{Webhook, shape};

/// Get a webhook
///
/// Its secret is not shown. The `ETag` covers what people change; it does not change when the webhook is called.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    get, path = "/api/v1/webhooks/{id}", tag = "webhooks", operation_id = "get_webhook",
    params(("id" = i64, Path, description = "Identifier of the webhook")),
    responses(
        (status = 200, description = "The webhook", body = Webhook,
            headers(("ETag" = String, description = "Version of the resource, for If-Match"))),
        problem::NotFound,
    ),
)]
pub async fn get_webhook(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ManageBrand>,
    PathId(id): PathId,
    _: NoParams,
) -> Result {
    let found = app.find_webhook(&caller, WebhookId(id)).await?;
    let version = found.webhook.version;
    Ok(web::with_etag(web::json_response(&shape(found)), version, None))
}

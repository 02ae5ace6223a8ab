//! POST /api/v1/webhooks/{id}/rotate

use std::sync::Arc;

use app::App;
use axum::extract::State;
use domain::access::ManageBrand;
use domain::{Span, WebhookId};
use web::{DeferredBody, FreshCaller, NoParams, PathId, Result, problem};

use super::{WebhookWithSecret, shape_with_secret};

/// Time for which the secret before is valid, unless another is given.
const DEFAULT_OVERLAP_HOURS: i64 = 24;

/// Options for replacing the secret. The body may be left out.
#[web::body]
#[derive(Default)]
pub struct WebhookRotation {
    /// Number of hours for which calls are also signed with the secret before; the default is 24. With 0 only the new one is valid. A
    /// secret that was replaced earlier ends in any case.
    #[schema(example = 24)]
    #[field(range = 0..=168)]
    overlap_hours: Option<i64>,
}

/// Replace the secret of a webhook
///
/// The new secret is shown only in this answer. During the overlap each call has a signature by either secret, so that the receiver can
/// be changed over without missing one. A webhook whose secret was lost with the installation key is enabled again.
///
/// Fails with 403 `restricted` if your access is restricted to projects.
#[web::operation(
    post, path = "/api/v1/webhooks/{id}/rotate", tag = "webhooks", operation_id = "rotate_webhook_secret",
    params(("id" = i64, Path, description = "Identifier of the webhook")),
    request_body(content = WebhookRotation, description = "The body may be left out"),
    responses(
        (status = 200, description = "The webhook and its new secret", body = WebhookWithSecret),
        problem::BadBody, problem::NotFound,
    ),
)]
pub async fn rotate_webhook_secret(
    State(app): State<Arc<App>>,
    FreshCaller(caller): FreshCaller<ManageBrand>,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let id = WebhookId(id);
    app.find_webhook(&caller, id).await?;
    let WebhookRotation { overlap_hours } = body.read_or_default().await?;
    let overlap = Span::minutes(overlap_hours.unwrap_or(DEFAULT_OVERLAP_HOURS) * 60);
    let rotated = app.rotate_webhook_secret(&caller, id, overlap).await?;
    Ok(web::json_response(&shape_with_secret(rotated)))
}

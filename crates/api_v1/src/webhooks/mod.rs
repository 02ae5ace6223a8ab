//! /api/v1/webhooks: other systems that are called when alerts fire or clear.

mod change;
mod create;
mod delete;
mod deliveries;
#[cfg(feature = "openapi")]
mod events;
mod fields;
mod get;
mod list;
mod rotate;
mod test;

use app::WebhookView;
use domain::{Timestamp, WebhookDisabled};
use web::{OperationRouter, enum_schemas, routes};

#[cfg(feature = "openapi")]
pub use events::documented_events;

const PATH: &str = "/api/v1/webhooks";

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_webhooks, create::create_webhook))
        .routes(routes!(get::get_webhook, change::change_webhook, delete::delete_webhook))
        .routes(routes!(rotate::rotate_webhook_secret))
        .routes(routes!(test::test_webhook))
        .routes(routes!(deliveries::list::list_webhook_deliveries))
        .routes(routes!(deliveries::redeliver::redeliver_webhook_event))
}

/// An address that is called when alerts fire or clear.
#[web::answer(record)]
pub struct Webhook {
    /// Identifier of the webhook.
    #[schema(example = 3)]
    id: i64,
    /// Name of the webhook.
    #[schema(example = "Control room")]
    name: String,
    /// Address that is called.
    #[schema(example = "https://hooks.example.com/keepclear")]
    url: String,
    /// Identifiers of the alerts that it is called for; null for all, also for those that are added later.
    alert_ids: Option<Vec<i64>>,
    /// Whether it is called.
    #[schema(example = true)]
    enabled: bool,
    /// Time at which it was disabled, RFC 3339 in UTC; null while it is enabled.
    #[schema(value_type = Option<String>, format = DateTime)]
    disabled_at: Option<Timestamp>,
    /// Reason why it is disabled; null while it is enabled.
    #[schema(value_type = Option<enum_schemas::WebhookDisabled>)]
    disabled_reason: Option<&'static str>,
    /// Time at which its secret was made, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    secret_since: Timestamp,
    /// Time until which calls are also signed with the secret before, RFC 3339 in UTC; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime)]
    old_secret_until: Option<Timestamp>,
    /// Time of the last call that succeeded, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_success_at: Option<Timestamp>,
    /// Time of the last call that failed, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_failure_at: Option<Timestamp>,
    /// Time at which the webhook was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the webhook was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

/// A webhook with its new secret. The secret is shown only once.
#[web::answer]
pub struct WebhookWithSecret {
    /// Secret by which the receiver verifies calls, as libraries for Standard Webhooks expect it.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    secret: String,
    /// Webhook that the secret belongs to.
    webhook: Webhook,
}

fn shape(view: WebhookView) -> Webhook {
    let WebhookView { webhook, alerts } = view;
    Webhook {
        id: webhook.id.0,
        name: webhook.name,
        url: webhook.url,
        alert_ids: alerts.map(|ids| ids.into_iter().map(|id| id.0).collect()),
        enabled: webhook.disabled_at.is_none(),
        disabled_at: webhook.disabled_at,
        disabled_reason: webhook.disabled_reason.map(WebhookDisabled::as_str),
        secret_since: webhook.secret_since,
        old_secret_until: webhook.old_secret_until,
        last_success_at: webhook.last_success_at,
        last_failure_at: webhook.last_failure_at,
        created_at: webhook.created_at,
        updated_at: webhook.updated_at,
    }
}

fn shape_with_secret((view, secret): (WebhookView, String)) -> WebhookWithSecret {
    WebhookWithSecret { secret, webhook: shape(view) }
}

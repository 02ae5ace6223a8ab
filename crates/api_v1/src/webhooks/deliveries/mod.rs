//! /api/v1/webhooks/{id}/deliveries: one event for the webhook each.

pub(super) mod list;
pub(super) mod redeliver;

use domain::{AlertDelivery, AlertEvent, Timestamp};
use web::enum_schemas;

/// An event for a webhook, and how its delivery goes.
#[web::answer]
pub struct WebhookDelivery {
    /// Identifier of the delivery.
    #[schema(example = 17)]
    id: i64,
    /// What happened.
    #[schema(value_type = Option<enum_schemas::AlertEvent>, example = "fired")]
    event: Option<&'static str>,
    /// Identifier of the event, which is sent as `webhook-id` and is the same for all attempts.
    #[schema(example = "evt_q1w2e3r4t5y6u7i8o9p0aa")]
    event_id: Option<String>,
    /// Identifier of the firing; null for tests.
    #[schema(example = 31)]
    firing_id: Option<i64>,
    /// Whether it waits for an attempt, was taken by the receiver, or failed for good.
    #[schema(value_type = enum_schemas::DeliveryState, example = "sent")]
    state: &'static str,
    /// Reason why the last attempt failed: `unreachable`, `timed_out`, `tls`, `redirected`, `private_address`, `not_https`, `gone`, a
    /// status such as `status_500`, or `webhook_disabled`; null if it succeeded, and before the first one.
    #[schema(example = "status_500")]
    reason: Option<String>,
    /// Status of the last answer; null if there was none.
    #[schema(example = 500)]
    status_code: Option<i64>,
    /// Number of attempts.
    #[schema(example = 1)]
    attempts: i64,
    /// Time of the last attempt, RFC 3339 in UTC; null before the first one.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_attempt_at: Option<Timestamp>,
    /// Time of the next attempt, RFC 3339 in UTC; null if there is none.
    #[schema(value_type = Option<String>, format = DateTime)]
    next_attempt_at: Option<Timestamp>,
    /// Time at which the receiver took it, RFC 3339 in UTC; null before that.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    sent_at: Option<Timestamp>,
    /// Time at which the delivery was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the delivery last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub(super) fn shape(delivery: AlertDelivery) -> WebhookDelivery {
    WebhookDelivery {
        id: delivery.id.0,
        event: delivery.event.map(AlertEvent::as_str),
        event_id: delivery.event_id,
        firing_id: delivery.firing.map(|id| id.0),
        state: delivery.state.as_str(),
        reason: delivery.reason,
        status_code: delivery.status_code,
        attempts: delivery.attempts,
        last_attempt_at: delivery.last_attempt_at,
        next_attempt_at: delivery.next_attempt_at,
        sent_at: delivery.sent_at,
        created_at: delivery.created_at,
        updated_at: delivery.updated_at,
    }
}

//! /api/v1/base_stations/{id}/messages: text messages to the cab.

mod create;
mod list;

use domain::Timestamp;
use web::{OperationRouter, enum_schemas, routes};

use crate::references::Actor;

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(list::list_messages, create::create_message))
}

/// A text message to the cab of the machine that a base station is installed on.
#[web::answer]
pub struct Message {
    /// Identifier of the message.
    #[schema(example = 9)]
    id: i64,
    /// Identifier of the base station that the message was sent to.
    #[schema(example = 5)]
    base_station_id: i64,
    /// Text of the message; null for callers who may not see names.
    #[schema(example = "Please stop at gate 4.")]
    body: Option<String>,
    /// Delivery state of the message.
    #[schema(value_type = enum_schemas::MessageState, example = "queued")]
    state: &'static str,
    /// User who sent the message.
    sent_by: Actor,
    /// Time at which the message was sent, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    queued_at: Timestamp,
    /// Time at which the message expires if the base station has not fetched it, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-02T08:00:00Z")]
    expires_at: Timestamp,
    /// Time at which the base station received the message, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    delivered_at: Option<Timestamp>,
    /// Time at which the message was displayed in the cab, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:03Z")]
    displayed_at: Option<Timestamp>,
    /// Time at which someone in the cab acknowledged the message, RFC 3339 in UTC.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:10Z")]
    acknowledged_at: Option<Timestamp>,
    /// Time at which the message was sent, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the message or its delivery last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(message: domain::Message, now: Timestamp) -> Message {
    let progress = message.progress;
    Message {
        id: message.id.0,
        base_station_id: message.base_station.0,
        body: message.text,
        state: progress.state(now).as_str(),
        sent_by: message.sent_by.into(),
        queued_at: message.queued_at,
        expires_at: progress.expires_at,
        delivered_at: progress.delivered_at,
        displayed_at: progress.displayed_at,
        acknowledged_at: progress.acknowledged_at,
        created_at: message.queued_at,
        updated_at: message.updated_at,
    }
}

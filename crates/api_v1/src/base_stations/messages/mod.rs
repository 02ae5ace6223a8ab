//! /api/v1/base_stations/{id}/messages: text to the cab.

mod create;
mod list;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{EdgeState, enum_schemas};

use crate::references::NamedReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(list::list_messages, create::create_message))
}

/// A text to the cab of a base station's machine.
#[derive(Serialize, ToSchema)]
pub struct Message {
    /// Its id.
    #[schema(example = 9)]
    id: i64,
    /// To which base station.
    #[schema(example = 5)]
    base_station_id: i64,
    /// What it says; null for those who do not see names.
    #[schema(example = "Please stop at gate 4.")]
    text: Option<String>,
    /// How far it came.
    #[schema(value_type = enum_schemas::MessageState, example = "queued")]
    state: &'static str,
    /// Who sent it; `User 1` for those who do not see names.
    sent_by: NamedReference,
    /// When it was sent.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    queued_at: Timestamp,
    /// When it stops waiting for the base station.
    #[schema(value_type = String, format = DateTime, example = "2026-03-02T08:00:00Z")]
    expires_at: Timestamp,
    /// When the base station had it.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:02Z")]
    delivered_at: Option<Timestamp>,
    /// When it was shown.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:03Z")]
    displayed_at: Option<Timestamp>,
    /// When someone in the cab confirmed it.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:10Z")]
    acknowledged_at: Option<Timestamp>,
}

fn shape(message: store::Message, now: Timestamp) -> Message {
    let progress = message.progress;
    Message {
        id: message.id.0,
        base_station_id: message.base_station.0,
        text: message.text,
        state: progress.state(now).as_str(),
        sent_by: NamedReference { id: message.sent_by.0, name: message.sender_name },
        queued_at: message.queued_at,
        expires_at: progress.expires_at,
        delivered_at: progress.delivered_at,
        displayed_at: progress.displayed_at,
        acknowledged_at: progress.acknowledged_at,
    }
}

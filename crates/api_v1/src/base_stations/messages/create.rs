//! POST /api/v1/base_stations/{id}/messages

use std::sync::Arc;

use app::{App, Once};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, MessageText, Span};
use utoipa::ToSchema;
use web::{
    Caller, Creation, Fields, FromFields, NoParams, PathId, Repeatable, Result, Unread, problem, text, whole,
};

use super::{Message, shape};

/// A message to be sent.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewMessage {
    /// What it says, in one line.
    #[schema(example = "Please stop at gate 4.", min_length = 1, max_length = 200)]
    text: String,
    /// How long it waits for the base station; a day, unless it is given.
    #[schema(example = 120, minimum = 1, maximum = 10080)]
    expires_in_minutes: Option<i64>,
}

/// A message that was read.
pub struct MessageFields {
    text: MessageText,
    waits: Option<Span>,
}

impl FromFields for MessageFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let said = fields.required("text", text(MessageText::parse));
        let minutes = fields.optional("expires_in_minutes", whole(1..=7 * 24 * 60));
        Some(Self { text: said?, waits: minutes?.map(Span::minutes) })
    }
}

/// Sends a text to the cab of a base station that you see. The base station fetches it when it next asks.
#[utoipa::path(
    post, path = "/api/v1/base_stations/{id}/messages", tag = "base stations", operation_id = "create_message",
    security(("session" = [])),
    params(("id" = i64, Path, description = "The base station's id"), Repeatable),
    request_body = NewMessage,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "Sent", body = Message),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn create_message(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
    body: Unread,
) -> Result {
    let station = BaseStationId(id);
    app.check_base_station(&caller, station).await?;
    let Creation { value: MessageFields { text, waits }, key } = body.creation().await?;
    let now = app.clock.now();
    let once = Once::new(key, move |sent: &store::Message| {
        web::made(format!("/api/v1/base_stations/{id}/messages"), &shape(sent.clone(), now))
    });
    Ok(web::reply(app.create_message(&caller, station, &text, waits, once).await?))
}

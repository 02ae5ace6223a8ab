//! POST /api/v1/base_stations/{id}/messages

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, MessageText, Span};
use utoipa::ToSchema;
use web::{
    Caller, DeferredBody, Fields, FromFields, IdempotencyKeyHeader, IdempotentBody, NoParams, PathId, Result,
    integer_within, problem, text,
};

use super::{Message, shape};

/// Fields of a new message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body for OpenAPI; it is read field by field")]
pub struct NewMessage {
    /// Text of the message, in one line.
    #[schema(example = "Please stop at gate 4.", min_length = 1, max_length = 200)]
    text: String,
    /// Number of minutes for which the message waits for the base station; the default is one day.
    #[schema(example = 120, minimum = 1, maximum = 10080)]
    expires_in_minutes: Option<i64>,
}

pub struct MessageFields {
    text: MessageText,
    expires_in: Option<Span>,
}

impl FromFields for MessageFields {
    fn read(fields: &mut Fields) -> Option<Self> {
        let message_text = fields.required("text", text(MessageText::parse));
        let minutes = fields.optional("expires_in_minutes", integer_within(1..=7 * 24 * 60));
        Some(Self { text: message_text?, expires_in: minutes?.map(Span::minutes) })
    }
}

/// Send a message to the cab
///
/// The base station fetches the message the next time it polls for commands.
#[utoipa::path(
    post, path = "/api/v1/base_stations/{id}/messages", tag = "base stations", operation_id = "create_message",
    security(("session" = [])),
    params(("id" = i64, Path, description = "Identifier of the base station"), IdempotencyKeyHeader),
    request_body = NewMessage,
    extensions(("x-permission" = json!("write_registry"))),
    responses(
        (status = 201, description = "The new message", body = Message),
        problem::BadBody, problem::Unauthenticated, problem::Forbidden, problem::NotFound,
    ),
)]
pub async fn create_message(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    PathId(id): PathId,
    _: NoParams,
    body: DeferredBody,
) -> Result {
    let station = BaseStationId(id);
    app.check_base_station(&caller, station).await?;
    let IdempotentBody { value: MessageFields { text, expires_in }, key } = body.into_idempotent().await?;
    let now = app.clock.now();
    let once = Idempotent::new(key, move |sent: &store::Message| {
        web::created_to_store(format!("/api/v1/base_stations/{id}/messages"), &shape(sent.clone(), now))
    });
    Ok(web::render_stored(app.create_message(&caller, station, &text, expires_in, once).await?))
}

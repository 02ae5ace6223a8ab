//! POST /api/v1/base_stations/{id}/messages

use std::sync::Arc;

use app::{App, Idempotent};
use axum::extract::State;
use domain::access::WriteRegistry;
use domain::{BaseStationId, MessageText, Span};
use web::{Caller, DeferredBody, IdempotentBody, NoParams, PathId, Result, problem};

use super::{Message, shape};

/// Fields of a new message.
#[web::body]
pub struct NewMessage {
    /// Text of the message, in one line.
    #[schema(example = "Please stop at gate 4.", min_length = 1, max_length = 200)]
    body: MessageText,
    /// Number of minutes for which the message waits for the base station; the default is one day.
    #[schema(example = 120)]
    #[field(range = 1..=10_080)]
    expires_in_minutes: Option<i64>,
}

/// Send a message to the cab
///
/// The base station fetches the message the next time it polls for commands.
#[web::operation(
    post, path = "/api/v1/base_stations/{id}/messages", tag = "base stations", operation_id = "create_message",
    params(("id" = i64, Path, description = "Identifier of the base station")),
    request_body = NewMessage,
    responses(
        (status = 201, description = "The new message", body = Message),
        problem::BadBody, problem::NotFound,
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
    let IdempotentBody { value: NewMessage { body: text, expires_in_minutes }, key } =
        body.into_idempotent().await?;
    let expires_in = expires_in_minutes.map(Span::minutes);
    let now = app.clock.now();
    let once = Idempotent::new(key, move |sent: &domain::Message| {
        web::created_to_store(format!("/api/v1/base_stations/{id}/messages"), &shape(sent.clone(), now))
    });
    Ok(web::render_stored(app.create_message(&caller, station, &text, expires_in, once).await?))
}

//! GET /api/v1/stream

use axum::extract::State;
use domain::access::ReadInsights;
use web::{Caller, EdgeState, LastEventId, NoParams, OperationRouter, Result, problem, routes};

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(follow_stream))
}

/// Stream live events
///
/// Server-sent events that do not end: read them with `EventSource`, or line by line. Each event is a name and one line of JSON.
///
/// - `facts`: new facts. `seq` is the sequence number up to which `worksites` counts, `since` the one after which it begins, and each
///   worksite (null: none) has `incursions_added`, `incursions_changed` and `runtime_changed`. Its id is `seq`.
/// - `alerts`: `open`, all alarms that have not cleared, newest first.
/// - `progress`: `work`, your reports, exports and site reports that are unfinished or were finished in the last ten minutes, with
///   `type`, `id`, `state` and `percent`.
/// - `devices`: how many base stations are `online`, `faulty`, `silent` and `never_seen`, and the faulty and silent ones as
///   `base_stations`.
///
/// A stream begins with the current `alerts`, `progress` and `devices`, and then `facts`. With `Last-Event-ID`, which browsers send when
/// they connect again, `facts` counts what changed since then; if that is too long ago, `since` is later than the id. All but `facts` are
/// states: the newest replaces those before. `more` says that some are left out. Lines that begin with a colon keep the connection open.
///
/// If you see only some projects, you get what you see of them. The stream ends when you sign out, when your session ends, and when your
/// access changes. Fails with 503 `too_busy` if too many streams are open.
#[web::operation(
    get, path = "/api/v1/stream", tag = "stream", operation_id = "follow_stream",
    params(
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last `facts` event that you have got"),
    ),
    responses(
        (status = 200, description = "The events, as they happen.", body = String, content_type = "text/event-stream"),
        problem::BadParams,
    ),
)]
pub async fn follow_stream(
    State(EdgeState(edge)): State<EdgeState>,
    Caller(caller): Caller<ReadInsights>,
    _: NoParams,
    LastEventId(last_event_id): LastEventId,
) -> Result {
    web::event_stream_response(&edge, &caller, last_event_id).await
}

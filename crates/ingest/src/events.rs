//! POST /ingest/v1/events

use std::sync::Arc;

use app::{Error, EventOutcome};
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use domain::{Event, Invalid, TimeWindow};
use http::header;
use web::{DeferredBody, EdgeState, NoParams, OperationRouter, Reporter, json_response, routes};

use crate::batch::{self, Batch, BatchFormat};
use crate::content_coding::ContentCoding;
use crate::event_reader::EventRejection;
use crate::parser_permits::ParserPermits;

/// The maximum size of a body as sent.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// A body of this size is parsed on a blocking thread.
const LARGE_BODY_BYTES: usize = 32 * 1024;

/// The outcome of a batch.
#[web::answer]
struct IngestResult {
    /// Number of events that are now stored durably.
    #[schema(example = 998)]
    accepted: usize,
    /// Number of events that were stored before with the same content.
    #[schema(example = 1)]
    duplicates: usize,
    /// Events that were not stored, each with the reason.
    rejected: Vec<RejectedEvent>,
    /// Number of the brand's last change. Everything accepted is included in the changes up to it. Null if no event of the batch could be
    /// read.
    #[schema(example = 41_872)]
    seq: Option<i64>,
}

/// An event that was not stored.
#[web::answer]
struct RejectedEvent {
    /// Position of the event in the batch, starting at 0.
    #[schema(example = 7)]
    index: usize,
    /// The uid of the event, if it could be read.
    #[schema(example = "st-0042-0007")]
    uid: Option<String>,
    /// Stable code of the reason.
    #[schema(example = "bad_time")]
    code: &'static str,
    /// Explanation that names the fields with errors.
    #[schema(example = "started_at: is more than five minutes ahead")]
    detail: String,
}

pub fn routes() -> OperationRouter {
    OperationRouter::new().routes(routes!(ingest_events))
}

/// Send events
///
/// The body is a JSON array, or one JSON object per line (`application/x-ndjson`), uncompressed or compressed with gzip or zstd. It may
/// have at most 5,000 events, 8 MiB as sent and 64 MiB when decompressed. The response is sent once all accepted events are stored durably.
/// An invalid event does not affect the others. Events may be sent again in any order and in other batches; repeats change nothing.
#[web::operation(
    post,
    path = "/ingest/v1/events",
    tag = "devices",
    request_body(
        content(
            (Vec<crate::schema::Event> = "application/json"),
            (crate::schema::Event = "application/x-ndjson"),
        ),
        description = "The events of the batch."
    ),
    responses(
        (status = 200, description = "The batch was read; the answer says what happened to each event.", body = IngestResult),
        (status = 400, description = "The body is not valid JSON, or it does not match its Content-Encoding.", body = web::Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body has too many bytes or events.", body = web::Problem, content_type = "application/problem+json"),
        (status = 415, description = "The media type or the content coding is not supported.", body = web::Problem, content_type = "application/problem+json"),
        (status = 422, description = "The body is JSON, but not an array.", body = web::Problem, content_type = "application/problem+json"),
    )
)]
async fn ingest_events(
    State(EdgeState(edge)): State<EdgeState>,
    Reporter(reporter): Reporter,
    NoParams: NoParams,
    Extension(permits): Extension<Arc<ParserPermits>>,
    body: DeferredBody,
) -> web::Result<Response> {
    let coding = body.header(&header::CONTENT_ENCODING)?;
    let coding = ContentCoding::parse(coding.as_deref())?;
    let types = ["application/json", "application/x-ndjson"];
    let (media_type, received) = body.read_bytes_of(&types, MAX_BODY_BYTES).await?;
    let format = if media_type == types[0] { BatchFormat::Array } else { BatchFormat::Lines };
    let window = TimeWindow::for_devices(edge.app.clock.now());
    let is_small = coding == ContentCoding::Identity && received.len() < LARGE_BODY_BYTES;
    let read = move || coding.decoder(&received).and_then(|source| batch::read_batch(source, format, window));
    let batch = if is_small {
        read()?
    } else {
        let permit = permits.acquire(&reporter).await?;
        // The permit is held until the body is read, even if the device disconnects.
        let read = move || {
            let _place = permit;
            read()
        };
        tokio::task::spawn_blocking(read).await.map_err(Error::internal)??
    };
    let (sent, mut rejected) = partition(batch);
    let (mut accepted, mut duplicates, mut seq) = (0, 0, None);
    if !sent.events.is_empty() {
        let outcome = edge.app.ingest_events(&reporter, sent.events).await?;
        seq = Some(outcome.seq);
        for ((index, uid), verdict) in sent.positions.into_iter().zip(outcome.outcomes) {
            match verdict {
                EventOutcome::Accepted => accepted += 1,
                EventOutcome::Duplicate => duplicates += 1,
                EventOutcome::Rejected(invalid) => rejected.push(rejected_event(index, Some(uid), invalid)),
            }
        }
    }
    rejected.sort_unstable_by_key(|event| event.index);
    Ok(json_response(&IngestResult { accepted, duplicates, rejected, seq }))
}

/// The events that could be read, each with its position in the batch and its uid.
#[derive(Default)]
struct ParsedEvents {
    events: Vec<Event>,
    positions: Vec<(usize, String)>,
}

fn partition(batch: Batch) -> (ParsedEvents, Vec<RejectedEvent>) {
    let (mut sent, mut rejected) = (ParsedEvents::default(), Vec::new());
    for (index, read) in batch.into_iter().enumerate() {
        match read {
            Ok(event) => {
                sent.positions.push((index, event.uid.as_str().to_owned()));
                sent.events.push(event);
            }
            Err(EventRejection { uid, invalid }) => rejected.push(rejected_event(index, uid, invalid)),
        }
    }
    (sent, rejected)
}

fn rejected_event(index: usize, uid: Option<String>, invalid: Invalid) -> RejectedEvent {
    RejectedEvent { index, uid, code: invalid.code, detail: invalid.message.into_owned() }
}

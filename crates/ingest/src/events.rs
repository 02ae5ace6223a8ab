//! POST /ingest/v1/events.

use std::sync::Arc;

use app::{Error, EventOutcome};
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use domain::{Event, Invalid, TimeWindow};
use http::header;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::{DeferredBody, EdgeState, NoParams, Reporter, json_response};

use crate::batch::{self, Batch, BatchFormat};
use crate::content_coding::ContentCoding;
use crate::event_reader::EventRejection;
use crate::parser_permits::ParserPermits;

/// The most bytes of a body as it is sent.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// A body of this size is read elsewhere than where requests are answered.
const LARGE_BODY_BYTES: usize = 32 * 1024;

/// What became of a batch.
#[derive(Serialize, ToSchema)]
struct IngestResult {
    /// Events that are kept now, for good.
    #[schema(example = 998)]
    accepted: usize,
    /// Events of which everything was known.
    #[schema(example = 1)]
    duplicates: usize,
    /// Events that are not kept, and why.
    rejected: Vec<RejectedEvent>,
    /// The number of the brand's last change; everything accepted is at or before it. Null if nothing was looked at.
    #[schema(example = 41_872)]
    seq: Option<i64>,
}

/// An event that is not kept.
#[derive(Serialize, ToSchema)]
struct RejectedEvent {
    /// Its place in the batch, from 0.
    #[schema(example = 7)]
    index: usize,
    /// What it calls itself, if that could be read.
    #[schema(example = "st-0042-0007")]
    uid: Option<String>,
    /// Stable, for programs.
    #[schema(example = "bad_time")]
    code: &'static str,
    /// The fields at fault, in words.
    #[schema(example = "started_at: is more than five minutes ahead")]
    detail: String,
}

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new().routes(routes!(ingest_events))
}

/// Take in events
///
/// A JSON array, or one JSON object a line (`application/x-ndjson`), plain, gzip or zstd: at most 5,000 events, 8 MiB as sent and
/// 64 MiB expanded. Answered once everything accepted is kept for good. One bad event does not sink the others. The same events may
/// be sent again, in any order and in other batches; that changes nothing.
#[utoipa::path(
    post,
    path = "/ingest/v1/events",
    tag = "devices",
    security(("device_token" = [])),
    request_body(
        content(
            (Vec<crate::schema::Event> = "application/json"),
            (crate::schema::Event = "application/x-ndjson"),
        ),
        description = "The events"
    ),
    responses(
        (status = 200, body = IngestResult),
        (status = 400, description = "Broken JSON, or not what the encoding says", body = web::Problem, content_type = "application/problem+json"),
        (status = 401, description = "No or no good token", body = web::Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too many bytes or events", body = web::Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another type or encoding", body = web::Problem, content_type = "application/problem+json"),
        (status = 422, description = "JSON, but no array", body = web::Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too often", body = web::Problem, content_type = "application/problem+json"),
        (status = 503, description = "Too much at once; send it again", body = web::Problem, content_type = "application/problem+json"),
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
        // Until it is read, also if the device goes away meanwhile.
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

/// The events that could be read, each with its place in the batch and what it calls itself.
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

//! Live streams as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use app::LiveStream;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use domain::access::ReadInsights;
use futures_util::stream;
use http::{HeaderName, HeaderValue, header};

use crate::connection::streams::StreamPermit;
use crate::response::error::Result;
use crate::shapes::live_events::write_event;
use crate::state::Edge;

/// Time without an event after which a comment is sent. Proxies close connections on which nothing is sent, usually after a minute.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// Asks browsers to connect again after three seconds.
const RETRY: &str = "retry: 3000\n\n";
/// When a process stops, browsers are asked to connect again after half a second to about three, so that not all of them come at once.
const MIN_RECONNECT_MS: u64 = 500;
const RECONNECT_STEP_MS: u64 = 10;
const HEARTBEAT: &str = ":\n\n";

/// Tells nginx not to collect events before it passes them on.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The body of a live stream. It is asked for events only when the connection takes more bytes, so nothing waits in memory.
struct EventBody {
    events: LiveStream,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_first: bool,
    has_stopped: bool,
    reconnect_ms: u64,
    _permit: StreamPermit,
}

impl EventBody {
    /// Returns the next bytes. None ends the stream: the caller's access has ended or changed, or the process stops. In this case the last
    /// bytes say when to connect again.
    async fn next(&mut self) -> Option<Bytes> {
        if self.has_stopped {
            return None;
        }
        let mut text = String::new();
        if std::mem::take(&mut self.is_first) {
            text.push_str(RETRY);
        }
        tokio::select! {
            biased;
            () = &mut self.stop => {
                self.has_stopped = true;
                return Some(format!("retry: {}\n\n", self.reconnect_ms).into());
            }
            events = self.events.next() => {
                for event in events? {
                    write_event(&mut text, event);
                }
            }
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => text.push_str(HEARTBEAT),
        }
        Some(text.into())
    }
}

/// Opens a live stream for a caller, after the last event that they have got.
pub async fn event_stream_response(
    edge: &Edge,
    caller: &app::Caller<ReadInsights>,
    last_event_id: Option<i64>,
) -> Result {
    let permit = edge.streams.acquire(&caller.identity)?;
    let events = edge.app.open_live_stream(caller, last_event_id).await?;
    let step = u64::from(edge.app.random.bytes::<1>()[0]);
    let body = EventBody {
        events,
        stop: Box::pin(edge.stream_end()),
        is_first: true,
        has_stopped: false,
        reconnect_ms: MIN_RECONNECT_MS + step * RECONNECT_STEP_MS,
        _permit: permit,
    };
    let pieces = stream::unfold(body, |mut body| async move {
        let bytes = body.next().await?;
        Some((Ok::<_, Infallible>(bytes), body))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

//! Reads a live stream, event by event.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;

/// The longest wait for an event, or for the end. The service looks every second.
const TIMEOUT: Duration = Duration::from_secs(120);

/// An open live stream.
pub struct EventReader {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Body,
    unread: String,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveEvent {
    pub name: String,
    pub id: Option<String>,
    pub data: Value,
}

impl EventReader {
    pub(crate) fn new(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        Self { status: parts.status, headers: parts.headers, body, unread: String::new() }
    }

    /// Returns the next event, without comments; none at the end of the stream.
    pub async fn next(&mut self) -> Option<LiveEvent> {
        loop {
            while let Some((block, rest)) = self.unread.split_once("\n\n") {
                let event = parse_event(block);
                self.unread = rest.to_owned();
                if event.is_some() {
                    return event;
                }
            }
            let frame = tokio::time::timeout(TIMEOUT, self.body.frame()).await.expect("an event in time")?;
            let bytes = frame.expect("a frame").into_data().expect("data");
            self.unread.push_str(std::str::from_utf8(&bytes).expect("text"));
        }
    }

    /// Returns the data of the next event of this name, and skips the others.
    pub async fn next_of(&mut self, name: &str) -> Value {
        self.wait_for(name, |_| true).await
    }

    /// Returns the data of the first event of this name that fits, and skips all before.
    pub async fn wait_for(&mut self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("the stream ended before {name}"));
            if event.name == name && fits(&event.data) {
                return event.data;
            }
        }
    }

    /// Reads the current state with which a stream begins, and returns the four events.
    pub async fn begin(&mut self) -> Vec<LiveEvent> {
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &LiveEvent| event.name != "facts") {
            events.push(self.next().await.expect("the first events"));
        }
        events
    }

    /// Waits for the end of the stream.
    pub async fn wait_for_end(mut self) {
        while self.next().await.is_some() {}
    }
}

/// Reads an event. A block without data, such as a comment, is none.
fn parse_event(block: &str) -> Option<LiveEvent> {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| *known == name).map(|(_, value)| value.to_owned()).next()
    };
    let data = serde_json::from_str(&field("data")?).expect("JSON");
    Some(LiveEvent { name: field("event").expect("a name"), id: field("id"), data })
}

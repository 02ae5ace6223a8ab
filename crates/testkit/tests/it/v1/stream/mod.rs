//! GET /api/v1/stream

mod draining;
mod ending;
mod events;
mod resuming;

use std::collections::BTreeMap;

use serde_json::Value;
use testkit::{Account, EventReader, TestApp};

const PATH: &str = "/api/v1/stream";

/// Opens a stream.
async fn open(app: &TestApp, user: &Account) -> EventReader {
    let stream = app.get(PATH).cookie(&user.cookie).open().await;
    assert_eq!(stream.status, 200);
    stream
}

/// Opens a stream after an event that was got before.
async fn resume(app: &TestApp, user: &Account, last_event_id: &str) -> EventReader {
    let call = app.get(PATH).cookie(&user.cookie).header("last-event-id", last_event_id);
    let stream = call.open().await;
    assert_eq!(stream.status, 200);
    stream
}

/// Reads the first events, and returns the facts among them with their id.
async fn begin(stream: &mut EventReader) -> (Value, String) {
    let facts = stream.begin().await.pop().unwrap();
    (facts.data, facts.id.unwrap())
}

/// Adds the new incursions of an event to the sums by worksite; 0 stands for none.
fn add_incursions(sums: &mut BTreeMap<i64, i64>, facts: &Value) {
    for site in facts["worksites"].as_array().unwrap() {
        let added = site["incursions_added"].as_i64().unwrap();
        *sums.entry(site["worksite_id"].as_i64().unwrap_or(0)).or_default() += added;
    }
}

/// Reads facts until there are as many new incursions as expected, beginning with an event that was read before. Returns them by worksite.
async fn sum_incursions(
    stream: &mut EventReader,
    first: Option<&Value>,
    expected: i64,
) -> BTreeMap<i64, i64> {
    let mut sums = BTreeMap::new();
    if let Some(facts) = first {
        add_incursions(&mut sums, facts);
    }
    while sums.values().sum::<i64>() < expected {
        add_incursions(&mut sums, &stream.next_of("facts").await);
    }
    sums
}

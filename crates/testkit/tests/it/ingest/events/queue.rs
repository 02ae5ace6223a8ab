//! The limit of the ingest queue.

use std::sync::Arc;

use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};

use super::{BerlinYard, incursion, send};

on_both_engines!(what_finds_no_room_is_asked_to_come_again);

async fn what_finds_no_room_is_asked_to_come_again(app: TestApp) {
    let yard = Arc::new(BerlinYard::set_up(app).await);
    // This transaction blocks all writes to the brand's facts.
    let scope = yard.store_and_scope().await.1;
    let mut tx = yard.app.app.store.begin().await.unwrap();
    tx.lock_and_allocate_seq(&scope, 1).await.unwrap();
    let batch = |round: usize| -> Value { (0..5_000).map(|n| incursion(&format!("{round} {n}"))).collect() };
    let mut waiting = Vec::new();
    for round in 0..9 {
        let (yard, events) = (Arc::clone(&yard), batch(round));
        waiting.push(tokio::spawn(async move { send(&yard.app, &yard.station, events).await }));
    }
    // Eight batches get a slot, whichever they are.
    let refused = loop {
        if let Some(place) = waiting.iter().position(tokio::task::JoinHandle::is_finished) {
            break waiting.remove(place).await.unwrap();
        }
        tokio::task::yield_now().await;
    };
    let refused = refused.expect(503);
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("intake_full", "1"));
    drop(tx);
    let mut accepted = 0;
    for reply in waiting {
        accepted += reply.await.unwrap().expect(200).json()["accepted"].as_u64().unwrap();
    }
    assert_eq!(accepted, 40_000);
    assert_eq!(testkit::count_rows(yard.app.database()).await["incursions"], 40_000);
    assert_eq!(yard.send_accepted(json!([incursion("after")])).await, (1, 0));
}

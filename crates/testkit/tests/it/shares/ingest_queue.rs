//! Fair share of the slots in the ingest queue.

use std::sync::Arc;

use domain::DeviceKind;
use serde_json::{Value, json};
use store::Projects;
use testkit::{Engine, Reply, on_both_engines};
use tokio::task::JoinSet;

use super::TwoBrands;

on_both_engines!(a_brand_that_floods_leaves_room_to_another);

fn batch(name: &str, events: usize) -> Value {
    let event = |n: usize| {
        json!({ "kind": "log", "uid": format!("{name} {n}"), "at": "2026-03-01T11:00:00Z", "code": "x",
            "severity": "info", "text": "y", "base_station": "ST-1" })
    };
    (0..events).map(event).collect()
}

async fn send(brands: &TwoBrands, token: &str, events: Value) -> Reply {
    brands.app.post("/ingest/v1/events").bearer(token).json(&events).send().await
}

async fn a_brand_that_floods_leaves_room_to_another(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.database.acquire_timeout_s = 60).await;
    let mut tokens = Vec::new();
    for brand in ["Greedy", "Modest"] {
        of.app.issue_token(brand, DeviceKind::Station, "ST-1").await;
        tokens.push(of.app.issue_token(brand, DeviceKind::Gateway, "Yard").await);
    }
    let second = of.app.issue_token("Greedy", DeviceKind::Gateway, "Gate").await;
    // This transaction blocks writes to the facts of both brands.
    let (_, platform) = of.app.database().open().await;
    let mut tx = of.app.app.store.begin().await.unwrap();
    for brand in ["Greedy", "Modest"] {
        let scope = platform.scope(of.app.ensure_brand(brand).await.id, Projects::All);
        tx.lock_and_allocate_seq(&scope, 1).await.unwrap();
    }
    let mut sent = JoinSet::new();
    for number in 0..14 {
        let token = if number % 2 == 0 { tokens[0].clone() } else { second.clone() };
        let of = Arc::clone(&of);
        sent.spawn(async move { send(&of, &token, batch(&number.to_string(), 5_000)).await });
    }
    // Nine batches get a slot, whichever they are.
    for _ in 0..5 {
        let refused = sent.join_next().await.unwrap().unwrap().expect(503);
        assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("intake_full", "1"));
    }
    let modest = {
        let (of, token) = (Arc::clone(&of), tokens[1].clone());
        tokio::spawn(async move { send(&of, &token, batch("modest", 5_000)).await })
    };
    while of.app.app.ingest_state().queued < 50_000 {
        assert!(!modest.is_finished(), "the modest one is refused");
        tokio::task::yield_now().await;
    }
    drop(tx);
    assert_eq!(modest.await.unwrap().expect(200).json()["accepted"], 5_000);
    while let Some(reply) = sent.join_next().await {
        reply.unwrap().expect(200);
    }
}

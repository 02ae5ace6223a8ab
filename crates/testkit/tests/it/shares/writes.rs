//! Fair share of write transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use serde_json::json;
use store::Projects;
use testkit::{Engine, on_both_engines};
use tokio::task::JoinSet;

use super::TwoBrands;

on_both_engines!(a_flood_of_writes_is_not_waited_for, writes_that_are_stuck_leave_a_turn_to_another_brand);

const WRITES: usize = 60;

/// Starts writes of the greedy brand and counts those that have ended.
fn start_flood(brands: &Arc<TwoBrands>) -> (JoinSet<()>, Arc<AtomicUsize>) {
    let (mut writes, ended) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
    for number in 0..WRITES {
        let (of, ended) = (Arc::clone(brands), Arc::clone(&ended));
        writes.spawn(async move {
            let person = json!({ "name": format!("Person {number}"), "kind": "staff" });
            let reply = of.send(number, Method::POST, "/api/v1/people", &person).await;
            assert!([201, 503].contains(&reply.status.as_u16()), "{}", reply.json());
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }
    (writes, ended)
}

async fn a_flood_of_writes_is_not_waited_for(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.database.acquire_timeout_s = 30).await;
    // No other transaction can write while this is open; on PostgreSQL, one fewer can.
    let open = of.app.app.store.begin().await.unwrap();
    let (mut writes, ended) = start_flood(&of);
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
    }
    let modest = {
        let of = Arc::clone(&of);
        tokio::spawn(async move {
            let person = json!({ "name": "Mia", "kind": "staff" });
            of.app.post("/api/v1/people").cookie(&of.modest.cookie).json(&person).send().await.expect(201);
        })
    };
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    let before = ended.load(Ordering::Relaxed);
    drop(open);
    modest.await.unwrap();
    let meanwhile = ended.load(Ordering::Relaxed) - before;
    assert!(meanwhile < WRITES / 2, "{meanwhile} writes of the greedy one went before");
    while let Some(ended) = writes.join_next().await {
        ended.unwrap();
    }
}

async fn writes_that_are_stuck_leave_a_turn_to_another_brand(engine: Engine) {
    if engine == Engine::Sqlite {
        // SQLite has one writer, and it has nothing to wait for.
        return;
    }
    let of = TwoBrands::start(engine, |_| {}).await;
    // As another process would, this locks the greedy brand's row.
    let (store, platform) = of.app.database().open().await;
    let scope = platform.scope(of.app.ensure_brand("Greedy").await.id, Projects::All);
    let mut tx = store.begin().await.unwrap();
    tx.lock_and_allocate_seq(&scope, 1).await.unwrap();
    let (mut writes, _) = start_flood(&of);
    for number in 0..10 {
        let person = json!({ "name": format!("Mia {number}"), "kind": "staff" });
        let reply = of.app.post("/api/v1/people").cookie(&of.modest.cookie).json(&person).send();
        reply.await.expect(201);
    }
    drop(tx);
    while let Some(ended) = writes.join_next().await {
        ended.unwrap();
    }
}

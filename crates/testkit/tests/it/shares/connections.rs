//! Connections that ordinary reads take.

use http::Method;
use serde_json::Value;
use testkit::{Engine, on_both_engines, slow_down};

use super::{Greed, Neighbours};

on_both_engines!(slow_reads_of_one_brand_leave_connections_to_another, a_user_leaves_some_to_the_brand);

async fn slow_reads_of_one_brand_leave_connections_to_another(engine: Engine) {
    let of = Neighbours::start(engine, |_| {}).await;
    slow_down(of.app.database(), "machines").await;
    let greed = Greed::begin(&of, 20, &Method::GET, "/api/v1/machines", &Value::Null);
    greed.until_refused().await;
    of.modest_reads(30).await;
    assert!(greed.end().await > 0, "the greedy one gets its share too");
}

async fn a_user_leaves_some_to_the_brand(engine: Engine) {
    let of = Neighbours::start(engine, |_| {}).await;
    slow_down(of.app.database(), "machines").await;
    // Calls with even numbers are the first user's.
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let of = std::sync::Arc::clone(&of);
        calls.spawn(async move { of.send(0, Method::GET, "/api/v1/machines", &Value::Null).await.status });
    }
    // Once the first is refused, the others have all that one user can have.
    while calls.join_next().await.unwrap().unwrap() != 503 {}
    for _ in 0..10 {
        of.send(1, Method::GET, "/api/v1/people", &Value::Null).await.expect(200);
    }
    calls.shutdown().await;
}

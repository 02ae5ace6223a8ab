//! Fair share of the database connections for ordinary reads.

use std::sync::Arc;
use std::time::Duration;

use domain::{Role, Span};
use http::Method;
use serde_json::{Value, json};
use testkit::{Engine, block_reads, block_writes, on_both_engines, slow_down_reads};
use tokio::task::JoinSet;

use super::{NoisyNeighbour, TwoBrands};

on_both_engines!(
    slow_reads_of_one_brand_leave_connections_to_another,
    a_user_leaves_some_to_the_brand,
    callers_who_hang_up_keep_their_connections_until_the_engine_is_done,
    strangers_do_not_hold_up_who_is_known,
    links_that_are_over_need_one_connection_at_a_time,
);

async fn slow_reads_of_one_brand_leave_connections_to_another(engine: Engine) {
    let of = TwoBrands::start(engine, |_| {}).await;
    slow_down_reads(of.app.database(), "machines").await;
    let greed = NoisyNeighbour::start(&of, 20, &Method::GET, "/api/v1/machines", &Value::Null);
    greed.wait_until_refused().await;
    of.assert_modest_reads(30).await;
    assert!(greed.stop().await > 0, "the greedy one gets its share too");
}

async fn a_user_leaves_some_to_the_brand(engine: Engine) {
    let of = TwoBrands::start(engine, |_| {}).await;
    slow_down_reads(of.app.database(), "machines").await;
    // Even calls are those of the first user.
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let of = Arc::clone(&of);
        calls.spawn(async move { of.send(0, Method::GET, "/api/v1/machines", &Value::Null).await.status });
    }
    // When the first call is refused, the others hold everything that one user can get.
    while calls.join_next().await.unwrap().unwrap() != 503 {}
    for _ in 0..10 {
        of.send(1, Method::GET, "/api/v1/people", &Value::Null).await.expect(200);
    }
    calls.shutdown().await;
}

/// A database finishes a statement even after the caller has disconnected; until then its connection is in use.
async fn callers_who_hang_up_keep_their_connections_until_the_engine_is_done(engine: Engine) {
    let of = TwoBrands::start(engine, |_| {}).await;
    let held = block_reads(of.app.database(), "machines").await;
    // Each time more calls than the brand has permits.
    for _ in 0..4 {
        let mut calls = JoinSet::new();
        for number in 0..12 {
            let of = Arc::clone(&of);
            calls.spawn(async move {
                let gone = of.send(number, Method::GET, "/api/v1/machines", &Value::Null);
                let _ = tokio::time::timeout(Duration::from_millis(200), gone).await;
            });
        }
        while calls.join_next().await.is_some() {}
    }
    of.assert_modest_reads(10).await;
    drop(held);
    // All connections are released in the end.
    while of.send(0, Method::GET, "/api/v1/people", &Value::Null).await.status != 200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn strangers_do_not_hold_up_who_is_known(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.limits.login_per_minute = web::Quota(10_000)).await;
    // On SQLite, only statements that find rows are slow.
    let path = "/account/password_resets";
    let body = json!({ "email": of.modest.email });
    of.app.post(path).json(&body).send().await.expect(200);
    of.app.run_jobs().await;
    let held = block_reads(of.app.database(), "account_links").await;
    let mut strangers = JoinSet::new();
    for number in 0..60 {
        let of = Arc::clone(&of);
        strangers.spawn(async move {
            let request =
                of.app.post(&format!("{path}/guess{number}")).with_address(&format!("192.0.2.{number}"));
            request.json(&json!({ "password": "seven grey otters row" })).send().await.status
        });
    }
    // When one call is refused, the others hold everything that anonymous callers can get.
    while strangers.join_next().await.unwrap().unwrap() != 503 {}
    // Looked up each time, because nothing is cached for so long.
    for _ in 0..5 {
        of.app.clock.advance(Span::minutes(2));
        of.assert_modest_reads(1).await;
    }
    drop(held);
    strangers.shutdown().await;
}

/// A request for an expired link records that. It must not hold its read connection meanwhile, because a second connection of a request
/// does not count against its share.
async fn links_that_are_over_need_one_connection_at_a_time(engine: Engine) {
    let of = TwoBrands::start(engine, |config| config.limits.login_per_minute = web::Quota(10_000)).await;
    let path = "/account/password_resets";
    let mut links = Vec::new();
    for number in 0..12 {
        let email = format!("user{number}@example.com");
        of.app.create_user_in_brand("Greedy", &email, Role::Member).await;
        of.app.post(path).json(&json!({ "email": email })).send().await.expect(200);
        of.app.run_jobs().await;
        links.extend(crate::account::links(&of.app, &email));
    }
    of.app.clock.advance(Span::minutes(60));
    let held = block_writes(of.app.database(), "account_links").await;
    let mut looks = JoinSet::new();
    for (number, link) in links.into_iter().enumerate() {
        let of = Arc::clone(&of);
        looks.spawn(async move {
            let request = of.app.post(&link).with_address(&format!("192.0.2.{number}"));
            request.json(&json!({ "password": "seven grey otters row" })).send().await.status
        });
    }
    // Until the first of them is answered, or refused because others wait.
    let store = &of.app.app.store;
    let mut most = 0;
    while looks.try_join_next().is_none() {
        let state = store.pool_state();
        most = most.max(state.open.saturating_sub(state.idle));
        tokio::task::yield_now().await;
    }
    assert!(most <= 6, "anonymous callers have {most} connections, more than their share");
    of.assert_modest_reads(5).await;
    drop(held);
    while let Some(status) = looks.join_next().await {
        assert!([404, 503].contains(&status.unwrap().as_u16()));
    }
}

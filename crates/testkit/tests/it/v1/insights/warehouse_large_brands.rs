//! Brands whose columns exceed the memory limit of a brand, where a warehouse is configured.

use std::time::Duration;

use domain::{BaseStationId, BrandId, Role, TagId, Timestamp};
use serde_json::Value;
use testkit::{Account, Engine, TestApp, on_both_engines};
use warehouse::Cluster;

use super::Yard;
use super::columns::{add_many, busy_yard, query};
use super::warehouse::{Follower, double_incursions};
use crate::warehouse::{config_of, shared_nodes};

on_both_engines!(
    a_brand_that_does_not_fit_goes_to_the_warehouse_by_itself,
    a_brand_that_was_too_large_is_not_loaded_after_a_restart,
);

/// Starts with the smallest memory limit of a brand, and two nodes.
async fn small_memory_yard(engine: Engine) -> Yard {
    let [first, second] = shared_nodes();
    let app = TestApp::start_with(engine, |config| {
        config.analytics.max_memory_per_brand_mb = 1;
        config.analytics.column_wait_timeout_ms = 60_000;
        config.analytics.warehouse = config_of(&[(1, first), (2, second)]);
    });
    busy_yard(app.await).await
}

/// Waits until both nodes are filled with the first brand, at most a minute.
async fn wait_until_filled(app: &TestApp) {
    let [first, second] = shared_nodes();
    let cluster = Cluster::new(&config_of(&[(1, first), (2, second)])).unwrap().unwrap();
    for node in cluster.nodes() {
        let is_filled = async || {
            let copies = cluster.copies(node, app.app.store_id()).await.unwrap();
            let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1));
            let Some(copy) = copy else { return false };
            matches!(cluster.applied(node, copy).await, Ok(Some(_)))
        };
        let mut tries = 0;
        while !is_filled().await {
            tries += 1;
            assert!(tries < 3_000, "a node is not filled");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Asks again as the answer says: on a busy machine a node may be filled while a question still waits for it.
async fn query_patiently(app: &TestApp, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    for _ in 0..60 {
        let reply = app.get(&path).cookie(&user.cookie).send().await;
        if reply.status == 200 {
            return reply.json();
        }
        let refused = reply.expect(503);
        assert_eq!(refused.code(), "numbers_behind");
        let wait_s = refused.header("retry-after").parse().unwrap();
        tokio::time::sleep(Duration::from_secs(wait_s)).await;
    }
    panic!("the numbers stayed behind");
}

async fn a_brand_that_does_not_fit_goes_to_the_warehouse_by_itself(engine: Engine) {
    const ALL: &str = "/totals?from=2022-01-01";
    let yard = small_memory_yard(engine).await;
    add_many(&yard.app, 40_000).await;
    let small = yard.app.sign_in_new_user_in_brand("Small", "bob@example.com", Role::Admin).await;
    let facts = yard.app.facts("Small").await;
    let at = Timestamp::parse("2026-02-27T10:00:00Z").unwrap();
    let row = || facts.incursion(BaseStationId(1), TagId(1), at);
    facts.add_incursions((0..20).map(|_| row()).collect()).await;
    let count = async |user: &Account| {
        query_patiently(&yard.app, user, ALL).await["metrics"]["incursions"]["value"].as_i64().unwrap()
    };
    let _follower = Follower::start(&yard.app);
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = app::Engine::Sql).await;
    let expected = query(&by_rows, &yard.admin, ALL).await;
    // The columns turn out not to fit, and the copy that the question asks for is not filled yet.
    assert_eq!(query_patiently(&yard.app, &yard.admin, ALL).await, expected);
    assert_eq!((count(&yard.admin).await, count(&small).await), (40_300, 20));
    wait_until_filled(&yard.app).await;
    assert_eq!(query(&yard.app, &yard.admin, ALL).await, expected);
    // Rows that only the copy has show that it answers, and the small brand has none.
    let [first, second] = shared_nodes();
    double_incursions(&[(1, first), (2, second)], yard.app.app.store_id()).await;
    assert_eq!((count(&yard.admin).await, count(&small).await), (80_600, 20));
    let copies = "select cast(brand_id as text) from warehouse_copies";
    assert_eq!(testkit::query_raw_sql(yard.app.database(), copies).await, ["1"]);
    assert_eq!(yard.app.app.column_cache_stats().0, 1);
}

async fn a_brand_that_was_too_large_is_not_loaded_after_a_restart(engine: Engine) {
    let yard = small_memory_yard(engine).await;
    add_many(&yard.app, 16_000).await;
    // So close to the limit that the columns are loaded only because there is no copy.
    let expected = query(&yard.app, &yard.admin, "/totals").await;
    assert_eq!(yard.app.app.column_cache_stats().0, 1);
    // Both engines use the same nodes.
    let token = if engine == Engine::Sqlite { 7_001 } else { 7_002 };
    let add = format!("insert into warehouse_copies (brand_id, token, leased_until) values (1, {token}, 0)");
    testkit::execute_raw_sql(yard.app.database(), &add).await.unwrap();
    // The copy is not filled yet, so that SQL answers.
    let restarted = yard.app.second_instance_with(|_| {}).await;
    assert_eq!(query(&restarted, &yard.admin, "/totals").await, expected);
    assert_eq!(restarted.app.column_cache_stats().0, 0);
    // Once it is filled it answers, also after a restart. Rows that only the copy has show that it did.
    let [first, second] = shared_nodes();
    let _follower = Follower::start(&yard.app);
    wait_until_filled(&yard.app).await;
    double_incursions(&[(1, first), (2, second)], yard.app.app.store_id()).await;
    let restarted = yard.app.second_instance_with(|_| {}).await;
    let doubled = query(&restarted, &yard.admin, "/totals").await["metrics"]["incursions"]["value"].as_i64();
    let once = expected["metrics"]["incursions"]["value"].as_i64().unwrap();
    assert_eq!((doubled, restarted.app.column_cache_stats().0), (Some(2 * once), 0));
}

//! A warehouse whose nodes are silent, hold rows that nobody knows, or were never filled.

use std::net::TcpListener;
use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use domain::{BrandId, Span};
use serde_json::json;
use testbed::ClickHouseNode;
use testkit::{Engine, TestApp, on_both_engines};
use warehouse::{Cluster, Config, FactTable, NodeConfig};

use super::Yard;
use super::columns::{add_many, busy_yard, query};
use super::warehouse::{Followed, dismiss};
use crate::warehouse::{config_of, run_statement, shared_nodes};

on_both_engines!(
    a_replica_that_never_answers_holds_nobody_up,
    a_replica_that_answers_slowly_holds_nobody_up,
    rows_that_a_node_has_before_it_is_filled_are_not_counted,
    a_copy_that_was_never_complete_is_behind,
    a_brand_that_was_too_large_is_not_loaded_after_a_restart,
);

fn node_at(address: &str) -> NodeConfig {
    NodeConfig { shard: 1, url: format!("http://{address}"), native: String::new() }
}

async fn a_replica_that_never_answers_holds_nobody_up(engine: Engine) {
    // As a machine that is frozen: it can be connected to, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut nodes = config_of(&[(1, &shared_nodes()[0])]);
    nodes.nodes.push(node_at(&silent.local_addr().unwrap().to_string()));
    let followed = Followed::on_nodes(engine, nodes).await;
    for round in 1..=6 {
        dismiss(&followed.yard, round).await;
        assert_eq!(followed.count().await, json!(120 - round));
    }
}

/// Starts what passes everything on to a node after a while, as one whose disk is slow, and returns its address.
async fn start_slow(node: &ClickHouseNode) -> String {
    const EXCEPTION: &str = "x-clickhouse-exception-code";
    let (http, url) = (reqwest::Client::new(), node.url());
    let pass_on = Router::new().fallback(move |uri: Uri, body: Bytes| {
        let request = http.post(format!("{url}{uri}")).body(body);
        let request = request.header("X-ClickHouse-User", ClickHouseNode::USER);
        let request = request.header("X-ClickHouse-Key", ClickHouseNode::PASSWORD);
        async move {
            tokio::time::sleep(Duration::from_millis(600)).await;
            let answered = request.send().await.unwrap();
            let mut headers = HeaderMap::new();
            if let Some(code) = answered.headers().get(EXCEPTION) {
                headers.insert(EXCEPTION, code.clone());
            }
            (answered.status(), headers, answered.bytes().await.unwrap())
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        axum::serve(listener, pass_on).await.unwrap();
    });
    address
}

async fn a_replica_that_answers_slowly_holds_nobody_up(engine: Engine) {
    let [first, second] = shared_nodes();
    let mut nodes = config_of(&[(1, first)]);
    nodes.nodes.push(node_at(&start_slow(second).await));
    let followed = Followed::on_nodes(engine, nodes).await;
    for round in 1..=4 {
        dismiss(&followed.yard, round).await;
        assert_eq!(followed.count().await, json!(120 - round));
    }
}

/// As after a fill that failed, of changes that the database has lost since.
async fn rows_that_a_node_has_before_it_is_filled_are_not_counted(engine: Engine) {
    let followed = Followed::new(engine).await;
    let [first, second] = shared_nodes();
    let cluster = Cluster::new(&config_of(&[(1, first), (2, second)])).unwrap().unwrap();
    for (id, node) in cluster.nodes().zip([first, second]) {
        let copies = cluster.copies(id, followed.yard.app.app.store_id()).await.unwrap();
        let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
        let incursions = copy.table(FactTable::Incursions);
        let lost =
            format!("insert into {incursions} select * replace (id + 1000000 as id) from {incursions}");
        run_statement(node, lost).await;
        let applied = incursions.replace("incursions", "applied");
        run_statement(node, format!("truncate table {applied}")).await;
    }
    followed.wait().await;
    assert_eq!(followed.count().await, json!(120));
}

async fn a_copy_that_was_never_complete_is_behind(engine: Engine) {
    let app = TestApp::start_with(engine, |config| {
        config.analytics.engine = AnalyticsEngine::Warehouse;
        // Nobody listens there.
        config.analytics.warehouse = Config { nodes: vec![node_at("127.0.0.1:9")], ..config_of(&[]) };
    })
    .await;
    let yard = Yard::new(app).await;
    let mut followers = yard.app.app.warehouse_followers("a worker").unwrap();
    followers.tick().await.unwrap();
    yard.app.clock.advance(Span::seconds(2));
    followers.tick().await.unwrap();
    let lag = yard.app.app.feed_lags().find(|(feed, _)| *feed == Feed::Warehouse).map(|(_, lag)| lag);
    assert_eq!(lag, Some(Span::seconds(2)));
}

async fn a_brand_that_was_too_large_is_not_loaded_after_a_restart(engine: Engine) {
    let [first, second] = shared_nodes();
    let app = TestApp::start_with(engine, |config| {
        config.analytics.max_memory_per_brand_mb = 1;
        config.analytics.column_wait_timeout_ms = 60_000;
        config.analytics.warehouse = config_of(&[(1, first), (2, second)]);
    })
    .await;
    let yard = busy_yard(app).await;
    add_many(&yard, 16_000).await;
    // So close to the limit that the columns are loaded only because there is no copy.
    let expected = query(&yard.app, &yard.admin, "/totals").await;
    assert_eq!(yard.app.app.column_cache_stats().0, 1);
    let copy = "insert into warehouse_copies (brand_id, token, leased_until) values (1, 1, 0)";
    testkit::execute_raw_sql(yard.app.database(), copy).await.unwrap();
    // The copy is not filled yet, so that SQL answers.
    let restarted = yard.app.second_instance_with(|_| {}).await;
    assert_eq!(query(&restarted, &yard.admin, "/totals").await, expected);
    assert_eq!(restarted.app.column_cache_stats().0, 0);
}

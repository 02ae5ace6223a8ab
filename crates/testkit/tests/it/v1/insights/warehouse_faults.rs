//! A warehouse whose nodes are silent, hold rows that nobody knows, or were never filled.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Uri};
use domain::{BrandId, Span};
use serde_json::json;
use testbed::ClickHouseNode;
use testkit::{Engine, TestApp, on_both_engines};
use warehouse::{Cluster, Config, CopyId, FactTable, NodeConfig};

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

/// What passes everything on to a node after a while, as one whose disk is slow.
struct SlowNode {
    address: String,
    delay_ms: Arc<AtomicU64>,
    /// How often rows were sent to it.
    inserts: Arc<AtomicUsize>,
}

impl SlowNode {
    /// Starts it. It passes on at once until it is made slow.
    async fn start(node: &ClickHouseNode) -> Self {
        const EXCEPTION: &str = "x-clickhouse-exception-code";
        let (delay_ms, inserts) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicUsize::new(0)));
        let (delay, counted) = (Arc::clone(&delay_ms), Arc::clone(&inserts));
        let (http, url) = (reqwest::Client::new(), node.url());
        let pass_on = Router::new().fallback(move |uri: Uri, body: Bytes| {
            let request = http.post(format!("{url}{uri}")).body(body);
            let request = request.header("X-ClickHouse-User", ClickHouseNode::USER);
            let request = request.header("X-ClickHouse-Key", ClickHouseNode::PASSWORD);
            let is_insert = uri.query().is_some_and(|query| query.contains("query=insert"));
            counted.fetch_add(usize::from(is_insert), Ordering::SeqCst);
            let delay = Duration::from_millis(delay.load(Ordering::SeqCst));
            async move {
                tokio::time::sleep(delay).await;
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
        Self { address, delay_ms, inserts }
    }

    fn make_slow(&self, delay_ms: u64) {
        self.delay_ms.store(delay_ms, Ordering::SeqCst);
    }

    fn inserts(&self) -> usize {
        self.inserts.load(Ordering::SeqCst)
    }
}

/// Waits until all nodes are equally far with the copy of the first brand.
async fn wait_until_equal(cluster: &Cluster, store_id: &str) {
    let seq = async |node| {
        let copies = cluster.copies(node, store_id).await.unwrap();
        let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1))?;
        cluster.applied(node, copy).await.unwrap().map(|applied| applied.seq)
    };
    loop {
        let mut seqs = Vec::new();
        for node in cluster.nodes() {
            seqs.push(seq(node).await);
        }
        if seqs.iter().all(|of| of.is_some() && *of == seqs[0]) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn a_replica_that_answers_slowly_holds_nobody_up(engine: Engine) {
    let [first, second] = shared_nodes();
    let (fast, slow) = (SlowNode::start(first).await, SlowNode::start(second).await);
    let nodes = Config { nodes: vec![node_at(&fast.address), node_at(&slow.address)], ..config_of(&[]) };
    let cluster = Cluster::new(&nodes).unwrap().unwrap();
    let followed = Followed::on_nodes(engine, nodes).await;
    let dismiss_and_count = async |round: i64| {
        dismiss(&followed.yard, round).await;
        assert_eq!(followed.count().await, json!(120 - round));
    };
    // A node that gets the change after one that it has got already follows.
    for round in 1..=2 {
        dismiss_and_count(round).await;
        wait_until_equal(&cluster, followed.yard.app.app.store_id()).await;
    }
    // A step is three statements, for which a question does not wait.
    slow.make_slow(1_500);
    for round in 3..=4 {
        dismiss_and_count(round).await;
    }
    // It rests: the step of the last round began after it was left out.
    let before = slow.inserts();
    for round in 5..=10 {
        dismiss_and_count(round).await;
    }
    assert_eq!(slow.inserts(), before);
    // Without the other it is needed.
    slow.make_slow(300);
    fast.make_slow(3_600_000);
    dismiss(&followed.yard, 11).await;
    followed.wait().await;
    assert_eq!(followed.count().await, json!(109));
    assert!(slow.inserts() > before);
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
    // Both engines use the same nodes.
    let copy = CopyId { brand: BrandId(1), token: if engine == Engine::Sqlite { 7_001 } else { 7_002 } };
    let add =
        format!("insert into warehouse_copies (brand_id, token, leased_until) values (1, {}, 0)", copy.token);
    testkit::execute_raw_sql(yard.app.database(), &add).await.unwrap();
    // The copy is not filled yet, so that SQL answers.
    let restarted = yard.app.second_instance_with(|_| {}).await;
    assert_eq!(query(&restarted, &yard.admin, "/totals").await, expected);
    assert_eq!(restarted.app.column_cache_stats().0, 0);
    // Once it is filled it answers, also after a restart. Rows that only the copy has show that it did.
    let cluster = Cluster::new(&config_of(&[(1, first), (2, second)])).unwrap().unwrap();
    let mut followers = yard.app.app.warehouse_followers("a worker").unwrap();
    for (id, node) in cluster.nodes().zip([first, second]) {
        while !matches!(cluster.applied(id, copy).await, Ok(Some(_))) {
            followers.tick().await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let incursions = copy.table(FactTable::Incursions);
        let double =
            format!("insert into {incursions} select * replace (id + 1000000 as id) from {incursions}");
        run_statement(node, double).await;
    }
    let restarted = yard.app.second_instance_with(|_| {}).await;
    let doubled = query(&restarted, &yard.admin, "/totals").await["metrics"]["incursions"]["value"].as_i64();
    let once = expected["metrics"]["incursions"]["value"].as_i64().unwrap();
    assert_eq!((doubled, restarted.app.column_cache_stats().0), (Some(2 * once), 0));
}

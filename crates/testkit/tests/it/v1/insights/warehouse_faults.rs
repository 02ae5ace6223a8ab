//! A warehouse whose nodes are silent, hold rows that nobody knows, or were never filled.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use domain::{BrandId, Span};
use serde_json::json;
use testbed::ClickHouseNode;
use testkit::{Engine, TestApp, on_both_engines};
use warehouse::{Cluster, Config, FactTable, NodeConfig};

use super::Yard;
use super::warehouse::{Followed, dismiss};
use crate::warehouse::{config_of, run_statement, shared_nodes};

on_both_engines!(
    a_replica_that_never_answers_holds_nobody_up,
    a_replica_that_answers_slowly_holds_nobody_up,
    a_node_that_takes_no_rows_is_not_filled_again_at_once,
    rows_that_a_node_has_before_it_is_filled_are_not_counted,
    a_copy_that_was_never_complete_is_behind,
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

/// What passes everything on to a node: after a while, as one whose disk is slow, or without rows, as one whose disk is full.
struct RelayedNode {
    address: String,
    seen: Arc<Seen>,
}

/// What was sent to a node, and what is to happen with it.
#[derive(Default)]
struct Seen {
    delay_ms: AtomicU64,
    refuses_rows: AtomicBool,
    /// How often rows were sent.
    inserts: AtomicUsize,
    /// How often it was asked what it holds.
    looks: AtomicUsize,
    /// How often it was emptied to be filled.
    fills: AtomicUsize,
}

impl Seen {
    fn note(&self, uri: &Uri, statement: &[u8]) -> bool {
        let is_insert = uri.query().is_some_and(|query| query.contains("query=insert"));
        let statement = String::from_utf8_lossy(statement);
        let is_fill = statement.starts_with("create table") && statement.contains("_incursions ");
        for (count, is_one) in [
            (&self.inserts, is_insert),
            (&self.looks, statement.starts_with("select store_id")),
            (&self.fills, is_fill),
        ] {
            count.fetch_add(usize::from(is_one), Ordering::SeqCst);
        }
        is_insert && self.refuses_rows.load(Ordering::SeqCst)
    }
}

impl RelayedNode {
    /// Starts it. It passes everything on at once until it is said otherwise.
    async fn start(node: &ClickHouseNode) -> Self {
        const EXCEPTION: &str = "x-clickhouse-exception-code";
        let seen = Arc::new(Seen::default());
        let (noted, http, url) = (Arc::clone(&seen), reqwest::Client::new(), node.url());
        let pass_on = Router::new().fallback(move |uri: Uri, body: Bytes| {
            let is_refused = noted.note(&uri, &body);
            let request = http.post(format!("{url}{uri}")).body(body);
            let request = request.header("X-ClickHouse-User", ClickHouseNode::USER);
            let request = request.header("X-ClickHouse-Key", ClickHouseNode::PASSWORD);
            let delay = Duration::from_millis(noted.delay_ms.load(Ordering::SeqCst));
            async move {
                let mut headers = HeaderMap::new();
                if is_refused {
                    headers.insert(EXCEPTION, "243".parse().unwrap());
                    let reason = "Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space";
                    return (StatusCode::INTERNAL_SERVER_ERROR, headers, Bytes::from(reason));
                }
                tokio::time::sleep(delay).await;
                let answered = request.send().await.unwrap();
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
        Self { address, seen }
    }

    fn make_slow(&self, delay_ms: u64) {
        self.seen.delay_ms.store(delay_ms, Ordering::SeqCst);
    }

    fn refuse_rows(&self, refuses_rows: bool) {
        self.seen.refuses_rows.store(refuses_rows, Ordering::SeqCst);
    }

    fn inserts(&self) -> usize {
        self.seen.inserts.load(Ordering::SeqCst)
    }

    /// How often it was looked at, and filled.
    fn looks_and_fills(&self) -> (usize, usize) {
        (self.seen.looks.load(Ordering::SeqCst), self.seen.fills.load(Ordering::SeqCst))
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
    let (fast, slow) = (RelayedNode::start(first).await, RelayedNode::start(second).await);
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

/// Each look says that it must be filled, for which all rows of the brand are read.
async fn a_node_that_takes_no_rows_is_not_filled_again_at_once(engine: Engine) {
    let node = &shared_nodes()[0];
    let full = RelayedNode::start(node).await;
    let nodes = Config { nodes: vec![node_at(&full.address)], ..config_of(&[]) };
    let cluster = Cluster::new(&nodes).unwrap().unwrap();
    let followed = Followed::on_nodes(engine, nodes).await;
    let copies =
        cluster.copies(cluster.nodes().next().unwrap(), followed.yard.app.app.store_id()).await.unwrap();
    let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
    run_statement(node, format!("drop table {} sync", copy.table(FactTable::Incursions))).await;
    full.refuse_rows(true);
    let (looks_before, fills_before) = full.looks_and_fills();
    dismiss(&followed.yard, 1).await;
    let fills = loop {
        let (looks, fills) = full.looks_and_fills();
        if fills > fills_before && looks >= looks_before + 8 {
            break fills - fills_before;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(fills <= 3, "{fills}");
    full.refuse_rows(false);
    followed.wait().await;
    assert_eq!(followed.count().await, json!(119));
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

//! A warehouse whose nodes are silent, hold rows that nobody knows, or were never filled.

use std::net::TcpListener;
use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use domain::{BrandId, Span};
use serde_json::json;
use testkit::{Engine, TestApp, execute_raw_sql, on_both_engines};
use warehouse::{Cluster, Config, CopyId, FactTable, NodeConfig, NodeId};

use super::Yard;
use super::relayed_node::RelayedNode;
use super::warehouse::{Followed, dismiss, say_that_it_holds};
use crate::v1::reports::{create_ready_report, download};
use crate::warehouse::{config_of, run_statement, shared_nodes};

on_both_engines!(
    a_replica_that_never_answers_holds_nobody_up,
    a_replica_that_answers_slowly_holds_nobody_up,
    a_node_that_takes_no_rows_is_not_filled_again_at_once,
    a_node_that_is_filled_for_long_does_not_keep_others_from_catching_up,
    a_report_does_not_mix_what_nodes_held_before_and_after_a_change,
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

/// Returns the copy of the first brand that a node has.
async fn copy_on(cluster: &Cluster, node: NodeId, followed: &Followed) -> CopyId {
    let copies = cluster.copies(node, followed.yard.app.app.store_id()).await.unwrap();
    copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap()
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
    let copy = copy_on(&cluster, cluster.nodes().next().unwrap(), &followed).await;
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

/// One of the nodes is empty, and gets all rows for as long as the test wants; the other lacks too many changes to follow.
async fn a_node_that_is_filled_for_long_does_not_keep_others_from_catching_up(engine: Engine) {
    let [first, second] = shared_nodes();
    let filled = RelayedNode::start(first).await;
    let mut nodes = config_of(&[(1, first), (1, second)]);
    nodes.nodes[0].url = format!("http://{}", filled.address);
    let cluster = Cluster::new(&nodes).unwrap().unwrap();
    let followed = Followed::on_nodes(engine, nodes).await;
    wait_until_equal(&cluster, followed.yard.app.app.store_id()).await;
    let ids: Vec<NodeId> = cluster.nodes().collect();
    let copy = copy_on(&cluster, ids[0], &followed).await;
    let applied = copy.table(FactTable::Runtime).replace("runtime", "applied");
    filled.hold_rows();
    run_statement(first, format!("truncate table {applied}")).await;
    wait_until("rows are held", async || filled.held_rows().is_some()).await;
    let changes = "update brand_counters set last_seq = last_seq + 60000";
    execute_raw_sql(followed.yard.app.database(), changes).await.unwrap();
    let seq = async || cluster.applied(ids[1], copy).await.unwrap().map_or(0, |applied| applied.seq);
    wait_until("the other follows", async || seq().await > 60_000).await;
    // Whoever sends rows gives up some time, and sends them again later.
    for _ in 0..5 {
        wait_until("rows are held again", async || filled.held_rows().is_some()).await;
        let held = filled.held_rows();
        say_that_it_holds(second, copy, 0).await;
        wait_until("the other has caught up", async || seq().await > 60_000).await;
        if held.is_some() && filled.held_rows() == held {
            return;
        }
    }
    panic!("the other only caught up while nothing was filled");
}

async fn wait_until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..1_200 {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}: not within a minute");
}

/// A change arrives while a question of the report is on its way: the answer includes it, and the others may not.
async fn a_report_does_not_mix_what_nodes_held_before_and_after_a_change(engine: Engine) {
    let relay = RelayedNode::start(&shared_nodes()[0]).await;
    let nodes = Config { nodes: vec![node_at(&relay.address)], ..config_of(&[]) };
    let cluster = Cluster::new(&nodes).unwrap().unwrap();
    let followed = Followed::on_nodes(engine, nodes).await;
    let yard = &followed.yard;
    let node = cluster.nodes().next().unwrap();
    let copy = copy_on(&cluster, node, &followed).await;
    let seq = async || cluster.applied(node, copy).await.unwrap().unwrap().seq;
    let filters = json!({ "from": "2026-02-01", "to": "2026-03-01" });
    let body = json!({ "kind": "incursions", "format": "json", "filters": filters });
    for round in 1.. {
        relay.hold_question(usize::try_from(round).unwrap() - 1);
        let change = async {
            relay.wait_for_question().await;
            let before = seq().await;
            dismiss(yard, round).await;
            while seq().await == before {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            relay.release_question();
            std::future::pending::<()>().await;
        };
        let done = tokio::select! {
            done = create_ready_report(yard, &yard.admin, &body) => done,
            () = change => unreachable!(),
        };
        let file = download(yard, &yard.admin, &done["id"], "").await.expect(200).json();
        assert_eq!(file["report"]["seq"], json!(seq().await), "question {round}");
        assert_eq!(file["report"]["includes_later_changes"], json!(false), "question {round}");
        if !relay.has_held() {
            assert!(round > 2, "the report asks several questions");
            return;
        }
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

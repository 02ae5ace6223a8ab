//! Insights from a warehouse: the same numbers as from the rows, after every write.

use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use domain::{BrandId, Span, Zone};
use serde_json::{Value, json};
use testbed::ClickHouseNode;
use testkit::{Account, Engine, TestApp, on_both_engines};
use warehouse::{Cluster, Config, FactTable};

use super::longer_retention::{TOTALS, add_old_facts, counted, keep_facts};
use super::{Yard, acknowledged, incursion, runtime};
use crate::warehouse::{config_of, run_statement, shared_nodes};

on_both_engines!(
    the_warehouse_and_rows_answer_alike,
    own_writes_are_read,
    how_far_nodes_are_behind_is_told,
    nodes_that_hold_less_than_they_said_are_completed,
    nodes_that_lost_a_table_are_filled_again,
    a_database_that_went_back_gets_another_copy,
    facts_from_before_retention_count_as_in_the_rows,
);

const QUESTIONS: [&str; 6] = [
    "",
    "/totals?compare=previous",
    "/trends?split_by=machine_kind&metric=p95_duration",
    "/breakdown?by=machine&metric=pedestrians&metric=runtime_hours&metric=median_duration",
    "/durations",
    "/heatmap",
];

/// Questions wait for nodes by themselves, most of them for two seconds.
const MAX_TRIES: u32 = 150;

/// Answers by the warehouse, and follows its brands until it is dropped.
pub struct Followed {
    pub yard: Yard,
    follower: tokio::task::JoinHandle<()>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Followed {
    pub async fn new(engine: Engine) -> Self {
        let [first, second] = shared_nodes();
        Self::on_nodes(engine, config_of(&[(1, first), (2, second)])).await
    }

    pub async fn on_nodes(engine: Engine, nodes: Config) -> Self {
        let app = TestApp::start_with(engine, |config| {
            config.analytics.engine = AnalyticsEngine::Warehouse;
            config.analytics.warehouse = nodes;
        })
        .await;
        let yard = Yard::new(app).await;
        let mut rows = Vec::new();
        for number in 0..120 {
            let (day, hour, minute) = (24 + number % 3, number % 24, number % 60);
            let mut row = incursion(&yard, &format!("2026-02-{day}T{hour:02}:{minute:02}:00Z"), number % 97);
            if number % 4 == 0 {
                row = acknowledged(row, number % 7);
            }
            row.zone = if number % 5 == 0 { Zone::Danger } else { Zone::Warning };
            row.attribution.machine = Some(domain::MachineId(1 + number % 3));
            rows.push(row);
        }
        yard.facts.add_incursions(rows).await;
        yard.facts
            .put_runtime(&[runtime("2026-02-24T10:00:00Z", 45), runtime("2026-02-25T10:00:00Z", 15)])
            .await;
        let mut followers = yard.app.app.warehouse_followers("a worker").unwrap();
        let follower = tokio::spawn(async move {
            loop {
                followers.tick().await.unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let followed = Self { yard, follower };
        followed.wait().await;
        followed
    }

    /// Waits until the copy is complete, or until it is certain that it will not be.
    pub async fn wait(&self) {
        let mut answered = String::new();
        for _ in 0..MAX_TRIES {
            let answer =
                self.yard.app.get("/api/v1/insights/totals").cookie(&self.yard.admin.cookie).send().await;
            if answer.status == 200 {
                return;
            }
            answered = answer.text();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the copy does not become complete: {answered}");
    }

    pub async fn count(&self) -> Value {
        query(&self.yard.app, &self.yard.admin, "/totals").await["metrics"]["incursions"]["value"].clone()
    }
}

async fn query(app: &TestApp, user: &Account, rest: &str) -> Value {
    let path = format!("/api/v1/insights{rest}");
    app.get(&path).cookie(&user.cookie).send().await.expect(200).json()
}

async fn the_warehouse_and_rows_answer_alike(engine: Engine) {
    let followed = Followed::new(engine).await;
    let yard = &followed.yard;
    let by_rows =
        yard.app.second_instance_with(|config| config.analytics.engine = AnalyticsEngine::Sql).await;
    for question in QUESTIONS {
        assert_eq!(
            query(&yard.app, &yard.admin, question).await,
            query(&by_rows, &yard.admin, question).await,
            "{question}"
        );
    }
    assert_eq!(yard.app.app.column_cache_stats().0, 0);
}

/// Dismisses an incursion, so that it is not counted any more.
pub async fn dismiss(yard: &Yard, id: i64) {
    let review = json!({ "state": "dismissed" });
    let path = format!("/api/v1/incursions/{id}/review");
    yard.app.post(&path).cookie(&yard.admin.cookie).json(&review).send().await.expect(200);
}

async fn own_writes_are_read(engine: Engine) {
    let followed = Followed::new(engine).await;
    let yard = &followed.yard;
    assert_eq!(followed.count().await, json!(120));
    for round in 1..=3 {
        dismiss(yard, round).await;
        assert_eq!(followed.count().await, json!(120 - round));
    }
}

async fn how_far_nodes_are_behind_is_told(engine: Engine) {
    let followed = Followed::new(engine).await;
    let app = &followed.yard.app;
    let lag = || app.app.feed_lags().find(|(feed, _)| *feed == Feed::Warehouse).map(|(_, lag)| lag);
    // Nothing changes, and nodes that have everything are not said to be behind.
    for _ in 0..2 {
        app.clock.advance(Span::seconds(2));
        while lag() != Some(Span::ZERO) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// As after a disk was replaced by an older state of it, so quickly that nobody noticed that the nodes were away.
async fn nodes_that_hold_less_than_they_said_are_completed(engine: Engine) {
    let followed = Followed::new(engine).await;
    let [first, second] = shared_nodes();
    let cluster = Cluster::new(&config_of(&[(1, first), (2, second)])).unwrap().unwrap();
    let mut fillings = Vec::new();
    for (id, node) in cluster.nodes().zip([first, second]) {
        let copies = cluster.copies(id, followed.yard.app.app.store_id()).await.unwrap();
        let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
        let held = cluster.applied(id, copy).await.unwrap().unwrap();
        let older = held.seq - 50;
        for table in FactTable::ALL.map(|table| copy.table(table)) {
            let delete =
                format!("alter table {table} delete where seq > {older} settings mutations_sync = 1");
            run_statement(node, delete).await;
        }
        let applied = copy.table(FactTable::Runtime).replace("runtime", "applied");
        for statement in [
            format!("create table {applied}_older as {applied}"),
            format!(
                "insert into {applied}_older (brand, store_id, timeline, synchronous, seq, shard, shards, filling)
                 select brand, store_id, timeline, synchronous, {older}, shard, shards, filling from {applied}
                 order by seq desc limit 1"
            ),
            format!("exchange tables {applied}_older and {applied}"),
            format!("drop table {applied}_older sync"),
        ] {
            run_statement(node, statement).await;
        }
        fillings.push((id, copy, held.filling));
    }
    // Nothing changes, and they get what they lack.
    followed.wait().await;
    assert_eq!(followed.count().await, json!(120));
    for (id, copy, filling) in fillings {
        let held = cluster.applied(id, copy).await.unwrap().unwrap();
        assert_eq!(held.filling, filling, "they were not filled anew");
    }
}

async fn nodes_that_lost_a_table_are_filled_again(engine: Engine) {
    // A node of its own, and alone: nodes of tests end if they ask each other for a table that is not there.
    let node = ClickHouseNode::start().unwrap();
    let config = config_of(&[(1, &node)]);
    let followed = Followed::on_nodes(engine, config.clone()).await;
    let cluster = Cluster::new(&config).unwrap().unwrap();
    let id = cluster.nodes().next().unwrap();
    let copies = cluster.copies(id, followed.yard.app.app.store_id()).await.unwrap();
    let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
    let held = cluster.applied_if_whole(id, copy).await.unwrap().unwrap();
    // The node still says what it held.
    run_statement(&node, format!("drop table {} sync", copy.table(FactTable::Incursions))).await;
    assert_eq!(cluster.applied(id, copy).await.unwrap(), Some(held.clone()));
    assert_eq!(cluster.applied_if_whole(id, copy).await.unwrap(), None);
    dismiss(&followed.yard, 1).await;
    followed.wait().await;
    assert_eq!(followed.count().await, json!(119));
    assert_ne!(cluster.applied_if_whole(id, copy).await.unwrap().unwrap().filling, held.filling);
}

async fn a_database_that_went_back_gets_another_copy(engine: Engine) {
    let followed = Followed::new(engine).await;
    assert_eq!(followed.count().await, json!(120));
    // The last changes never happened, as after the loss of a server.
    let lost = "delete from runtime_pieces where seq > 100; delete from incursions where seq > 100;
         update brand_counters set last_seq = 100";
    testkit::execute_raw_sql(followed.yard.app.database(), lost).await.unwrap();
    // Until there is another copy, there is no answer rather than a wrong one.
    followed.wait().await;
    assert_eq!(followed.count().await, json!(100));
}

async fn facts_from_before_retention_count_as_in_the_rows(engine: Engine) {
    let followed = Followed::new(engine).await;
    let yard = &followed.yard;
    let by_rows =
        yard.app.second_instance_with(|config| config.analytics.engine = AnalyticsEngine::Sql).await;
    let agreed = async || {
        let expected = query(&by_rows, &yard.admin, TOTALS).await;
        assert_eq!(query(&yard.app, &yard.admin, TOTALS).await, expected);
        counted(&expected)
    };
    assert_eq!(agreed().await, (120, 1.0));
    assert!(keep_facts(yard, Some(4)).await > 0);
    let (incursions, hours) = agreed().await;
    assert!((1..120).contains(&incursions), "{incursions}");
    add_old_facts(yard).await;
    assert_eq!(agreed().await, (incursions, hours));
    // They are kept from now on, and counted by another copy.
    assert_eq!(keep_facts(yard, None).await, 0);
    followed.wait().await;
    assert_eq!(agreed().await, (incursions + 1, hours + 0.5));
}

//! Insights from a warehouse: the same numbers as from the rows, after every write.

use std::time::Duration;

use app::{Engine as AnalyticsEngine, Feed};
use domain::{BrandId, Span, Zone};
use serde_json::{Value, json};
use testbed::ClickHouseNode;
use testkit::{Account, Engine, TestApp, on_both_engines};
use warehouse::{Cluster, Config, CopyId, FactTable};

use super::longer_retention::{TOTALS, add_old_facts, counted, keep_facts};
use super::{Yard, acknowledged, incursion, runtime};
use crate::v2::advanced_insights::exports::export_file;
use crate::v2::advanced_insights::exports::reading::ndjson;
use crate::warehouse::{config_of, run_statement, shared_nodes};

on_both_engines!(
    the_warehouse_and_rows_answer_alike,
    own_writes_are_read,
    how_far_nodes_are_behind_is_told,
    nodes_that_hold_less_than_they_said_are_completed,
    nodes_that_lost_a_table_are_filled_again,
    a_database_that_went_back_gets_another_copy,
    facts_from_before_retention_count_as_in_the_rows,
    a_question_is_refused_while_all_replicas_of_a_shard_are_frozen,
    a_question_is_refused_while_all_replicas_are_behind,
    pivots_and_charts_come_from_the_warehouse_and_raw_exports_from_the_rows,
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
/// An answer that takes longer does not come.
const ENOUGH: Duration = Duration::from_secs(60);

/// Follows the brands of an application until it is dropped.
pub struct Follower(tokio::task::JoinHandle<()>);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Follower {
    pub fn start(app: &TestApp) -> Self {
        let mut followers = app.app.warehouse_followers("a worker").unwrap();
        Self(tokio::spawn(async move {
            loop {
                // The next one goes on where one fails, as while another database takes over.
                let _ = followers.tick().await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }))
    }

    async fn stop(mut self) {
        self.0.abort();
        let _ = (&mut self.0).await;
    }
}

/// Answers by the warehouse, and follows its brands until it is dropped.
pub struct Followed {
    pub yard: Yard,
    follower: Follower,
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
        let follower = Follower::start(&yard.app);
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

/// Gives nodes all incursions of the first brand twice, so that answers show that they come from there.
pub async fn double_incursions(nodes: &[(u32, &ClickHouseNode)], store_id: &str) {
    let cluster = Cluster::new(&config_of(nodes)).unwrap().unwrap();
    for (id, (_, node)) in cluster.nodes().zip(nodes) {
        let copies = cluster.copies(id, store_id).await.unwrap();
        let copy = copies.into_iter().find(|copy| copy.brand == BrandId(1)).unwrap();
        let incursions = copy.table(FactTable::Incursions);
        let double =
            format!("insert into {incursions} select * replace (id + 1000000 as id) from {incursions}");
        run_statement(node, double).await;
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

/// Lets a node say that it holds the changes up to this one.
pub async fn say_that_it_holds(node: &ClickHouseNode, copy: CopyId, seq: i64) {
    let applied = copy.table(FactTable::Runtime).replace("runtime", "applied");
    for statement in [
        format!("create table {applied}_older as {applied}"),
        format!(
            "insert into {applied}_older (brand, store_id, timeline, synchronous, seq, shard, shards, filling)
             select brand, store_id, timeline, synchronous, {seq}, shard, shards, filling from {applied}
             order by seq desc limit 1"
        ),
        format!("exchange tables {applied}_older and {applied}"),
        format!("drop table {applied}_older sync"),
    ] {
        run_statement(node, statement).await;
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
        say_that_it_holds(node, copy, older).await;
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

/// Asserts that a question is refused for now.
async fn assert_behind(yard: &Yard) {
    let asked = yard.app.get("/api/v1/insights/totals").cookie(&yard.admin.cookie).send();
    let refused = tokio::time::timeout(ENOUGH, asked).await.unwrap().expect(503);
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("numbers_behind", "1"));
}

async fn a_question_is_refused_while_all_replicas_of_a_shard_are_frozen(engine: Engine) {
    // Nodes of its own, because other tests would wait for them. All facts are in their shard.
    let frozen = [ClickHouseNode::start().unwrap(), ClickHouseNode::start().unwrap()];
    let nodes = config_of(&[(1, &shared_nodes()[0]), (2, &frozen[0]), (2, &frozen[1])]);
    let followed = Followed::on_nodes(engine, nodes).await;
    assert_eq!(followed.count().await, json!(120));
    for node in &frozen {
        node.freeze().unwrap();
    }
    assert_behind(&followed.yard).await;
    // What changes meanwhile counts as soon as they go on.
    dismiss(&followed.yard, 1).await;
    for node in &frozen {
        node.thaw().unwrap();
    }
    followed.wait().await;
    assert_eq!(followed.count().await, json!(119));
}

async fn a_question_is_refused_while_all_replicas_are_behind(engine: Engine) {
    let [first, second] = shared_nodes();
    let Followed { yard, follower } = Followed::on_nodes(engine, config_of(&[(1, first), (1, second)])).await;
    follower.stop().await;
    dismiss(&yard, 1).await;
    assert_behind(&yard).await;
    let follower = Follower::start(&yard.app);
    let followed = Followed { yard, follower };
    followed.wait().await;
    assert_eq!(followed.count().await, json!(119));
}

async fn pivots_and_charts_come_from_the_warehouse_and_raw_exports_from_the_rows(engine: Engine) {
    let followed = Followed::new(engine).await;
    let (yard, jwt) = (&followed.yard, &followed.yard.admin.jwt);
    let pivot = async |app: &TestApp| -> Value {
        let measures = ["incursions", "median_duration", "runtime_hours"];
        let body = json!({ "rows": ["machine"], "columns": ["zone"], "measures": measures });
        let asked = app.post("/api/v2/advanced_insights/pivot").bearer(jwt).json(&body);
        asked.send().await.expect(200).json()
    };
    let chart = async |app: &TestApp| -> Value {
        let path = "/api/v2/insights/charts/trends?metric=incursions&from=2026-02-24&to=2026-02-27";
        app.get(path).bearer(jwt).send().await.expect(200).json()
    };
    let by_rows =
        yard.app.second_instance_with(|config| config.analytics.engine = AnalyticsEngine::Sql).await;
    let of_rows = (pivot(&by_rows).await, chart(&by_rows).await);
    assert_eq!((pivot(&yard.app).await, chart(&yard.app).await), of_rows);
    let counted = |(pivot, chart): &(Value, Value)| {
        let days = chart["series"][0]["points"].as_array().unwrap().iter();
        let of_days: f64 = days.map(|day| day["value"].as_f64().unwrap()).sum();
        (pivot["totals"]["total"][0][0].as_f64().unwrap(), of_days)
    };
    assert_eq!(counted(&of_rows), (120.0, 120.0));
    // Rows that only the copy has show that it answers.
    let [first, second] = shared_nodes();
    double_incursions(&[(1, first), (2, second)], yard.app.app.store_id()).await;
    assert_eq!(counted(&(pivot(&yard.app).await, chart(&yard.app).await)), (240.0, 240.0));
    let body = json!({ "kind": "incursions", "format": "ndjson" });
    let lines = ndjson(&export_file(yard, &yard.admin, &body).await);
    let mut seconds: Vec<i64> =
        lines.iter().map(|line| line["duration_ms"].as_i64().unwrap() / 1_000).collect();
    seconds.sort_unstable();
    let mut expected: Vec<i64> = (0..120).map(|number| number % 97).collect();
    expected.sort_unstable();
    assert_eq!(seconds, expected);
}

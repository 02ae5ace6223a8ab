//! An asynchronous standby takes over without the last commits.

use app::Engine;
use domain::{BaseStationId, IncursionRow, Role, Span, TagId, Timestamp};
use serde_json::Value;
use store::Store;
use testbed::{PostgresCluster, PostgresProxy};
use testkit::{Account, Database, Facts, TestApp};

use super::NOW;
use crate::v1::insights::warehouse::Follower;
use crate::warehouse::{config_of, shared_nodes};

/// Lets questions wait for columns, so that it is columns that answer, however long they take.
fn wait_for_columns(config: &mut server::Config) {
    config.analytics.column_wait_timeout_ms = 60_000;
}

/// Returns the numbers of incursions and of acknowledged ones, once the database can be reached.
async fn totals(app: &TestApp, admin: &Account) -> (Value, Value) {
    loop {
        let reply = app.get("/api/v1/insights/totals").cookie(&admin.cookie).send().await;
        if reply.status.as_u16() == 503 {
            continue;
        }
        let metrics = reply.expect(200).json()["metrics"].clone();
        return (metrics["incursions"]["value"].clone(), metrics["acknowledged"]["value"].clone());
    }
}

/// Adds incursions of the same time, of which all or none were acknowledged.
async fn add(facts: &Facts, count: usize, is_acknowledged: bool) {
    let at = Timestamp::parse("2026-02-27T10:00:00Z").unwrap();
    let row = || IncursionRow {
        acknowledged_at: is_acknowledged.then_some(at + Span::seconds(3)),
        ..facts.incursion(BaseStationId(1), TagId(1), at)
    };
    facts.add_incursions((0..count).map(|_| row()).collect()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn columns_do_not_keep_commits_that_a_successor_lacks() {
    let primary = tokio::task::block_in_place(PostgresCluster::start).unwrap();
    let direct = Database::in_cluster(&primary);
    let proxy = PostgresProxy::start(&primary);
    let app = TestApp::open_existing(direct.through(&proxy), NOW, wait_for_columns).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let facts = app.facts("Acme").await;
    add(&facts, 5, false).await;

    let standby = tokio::task::block_in_place(|| primary.start_standby()).unwrap();
    tokio::task::block_in_place(|| standby.stop_receiving()).unwrap();
    add(&facts, 3, true).await;
    assert_eq!(totals(&app, &admin).await, (8.into(), 3.into()));
    assert_eq!(app.app.column_cache_stats().0, 1);

    proxy.lead_to(&standby);
    tokio::task::block_in_place(|| standby.promote()).unwrap();
    proxy.cut_all();
    assert_eq!(totals(&app, &admin).await, (5.into(), 0.into()), "the columns were ahead of the rows");
    // The same numbers are given to other changes, so that nothing but the timeline tells the two apart.
    let other = app.second_instance().await;
    add(&app.facts("Acme").await, 3, false).await;
    for app in [&app, &other] {
        assert_eq!(totals(app, &admin).await, (8.into(), 0.into()));
        assert_eq!(app.app.column_cache_stats().0, 1);
    }
    assert_eq!(app.app.store.server_timeline(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn columns_that_nobody_asked_meanwhile_are_made_anew_too() {
    let primary = tokio::task::block_in_place(PostgresCluster::start).unwrap();
    let direct = Database::in_cluster(&primary);
    let proxy = PostgresProxy::start(&primary);
    let app = TestApp::open_existing(direct.through(&proxy), NOW, wait_for_columns).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    let standby = tokio::task::block_in_place(|| primary.start_standby()).unwrap();
    tokio::task::block_in_place(|| standby.stop_receiving()).unwrap();
    add(&app.facts("Acme").await, 3, true).await;
    assert_eq!(totals(&app, &admin).await, (3.into(), 3.into()));

    proxy.lead_to(&standby);
    tokio::task::block_in_place(|| standby.promote()).unwrap();
    proxy.cut_all();
    // Another host writes as many changes before this one is asked again.
    let other = app.second_instance().await;
    add(&other.facts("Acme").await, 3, false).await;
    assert_eq!(totals(&app, &admin).await, (3.into(), 0.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_in_the_warehouse_does_not_keep_commits_that_a_successor_lacks() {
    let primary = tokio::task::block_in_place(PostgresCluster::start).unwrap();
    let direct = Database::in_cluster(&primary);
    let proxy = PostgresProxy::start(&primary);
    let [first, second] = tokio::task::block_in_place(shared_nodes);
    let by_warehouse = |config: &mut server::Config| {
        config.analytics.engine = Engine::Warehouse;
        config.analytics.warehouse = config_of(&[(1, first), (2, second)]);
    };
    let app = TestApp::open_existing(direct.through(&proxy), NOW, by_warehouse).await;
    let admin = app.sign_in_new_user("ada@example.com", Role::Admin).await;
    add(&app.facts("Acme").await, 5, false).await;
    let _follower = Follower::start(&app);
    assert_eq!(totals(&app, &admin).await, (5.into(), 0.into()));
    let token = async |app: &TestApp| {
        testkit::query_raw_sql(app.database(), "select token::text from warehouse_copies").await
    };
    let copy = token(&app).await;

    let standby = tokio::task::block_in_place(|| primary.start_standby()).unwrap();
    tokio::task::block_in_place(|| standby.stop_receiving()).unwrap();
    add(&app.facts("Acme").await, 3, true).await;
    assert_eq!(totals(&app, &admin).await, (8.into(), 3.into()));

    // Another host reaches the successor first, where the same numbers are given to other changes.
    tokio::task::block_in_place(|| standby.promote()).unwrap();
    let way = PostgresProxy::start(&standby);
    let other = TestApp::open_existing(direct.through(&way), NOW, |_| {}).await;
    add(&other.facts("Acme").await, 3, false).await;
    assert_eq!(token(&other).await, copy);
    proxy.lead_to(&standby);
    proxy.cut_all();
    assert_eq!(totals(&app, &admin).await, (8.into(), 0.into()), "the copy had changes that were lost");
    assert_ne!(token(&other).await, copy, "the copy was made anew");
    // It goes on from there.
    add(&other.facts("Acme").await, 2, true).await;
    assert_eq!(totals(&app, &admin).await, (10.into(), 2.into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_is_no_database_to_work_with() {
    let primary = tokio::task::block_in_place(PostgresCluster::start).unwrap();
    let direct = Database::in_cluster(&primary);
    direct.open().await.0.migrate(NOW).await.unwrap();
    let standby = tokio::task::block_in_place(|| primary.start_standby()).unwrap();
    let proxy = PostgresProxy::start(&standby);
    let database = direct.through(&proxy);
    let mut config = database.config();
    config.database.acquire_timeout_s = 1;
    let address = config.database.address(&config.data).unwrap();
    assert!(matches!(Store::open(&address, &config.database).await, Err(store::Error::Unavailable(_))));
}

//! Connections that a failure has ended are closed, and callers are asked to retry.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{Name, Timestamp};
use store::{FactWindow, Projects, Store};
use testbed::PostgresCluster;
use testkit::{Database, Engine};

use super::{Behind, NOW, assert_retryable};

/// Lets the statement fail as a standby does.
const REFUSE_PROJECTS: &str = "create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'cannot execute INSERT in a read-only transaction' using errcode = '25006'; end $$;
    create trigger refuse before insert on projects execute function refuse()";

/// Returns the processes of the server that work for the application.
async fn backends(database: &Database) -> BTreeSet<String> {
    let query = "select pid::text from pg_stat_activity
        where datname = current_database() and application_name = 'keepclear'";
    testkit::query_raw_sql(database, query).await.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_accepts_no_writes_is_not_used_again() {
    let behind = Behind::start(|_| {}).await;
    testkit::execute_raw_sql(&behind.direct, REFUSE_PROJECTS).await.unwrap();
    let before = backends(&behind.direct).await;
    assert_retryable(&behind.add_project("").await);
    while before.is_subset(&backends(&behind.direct).await) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    testkit::execute_raw_sql(&behind.direct, "drop trigger refuse on projects").await.unwrap();
    behind.add_project("").await.expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_accepts_no_writes_is_not_ready() {
    let database = Database::migrated(Engine::Postgres).await;
    let set = |value: &str| {
        format!(
            "begin read write;
             do $$ begin execute format('alter database %I set default_transaction_read_only = {value}',
                 current_database()); end $$;
             commit"
        )
    };
    testkit::execute_raw_sql(&database, &set("on")).await.unwrap();
    let (store, _) = database.open().await;
    assert!(matches!(store.check_writable().await, Err(store::Error::Unavailable(_))));
    testkit::execute_raw_sql(&database, &set("off")).await.unwrap();
    // The connection that was read-only is gone, and a new one is not.
    store.check_writable().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_without_an_answer_is_given_up() {
    let behind = Behind::start(|config| config.database.statement_timeout_s = 3).await;
    behind.proxy.stall();
    assert_retryable(&behind.add_project("").await);
    assert_eq!(behind.project_count().await, 0);
    behind.proxy.resume();
    behind.add_project_with_retries("").await;
    assert_eq!(behind.project_count().await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_stands_still_keeps_no_locks() {
    let database = Database::migrated(Engine::Postgres).await;
    let mut config = database.config();
    config.database.statement_timeout_s = 20;
    let address = config.database.address(&config.data).unwrap();
    let (store, platform) = Store::open(&address, &config.database).await.unwrap();
    let (other, _) = Store::open(&address, &config.database).await.unwrap();
    let mut tx = store.begin().await.unwrap();
    let brand = tx.brands(&platform).add(&Name::parse("Acme").unwrap(), NOW).await.unwrap().id;
    tx.commit().await.unwrap();
    let scope = platform.scope(brand, Projects::All);
    // It is like one of a host that is frozen, which the server cannot notice in another way.
    let mut frozen = store.begin().await.unwrap();
    frozen.lock_and_bump_registry(&scope).await.unwrap();
    let mut next = other.begin().await.unwrap();
    next.lock_and_bump_registry(&scope).await.unwrap();
    next.commit().await.unwrap();
    // Where the message of the server cannot be read any more, only the broken connection shows it.
    let late = frozen.commit().await;
    let is_ended = matches!(late, Err(store::Error::Unavailable(_) | store::Error::OutcomeUnknown(_)));
    assert!(is_ended, "{late:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waits_for_its_turn_is_not_ended() {
    let database = Database::migrated(Engine::Postgres).await;
    let (store, platform) = database.open().await;
    let mut tx = store.begin().await.unwrap();
    let brand = tx.brands(&platform).add(&Name::parse("Acme").unwrap(), NOW).await.unwrap().id;
    tx.commit().await.unwrap();
    let scope = platform.scope(brand, Projects::All);
    let mut first = store.begin().await.unwrap();
    first.lock_and_bump_registry(&scope).await.unwrap();
    let mut second = store.begin().await.unwrap();
    let busy = async {
        for _ in 0..8 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            first.counters(&scope).await.unwrap();
        }
        first.commit().await.unwrap();
    };
    let ((), locked) = tokio::join!(busy, second.lock_and_bump_registry(&scope));
    locked.unwrap();
    // So is one that waits for something else.
    second.keep_alive_while(tokio::time::sleep(Duration::from_secs(4))).await.unwrap();
    second.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_refused_leaves_no_answer_for_the_next_statement() {
    let database = Database::migrated(Engine::Postgres).await;
    let mut config = database.config();
    config.database.statement_timeout_s = 3;
    let address = config.database.address(&config.data).unwrap();
    let (store, platform) = Store::open(&address, &config.database).await.unwrap();
    let name = Name::parse("Acme").unwrap();
    let mut tx = store.begin().await.unwrap();
    let brand = tx.brands(&platform).add(&name, NOW).await.unwrap().id;
    tx.commit().await.unwrap();
    let (scope, reserved) = (platform.scope(brand, Projects::All), store.with_reserved_connections());
    // The server cancels the copy while it waits for the table, before it has said that it copies.
    let lock = testkit::block_reads(&database, "incursions").await;
    let mut snapshot = reserved.snapshot().await.unwrap();
    let end = (Timestamp::from_micros(i64::MAX), i64::MAX);
    let window = FactWindow { from: None, before: end, limit: 10 };
    let refused = snapshot.fact_changes(&scope).incursions_of(window, 100).await;
    assert!(matches!(refused, Err(store::Error::Unavailable(_))));
    snapshot.end().await.unwrap();
    drop(lock);
    for round in 0..10 {
        let found = reserved.read().await.unwrap().brands(&platform).by_name(&name).await.unwrap();
        assert_eq!(found.len(), 1, "{round}");
    }
    // A connection that has copied is used again.
    let mut snapshot = reserved.snapshot().await.unwrap();
    assert!(snapshot.fact_changes(&scope).incursions_of(window, 100).await.is_ok());
    snapshot.end().await.unwrap();
    let found = reserved.read().await.unwrap().brands(&platform).by_name(&name).await.unwrap();
    assert_eq!(found.len(), 1);
}

/// Makes commits wait for standbys of these names. A name that nobody has stands for a standby that is away.
async fn set_standbys(database: &Database, names: &str) {
    let set = format!("alter system set synchronous_standby_names = '{names}'");
    for statement in [&*set, "select pg_reload_conf()"] {
        testkit::execute_raw_sql(database, statement).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_that_nobody_waits_for_any_more_stay_within_their_share() {
    // Others do not wait for the log.
    let cluster = tokio::task::block_in_place(PostgresCluster::start_durable).unwrap();
    let database = Database::in_cluster(&cluster);
    let (store, platform) = database.open().await;
    store.migrate(NOW).await.unwrap();
    let name = Name::parse("Acme").unwrap();
    let add_brand = async || -> Result<(), store::Error> {
        let mut tx = store.begin().await?;
        tx.brands(&platform).add(&name, NOW).await?;
        tx.commit().await
    };
    let is_waiting = async || store.is_waiting_for_standby().await.unwrap();
    assert_eq!(is_waiting().await, Some(false));
    set_standbys(&database, "nobody").await;
    while is_waiting().await == Some(false) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for _ in 0..20 {
        // Callers that are less patient than the store.
        let _ = tokio::time::timeout(Duration::from_millis(200), add_brand()).await;
    }
    let open = backends(&database).await.len();
    assert!(open <= 5, "{open} connections, more than database.max_connections");
    store.read().await.unwrap().brands(&platform).all().await.unwrap();
    set_standbys(&database, "").await;
    // The commits that waited have ended, and there is room again.
    while !matches!(tokio::time::timeout(Duration::from_secs(1), add_brand()).await, Ok(Ok(()))) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connecting_without_an_answer_is_given_up() {
    let proxy = Database::start_proxy();
    let database = Database::migrated(Engine::Postgres).await.through(&proxy);
    let mut config = database.config();
    config.database.acquire_timeout_s = 1;
    let address = config.database.address(&config.data).unwrap();
    proxy.stall();
    assert!(matches!(Store::open(&address, &config.database).await, Err(store::Error::Unavailable(_))));
    proxy.resume();
    // With the usual patience.
    drop(database.open().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_were_cut_are_replaced() {
    let behind = Behind::start(|_| {}).await;
    for round in 1..=3 {
        behind.proxy.cut_all();
        behind.add_project_with_retries("").await;
        // What failed had not been committed.
        assert_eq!(behind.project_count().await, round);
    }
}

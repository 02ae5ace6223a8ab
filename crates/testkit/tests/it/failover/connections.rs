//! Connections that a failure has ended are closed, and callers are asked to retry.

use std::collections::BTreeSet;
use std::time::Duration;

use store::Store;
use testkit::{Database, Engine};

use super::{Behind, assert_retryable};

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
    let behind = Behind::start(|config| config.database.statement_timeout_s = 1).await;
    behind.proxy.stall();
    assert_retryable(&behind.add_project("").await);
    assert_eq!(behind.project_count().await, 0);
    behind.proxy.resume();
    behind.add_project_with_retries("").await;
    assert_eq!(behind.project_count().await, 1);
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
    Store::open(&address, &config.database).await.unwrap();
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

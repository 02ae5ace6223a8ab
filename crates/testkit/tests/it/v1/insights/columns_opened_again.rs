//! Hosts whose saved columns are replaced or forgotten while they use them.

use std::fs;
use std::time::Duration;

use app::Engine;
use blobs::Upload;
use domain::{Random, Span};
use serde_json::{Value, json};
use testkit::{Engine as TestEngine, TestApp, on_both_engines};

use super::Yard;
use super::columns::{busy_yard, object_files, query, saved_manifest};

on_both_engines!(
    columns_that_are_opened_again_are_not_written_again,
    columns_whose_parts_are_gone_are_made_again,
);

/// A time without facts, so that a question about it reads no part.
const NOTHING: &str = "/totals?from=2026-01-01&to=2026-01-02";

/// Returns a yard whose columns were saved by a host that has ended, a host that has opened them, their manifest, and the numbers.
async fn opened(engine: TestEngine) -> (Yard, TestApp, Value, Value) {
    let app = TestApp::start_with(engine, |config| {
        config.analytics.engine = Engine::Sql;
        config.analytics.column_wait_timeout_ms = 60_000;
    });
    let yard = busy_yard(app.await).await;
    let start_host =
        async || yard.app.second_instance_with(|config| config.analytics.engine = Engine::Columns).await;
    let first = start_host().await;
    let expected = metrics(&yard, &first).await;
    let manifest = saved_manifest(&yard).await;
    drop(first);
    // Its right to save is over.
    yard.app.clock.advance(Span::minutes(11));
    let host = start_host().await;
    query(&host, &yard.admin, NOTHING).await;
    assert_eq!(host.app.column_cache_stats().0, 1);
    (yard, host, manifest, expected)
}

/// The rest of the response tells the time.
async fn metrics(yard: &Yard, host: &TestApp) -> Value {
    query(host, &yard.admin, "/totals").await["metrics"].clone()
}

/// Columns are saved after so many changes.
async fn pretend_many_changes(yard: &Yard) {
    let statement = "update brand_counters set last_seq = last_seq + 200000 where brand_id = 1";
    testkit::execute_raw_sql(yard.app.database(), statement).await.unwrap();
}

async fn columns_that_are_opened_again_are_not_written_again(engine: TestEngine) {
    let (yard, host, mut manifest, expected) = opened(engine).await;
    // Another host has replaced all parts, more than an hour ago.
    let objects = yard.app.data().join("blobs/columns-3/1");
    for part in manifest["parts"].as_array_mut().unwrap() {
        let folder = objects.join(part["number"].to_string());
        let upload = Upload::begin(yard.app.clock.now(), &Random::System).to_string();
        fs::rename(folder.join(part["upload"].as_str().unwrap()), folder.join(&upload)).unwrap();
        part["upload"] = json!(upload);
    }
    let statement = format!("update saved_columns set manifest = '{manifest}', revision = 2");
    testkit::execute_raw_sql(yard.app.database(), &statement).await.unwrap();
    assert_eq!(metrics(&yard, &host).await, expected);
    pretend_many_changes(&yard).await;
    let (store, scope) = yard.facts.store_and_scope();
    let saved: Value = loop {
        let row = store.read().await.unwrap().column_manifests(scope).find().await.unwrap().unwrap();
        if row.revision > 2 {
            break serde_json::from_str(&row.manifest.unwrap()).unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(saved["parts"], manifest["parts"], "they were opened, and have not changed");
    assert_ne!(saved["outline"], manifest["outline"]);
}

/// The manifest was forgotten and its objects were collected while a host had opened them and read no part.
async fn columns_whose_parts_are_gone_are_made_again(engine: TestEngine) {
    let (yard, host, _, expected) = opened(engine).await;
    let forget = "update saved_columns set manifest = null, revision = 2";
    testkit::execute_raw_sql(yard.app.database(), forget).await.unwrap();
    for path in object_files(&yard.app) {
        fs::remove_file(path).unwrap();
    }
    pretend_many_changes(&yard).await;
    // They cannot be saved, and are dropped.
    while host.app.column_cache_stats().0 > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(metrics(&yard, &host).await, expected);
    saved_manifest(&yard).await;
    assert_eq!(metrics(&yard, &host).await, expected);
}

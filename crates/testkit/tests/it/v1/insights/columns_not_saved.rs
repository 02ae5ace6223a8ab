//! Columns that cannot be saved for a while: questions go on, nothing half saved stays, and it is tried again.

use std::fs;
use std::time::Duration;

use domain::Span;
use serde_json::json;
use store::ColumnManifest;
use testkit::{TestApp, on_both_engines};

use super::columns::{busy_yard, object_files, query, saved_manifest};

on_both_engines!(a_save_that_fails_leaves_nothing_behind_and_is_tried_again);

/// A row for every brand whose columns a process began to save, and gave up.
const GIVEN_UP: &str =
    "select cast('x' as text) from saved_columns where worker is null and manifest is null";

async fn a_save_that_fails_leaves_nothing_behind_and_is_tried_again(app: TestApp) {
    let yard = busy_yard(app).await;
    // The outline, which is written after all parts, has the number 0. A file is where its folder would be.
    let folder = yard.app.data().join("blobs/columns-3/1");
    let obstacle = folder.join("0");
    fs::create_dir_all(&folder).unwrap();
    fs::write(&obstacle, "").unwrap();
    let count =
        async || query(&yard.app, &yard.admin, "/totals").await["metrics"]["incursions"]["value"].clone();
    assert_eq!(count().await, json!(300));
    while testkit::query_raw_sql(yard.app.database(), GIVEN_UP).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    fs::remove_file(&obstacle).unwrap();
    assert!(fs::read_dir(&folder).unwrap().count() > 0, "parts were written");
    assert!(object_files(&yard.app).is_empty(), "and deleted");
    // Questions go on, and it is not tried again at once.
    let review = yard.app.post("/api/v1/incursions/1/review").cookie(&yard.admin.cookie);
    review.json(&json!({ "state": "dismissed" })).send().await.expect(200);
    yard.app.clock.advance(Span::seconds(59));
    for _ in 0..10 {
        assert_eq!(count().await, json!(299));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (store, scope) = yard.facts.store_and_scope();
    let row = store.read().await.unwrap().column_manifests(scope).find().await.unwrap();
    assert_eq!(row, Some(ColumnManifest { manifest: None, revision: 0 }));
    yard.app.clock.advance(Span::seconds(1));
    let manifest = saved_manifest(&yard).await;
    let objects = manifest["parts"].as_array().unwrap().iter().chain([&manifest["outline"]]);
    let mut named: Vec<_> = objects
        .map(|object| folder.join(object["number"].to_string()).join(object["upload"].as_str().unwrap()))
        .collect();
    named.sort();
    assert_eq!(object_files(&yard.app), named);
    let other = yard.app.second_instance().await;
    let total = query(&other, &yard.admin, "/totals").await;
    assert_eq!(total["metrics"]["incursions"]["value"], json!(299));
}

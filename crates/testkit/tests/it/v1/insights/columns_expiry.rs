//! Saved columns do not keep what retention has deleted, nor what later saves have replaced.

use std::fs;

use app::Engine;
use blobs::{Blobs, Key, Upload};
use domain::insights::ColumnsFormat;
use domain::{BrandId, Random, Role, Span};
use serde_json::json;
use store::ColumnManifest;
use testkit::{TestApp, on_both_engines};

use super::Yard;
use super::columns::{busy_yard, object_files, query, saved_manifest};

on_both_engines!(
    saved_columns_with_deleted_facts_are_forgotten,
    what_a_collection_that_was_killed_has_left_is_collected,
    columns_of_facts_that_are_kept_stay_saved,
    what_was_replaced_is_deleted_without_another_save,
);

const DAY: Span = Span::minutes(24 * 60);

async fn set_retention(yard: &Yard, days: i64) {
    let change = yard.app.patch("/api/v1/admin/brand").cookie(&yard.admin.cookie);
    change.json(&json!({ "keep_incursions_days": days })).send().await.expect(200);
}

pub async fn stored_manifest(yard: &Yard) -> ColumnManifest {
    let (store, scope) = yard.facts.store_and_scope();
    store.read().await.unwrap().column_manifests(scope).find().await.unwrap().unwrap()
}

async fn saved_columns_with_deleted_facts_are_forgotten(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    saved_manifest(&yard).await;
    let objects = object_files(&yard.app);
    set_retention(&yard, 30).await;
    // The facts are of 24 to 26 February, and nobody asks about them any more. It is noon on 27 March.
    yard.app.clock.advance(Span::minutes(26 * 24 * 60));
    assert!(yard.app.app.delete_expired_facts().await.unwrap() > 0);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0, "hosts may use them");
    assert_eq!(stored_manifest(&yard).await, ColumnManifest { manifest: None, revision: 2 });
    assert_eq!(object_files(&yard.app), objects);
    yard.app.clock.advance(DAY);
    let removed = yard.app.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(usize::try_from(removed).unwrap(), objects.len());
    assert!(objects.iter().all(|path| !path.exists()));
    // What is left is counted as before, by the host that saved and by others.
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    let question = "/totals?from=2026-02-20&to=2026-03-01";
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    let expected = query(&by_rows, &later, question).await;
    let left = expected["metrics"]["incursions"]["value"].as_i64().unwrap();
    assert!((1..300).contains(&left), "{left}");
    assert_eq!(query(&yard.app, &later, question).await, expected);
    assert_eq!(query(&yard.app.second_instance().await, &later, question).await, expected);
}

/// The first process forgets the saved columns while their objects are out of reach. The second one is killed while it deletes them.
async fn what_a_collection_that_was_killed_has_left_is_collected(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    saved_manifest(&yard).await;
    let objects = object_files(&yard.app);
    set_retention(&yard, 30).await;
    yard.app.clock.advance(Span::minutes(26 * 24 * 60));
    assert!(yard.app.app.delete_expired_facts().await.unwrap() > 0);
    let (folder, away) = (yard.app.data().join("blobs"), yard.app.data().join("away"));
    fs::rename(&folder, &away).unwrap();
    fs::write(&folder, "").unwrap();
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap_err().code, "objects_unavailable");
    assert_eq!(stored_manifest(&yard).await, ColumnManifest { manifest: None, revision: 2 });
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    assert!(objects.len() > 1 && object_files(&yard.app) == objects);
    fs::remove_file(&objects[0]).unwrap();
    yard.app.clock.advance(DAY);
    let restarted = yard.app.second_instance().await;
    let removed = restarted.app.remove_orphaned_objects().await.unwrap();
    assert_eq!(usize::try_from(removed).unwrap(), objects.len() - 1);
    assert!(object_files(&yard.app).is_empty());
    // What is left is counted and saved anew, and everything that is named exists.
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    let question = "/totals?from=2026-02-20&to=2026-03-01";
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    assert_eq!(query(&restarted, &later, question).await, query(&by_rows, &later, question).await);
    let manifest = saved_manifest(&yard).await;
    let named = manifest["parts"].as_array().unwrap().iter().chain([&manifest["outline"]]);
    let mut named: Vec<_> = named
        .map(|object| {
            let part = folder.join("columns-3/1").join(object["number"].to_string());
            part.join(object["upload"].as_str().unwrap())
        })
        .collect();
    named.sort();
    assert_eq!(object_files(&yard.app), named);
    assert_eq!(restarted.app.remove_orphaned_objects().await.unwrap(), 0);
}

async fn columns_of_facts_that_are_kept_stay_saved(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    saved_manifest(&yard).await;
    let (saved, objects) = (stored_manifest(&yard).await, object_files(&yard.app));
    set_retention(&yard, 30).await;
    for _ in 0..3 {
        yard.app.clock.advance(DAY);
        assert_eq!(yard.app.app.delete_expired_facts().await.unwrap(), 0);
        assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    }
    assert_eq!((stored_manifest(&yard).await, object_files(&yard.app)), (saved, objects));
}

async fn what_was_replaced_is_deleted_without_another_save(app: TestApp) {
    let yard = busy_yard(app).await;
    query(&yard.app, &yard.admin, "/totals").await;
    let mut manifest = saved_manifest(&yard).await;
    let objects = object_files(&yard.app);
    let (now, blobs) = (yard.app.clock.now(), Blobs::new(&yard.app.config.blobs, yard.app.data()).unwrap());
    let upload = Upload::begin(now, &Random::System);
    let replaced_at_us = (now - Span::minutes(120)).micros();
    manifest["replaced"] =
        json!([{ "number": 987, "upload": upload.to_string(), "replaced_at_us": replaced_at_us }]);
    blobs.put(&Key::ColumnPart(ColumnsFormat::CURRENT, BrandId(1), 987, upload), b"x").await.unwrap();
    let statement = format!("update saved_columns set manifest = '{manifest}'");
    testkit::execute_raw_sql(yard.app.database(), &statement).await.unwrap();
    // The process that saved still has the right to.
    yard.app.clock.advance(Span::minutes(9));
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    assert_eq!(stored_manifest(&yard).await.revision, 1);
    yard.app.clock.advance(DAY);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0, "it is named until now");
    manifest["replaced"] = json!([]);
    assert_eq!(stored_manifest(&yard).await.revision, 2);
    assert_eq!(saved_manifest(&yard).await, manifest);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 1);
    assert_eq!(object_files(&yard.app), objects);
}

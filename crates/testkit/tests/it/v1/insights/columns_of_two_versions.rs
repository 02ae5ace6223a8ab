//! Hosts of this version beside columns that the version before has saved, in files of another format.

use std::fs;
use std::path::PathBuf;

use app::Engine;
use blobs::{Blobs, Key, Upload};
use domain::insights::ColumnsFormat;
use domain::{BrandId, Random, Role, Span};
use serde_json::{Value, json};
use store::ColumnManifest;
use testkit::{TestApp, execute_raw_sql, on_both_engines, query_raw_sql};

use super::Yard;
use super::columns::{busy_yard, object_files, query, saved_manifest};
use super::columns_expiry::stored_manifest;
use super::longer_retention::{TOTALS, keep_facts};

on_both_engines!(
    both_versions_serve_and_leave_the_columns_of_the_other_alone,
    columns_of_the_version_before_are_cleaned_up_in_the_end,
    columns_of_the_version_before_do_not_keep_deleted_facts,
    columns_that_the_version_before_cannot_forget_are_forgotten,
);

const MINUTE: Span = Span::minutes(1);
const DAY: Span = Span::minutes(24 * 60);

/// What a host of the version before knows.
const ROW: &str =
    "select manifest || ' of ' || cast(revision as text) || ' by ' || worker from column_manifests";

fn object_store(yard: &Yard) -> Blobs {
    Blobs::new(&yard.app.config.blobs, yard.app.data()).unwrap()
}

/// Saves columns as the version before does.
async fn save_as_version_before(yard: &Yard) -> Vec<PathBuf> {
    save_as_other_host(yard, ColumnsFormat::ARROW).await
}

/// Saves columns as another host does, which keeps the right to for ten minutes. They claim to have more changes than there are.
async fn save_as_other_host(yard: &Yard, format: ColumnsFormat) -> Vec<PathBuf> {
    let (blobs, now) = (object_store(yard), yard.app.clock.now());
    let (mut objects, mut files) = (Vec::new(), Vec::new());
    for number in 0..3 {
        let upload = Upload::begin(now, &Random::System);
        let key = Key::ColumnPart(format, BrandId(1), number, upload.clone());
        let bytes = format!("ARROW1 {number}");
        blobs.put(&key, bytes.as_bytes()).await.unwrap();
        objects.push(json!({
            "number": number, "upload": upload.to_string(), "size_bytes": bytes.len(), "sha256": "ab",
        }));
        files.push(yard.app.data().join(format!("blobs/{key}")));
    }
    let manifest = json!({
        "format_version": format.number(), "incursions_seq": 1_000, "runtime_seq": 1_000, "incursions_kept_from": null,
        "runtime_kept_from": null, "timeline": 0, "is_synchronous": true, "outline": objects[0],
        "parts": objects[1..], "replaced": [],
    });
    let until = (now + Span::minutes(10)).micros();
    let save = match format {
        ColumnsFormat::ARROW => format!(
            "insert into column_manifests (brand_id, manifest, revision, worker, leased_until)
             values (1, '{manifest}', 5, 'older', {until})"
        ),
        _ => format!(
            "insert into saved_columns (brand_id, format, manifest, revision, worker, leased_until)
             values (1, 3, '{manifest}', 5, 'other', {until})"
        ),
    };
    execute_raw_sql(yard.app.database(), &save).await.unwrap();
    files
}

fn contents(files: &[PathBuf]) -> Vec<Option<Vec<u8>>> {
    files.iter().map(|path| fs::read(path).ok()).collect()
}

async fn both_versions_serve_and_leave_the_columns_of_the_other_alone(app: TestApp) {
    let yard = busy_yard(app).await;
    let files = save_as_version_before(&yard).await;
    let before = (query_raw_sql(yard.app.database(), ROW).await, contents(&files));
    assert!(before.0.len() == 1 && before.1.iter().all(Option::is_some));
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    let expected = query(&by_rows, &yard.admin, TOTALS).await;
    // This version makes columns of its own although the others have all changes, and saves them although the others are leased.
    assert_eq!(query(&yard.app, &yard.admin, TOTALS).await, expected);
    let manifest = saved_manifest(&yard).await;
    assert_eq!(manifest["format_version"], json!(3));
    let (own, objects) = (stored_manifest(&yard).await, object_files(&yard.app));
    assert_eq!(query(&yard.app.second_instance().await, &yard.admin, TOTALS).await, expected);
    assert_eq!((query_raw_sql(yard.app.database(), ROW).await, contents(&files)), before);
    // A host of the version before saves again, as it did, and this version goes on with what it has saved.
    let again = "update column_manifests set revision = revision + 1 where brand_id = 1 and worker = 'older' and revision = 5";
    execute_raw_sql(yard.app.database(), again).await.unwrap();
    assert_eq!((stored_manifest(&yard).await, object_files(&yard.app)), (own.clone(), objects.clone()));
    assert_eq!(query(&yard.app.second_instance().await, &yard.admin, TOTALS).await, expected);
    // Objects that no manifest names are collected in each format, and none of a newer program.
    let (blobs, upload) = (object_store(&yard), Upload::begin(yard.app.clock.now(), &Random::System));
    for format in ColumnsFormat::KNOWN {
        blobs.put(&Key::ColumnPart(format, BrandId(1), 987, upload.clone()), b"x").await.unwrap();
    }
    let newer = yard.app.data().join("blobs/columns-4/1/0");
    fs::create_dir_all(&newer).unwrap();
    fs::write(newer.join(upload.to_string()), "of a newer program").unwrap();
    yard.app.clock.advance(Span::minutes(25 * 60));
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 2);
    assert_eq!(contents(&files), before.1);
    assert_eq!((stored_manifest(&yard).await, object_files(&yard.app)), (own, objects));
    assert!(newer.join(upload.to_string()).exists());
}

async fn columns_of_the_version_before_are_cleaned_up_in_the_end(app: TestApp) {
    let yard = busy_yard(app).await;
    let files = save_as_version_before(&yard).await;
    query(&yard.app, &yard.admin, TOTALS).await;
    saved_manifest(&yard).await;
    let (own, objects) = (stored_manifest(&yard).await, object_files(&yard.app));
    let row = query_raw_sql(yard.app.database(), ROW).await;
    let is_as_saved = async || {
        let found = query_raw_sql(yard.app.database(), ROW).await;
        found == row && files.iter().all(|path| path.exists())
    };
    // For a week a host of the version before may run, or be started again.
    for _ in 0..6 {
        yard.app.clock.advance(DAY);
        assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
        assert!(is_as_saved().await);
    }
    // One that still has the right to save runs.
    yard.app.clock.advance(DAY);
    let lease = async |until| {
        let lease = format!("update column_manifests set leased_until = {until}");
        execute_raw_sql(yard.app.database(), &lease).await.unwrap();
    };
    lease((yard.app.clock.now() + MINUTE).micros()).await;
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    assert!(is_as_saved().await);
    // Then the manifest is forgotten, and a day later nothing is left. The revision rises, so that no save that has begun counts.
    yard.app.clock.advance(MINUTE);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    assert!(files.iter().all(|path| path.exists()), "a host that runs can save what it has");
    let forgotten = "select cast(revision as text) from column_manifests where manifest is null";
    assert_eq!(query_raw_sql(yard.app.database(), forgotten).await, ["6"]);
    yard.app.clock.advance(DAY);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 3);
    assert!(files.iter().all(|path| !path.exists()));
    // Those of this version stay, however old they are.
    assert_eq!((stored_manifest(&yard).await, object_files(&yard.app)), (own, objects));
    let later = yard.app.sign_in_new_user("later@example.com", Role::Admin).await;
    let by_rows = yard.app.second_instance_with(|config| config.analytics.engine = Engine::Sql).await;
    let expected: Value = query(&by_rows, &later, TOTALS).await;
    assert_eq!(query(&yard.app.second_instance().await, &later, TOTALS).await, expected);
}

async fn columns_of_the_version_before_do_not_keep_deleted_facts(app: TestApp) {
    let yard = busy_yard(app).await;
    let files = save_as_version_before(&yard).await;
    assert!(keep_facts(&yard, Some(4)).await > 0);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    assert_eq!(
        query_raw_sql(yard.app.database(), ROW).await.len(),
        1,
        "a host of that version may save what is left"
    );
    yard.app.clock.advance(DAY);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
    assert!(
        query_raw_sql(
            yard.app.database(),
            "select manifest from column_manifests where manifest is not null"
        )
        .await
        .is_empty()
    );
    yard.app.clock.advance(DAY);
    assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 3);
    assert!(files.iter().all(|path| !path.exists()));
}

/// A host of the version before notices that a brand keeps facts for longer. It forgets its own saved columns, and knows of no others.
async fn columns_that_the_version_before_cannot_forget_are_forgotten(app: TestApp) {
    let yard = busy_yard(app).await;
    save_as_other_host(&yard, ColumnsFormat::CURRENT).await;
    let mark = async |seq: i64| {
        let mark = format!(
            "delete from fact_marks where mark = 'copies_since';
             insert into fact_marks (brand_id, mark, at) values (1, 'copies_since', {seq})"
        );
        execute_raw_sql(yard.app.database(), &mark).await.unwrap();
        assert_eq!(yard.app.app.remove_orphaned_objects().await.unwrap(), 0);
        stored_manifest(&yard).await.revision
    };
    assert_eq!(mark(1_001).await, 5, "the process that saved may save again");
    yard.app.clock.advance(Span::minutes(10));
    assert_eq!(mark(1_000).await, 5, "they have that change");
    assert_eq!(mark(1_001).await, 6);
    assert_eq!(stored_manifest(&yard).await, ColumnManifest { manifest: None, revision: 6 });
}

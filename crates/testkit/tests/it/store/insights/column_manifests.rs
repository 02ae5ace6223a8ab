//! Which process saves the columns of a brand, and which of two saves counts.

use domain::insights::ColumnsFormat;
use domain::{BrandId, Span, Timestamp};
use store::{ColumnManifest, FactWatermark, Projects, Scope, Store, UnleasedColumnManifest};
use testkit::{TestApp, execute_raw_sql, on_both_engines};

on_both_engines!(
    a_lease_says_who_saves,
    of_two_saves_one_counts,
    manifests_are_found_by_their_brands,
    a_manifest_is_forgotten_unless_a_process_may_save,
    manifests_of_the_version_before_are_apart,
);

const NOW: Timestamp = Timestamp::from_seconds(1_000);

fn at(seconds: i64) -> Timestamp {
    NOW + Span::seconds(seconds)
}

async fn take(store: &Store, scope: &Scope, worker: &str, now: i64, until: i64) -> Option<ColumnManifest> {
    let mut tx = store.begin().await.unwrap();
    let taken = tx.column_manifests(scope).take(worker, at(now), at(until)).await.unwrap();
    tx.commit().await.unwrap();
    taken
}

async fn replace(store: &Store, scope: &Scope, worker: &str, revision: i64, text: &str) -> Option<i64> {
    let mut tx = store.begin().await.unwrap();
    let replaced = tx.column_manifests(scope).replace(worker, revision, text).await.unwrap();
    tx.commit().await.unwrap();
    replaced.map(|manifest| manifest.revision)
}

async fn a_lease_says_who_saves(app: TestApp) {
    let facts = app.facts("Acme").await;
    let (store, scope) = facts.store_and_scope();
    assert_eq!(store.read().await.unwrap().column_manifests(scope).find().await.unwrap(), None);
    let begun = ColumnManifest { manifest: None, revision: 0 };
    assert_eq!(take(store, scope, "one", 0, 60).await, Some(begun.clone()));
    assert_eq!(take(store, scope, "other", 59, 90).await, None);
    assert_eq!(take(store, scope, "one", 59, 120).await, Some(begun.clone()), "it renews its own");
    assert_eq!(take(store, scope, "other", 60, 90).await, None);
    assert_eq!(take(store, scope, "other", 120, 180).await, Some(begun.clone()), "it was over");
    let mut tx = store.begin().await.unwrap();
    tx.column_manifests(scope).release("one").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(take(store, scope, "one", 121, 180).await, None, "nobody ends the lease of another");
    let mut tx = store.begin().await.unwrap();
    tx.column_manifests(scope).release("other").await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(take(store, scope, "one", 121, 180).await, Some(begun));
}

async fn of_two_saves_one_counts(app: TestApp) {
    let facts = app.facts("Acme").await;
    let (store, scope) = facts.store_and_scope();
    assert_eq!(replace(store, scope, "one", 0, "{}").await, None, "without a lease");
    take(store, scope, "one", 0, 60).await;
    assert_eq!(replace(store, scope, "one", 0, "first").await, Some(1));
    assert_eq!(
        replace(store, scope, "one", 0, "late").await,
        None,
        "of a manifest that is not there any more"
    );
    // A process that was frozen for longer than its lease.
    take(store, scope, "other", 60, 120).await;
    assert_eq!(replace(store, scope, "one", 1, "late").await, None);
    assert_eq!(replace(store, scope, "other", 1, "second").await, Some(2));
    let found = store.read().await.unwrap().column_manifests(scope).find().await.unwrap();
    assert_eq!(found, Some(ColumnManifest { manifest: Some("second".to_owned()), revision: 2 }));
    assert_eq!(take(store, scope, "other", 61, 120).await, found, "a renewal changes nothing");
}

async fn manifests_are_found_by_their_brands(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let mut brands = Vec::new();
    for name in ["Acme", "Other", "Empty"] {
        brands.push(app.ensure_brand(name).await.id);
    }
    for brand in &brands[..2] {
        let scope = platform.scope(*brand, Projects::All);
        take(&store, &scope, "one", 0, 60).await;
        replace(&store, &scope, "one", 0, &format!("of {brand}")).await;
    }
    let mut tx = store.read().await.unwrap();
    let mut found =
        tx.all_column_manifests(&platform).of_brands(ColumnsFormat::CURRENT, &brands).await.unwrap();
    found.sort_by_key(|row| row.brand);
    let texts: Vec<String> = found.into_iter().filter_map(|row| row.manifest).collect();
    assert_eq!(texts, brands[..2].iter().map(|brand| format!("of {brand}")).collect::<Vec<_>>());
    assert_eq!(tx.all_column_manifests(&platform).of_brands(ColumnsFormat::CURRENT, &[]).await.unwrap(), []);
    drop(tx);
    let mut tx = store.begin().await.unwrap();
    tx.all_column_manifests(&platform).delete_all().await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(
        tx.all_column_manifests(&platform).of_brands(ColumnsFormat::CURRENT, &brands).await.unwrap(),
        []
    );
}

async fn a_manifest_is_forgotten_unless_a_process_may_save(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    let scope = platform.scope(brand, Projects::All);
    let unleased = async |after: BrandId, now: i64| {
        let mut tx = store.read().await.unwrap();
        tx.all_column_manifests(&platform).unleased(ColumnsFormat::CURRENT, after, at(now), 10).await.unwrap()
    };
    let replace_unleased = async |revision: i64, now: i64, text: Option<&str>| {
        let mut tx = store.begin().await.unwrap();
        let mut manifests = tx.all_column_manifests(&platform);
        let replaced = manifests.replace_unleased(ColumnsFormat::CURRENT, brand, revision, at(now), text);
        let is_replaced = replaced.await.unwrap();
        tx.commit().await.unwrap();
        is_replaced
    };
    take(&store, &scope, "one", 0, 60).await;
    assert_eq!(unleased(BrandId(0), 60).await, [], "nothing was saved yet");
    replace(&store, &scope, "one", 0, "first").await;
    let mut found = UnleasedColumnManifest {
        brand,
        manifest: "first".to_owned(),
        revision: 1,
        incursions_kept_from: None,
        runtime_kept_from: None,
        copies_since: 0,
    };
    assert_eq!(unleased(BrandId(0), 59).await, []);
    assert_eq!(unleased(BrandId(0), 60).await, [found.clone()]);
    let mut tx = store.begin().await.unwrap();
    tx.fact_retention(&scope).raise_watermark(FactWatermark::IncursionsKeptFrom, at(5)).await.unwrap();
    tx.fact_retention(&scope).raise_watermark(FactWatermark::RuntimeKeptFrom, at(6)).await.unwrap();
    tx.fact_retention(&scope).outdate_copies(7).await.unwrap();
    tx.commit().await.unwrap();
    (found.incursions_kept_from, found.runtime_kept_from) = (Some(at(5)), Some(at(6)));
    found.copies_since = 7;
    assert_eq!(unleased(BrandId(0), 60).await, [found]);
    assert_eq!(unleased(brand, 60).await, [], "those of later brands");
    assert!(!replace_unleased(1, 59, None).await, "a process may save");
    assert!(!replace_unleased(0, 60, None).await, "another revision");
    assert!(replace_unleased(1, 60, Some("shorter")).await);
    assert_eq!(replace(&store, &scope, "one", 1, "late").await, None, "it began with what is gone");
    assert!(replace_unleased(2, 60, None).await);
    assert_eq!(unleased(BrandId(0), 60).await, []);
    let forgotten = Some(ColumnManifest { manifest: None, revision: 3 });
    assert_eq!(store.read().await.unwrap().column_manifests(&scope).find().await.unwrap(), forgotten);
    assert_eq!(take(&store, &scope, "other", 60, 90).await, forgotten);
    assert_eq!(replace(&store, &scope, "other", 3, "second").await, Some(4));
}

/// Programs of the version before write a table of their own, in which this one only forgets what is over.
async fn manifests_of_the_version_before_are_apart(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    let scope = platform.scope(brand, Projects::All);
    let older = format!(
        "insert into column_manifests (brand_id, manifest, revision, worker, leased_until)
         values ({}, 'older', 3, 'older', {})",
        brand.0,
        at(30).micros()
    );
    execute_raw_sql(app.database(), &older).await.unwrap();
    assert_eq!(store.read().await.unwrap().column_manifests(&scope).find().await.unwrap(), None);
    // The lease of the other program is none on what this one saves.
    assert!(take(&store, &scope, "one", 0, 60).await.is_some());
    assert_eq!(replace(&store, &scope, "one", 0, "own").await, Some(1));
    let found = async |format| {
        let mut tx = store.read().await.unwrap();
        let found = tx.all_column_manifests(&platform).of_brands(format, &[brand]).await.unwrap();
        found.into_iter().map(|row| row.manifest.unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(found(ColumnsFormat::CURRENT).await, ["own"]);
    assert_eq!(found(ColumnsFormat::ARROW).await, ["older"]);
    let unleased = async |format, now| {
        let mut tx = store.read().await.unwrap();
        let found =
            tx.all_column_manifests(&platform).unleased(format, BrandId(0), at(now), 10).await.unwrap();
        found.into_iter().map(|row| (row.manifest, row.revision)).collect::<Vec<_>>()
    };
    assert_eq!(unleased(ColumnsFormat::ARROW, 29).await, []);
    assert_eq!(unleased(ColumnsFormat::ARROW, 30).await, [("older".to_owned(), 3)]);
    assert_eq!(unleased(ColumnsFormat::CURRENT, 59).await, []);
    assert_eq!(unleased(ColumnsFormat::CURRENT, 60).await, [("own".to_owned(), 1)]);
    let replace_unleased = async |format, revision, now, text| {
        let mut tx = store.begin().await.unwrap();
        let mut manifests = tx.all_column_manifests(&platform);
        let is_replaced = manifests.replace_unleased(format, brand, revision, at(now), text).await.unwrap();
        tx.commit().await.unwrap();
        is_replaced
    };
    assert!(!replace_unleased(ColumnsFormat::ARROW, 3, 29, Some("shorter")).await, "a process may save");
    assert!(!replace_unleased(ColumnsFormat::ARROW, 1, 30, Some("shorter")).await, "another revision");
    assert!(replace_unleased(ColumnsFormat::ARROW, 3, 30, Some("shorter")).await);
    assert_eq!(found(ColumnsFormat::ARROW).await, ["shorter"]);
    assert_eq!(found(ColumnsFormat::CURRENT).await, ["own"]);
    // What must be made anew is so in every format, because hosts of both versions may run.
    let mut tx = store.begin().await.unwrap();
    tx.column_manifests(&scope).forget().await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        (found(ColumnsFormat::ARROW).await, found(ColumnsFormat::CURRENT).await),
        (vec![String::new()], vec![String::new()])
    );
    let mut tx = store.begin().await.unwrap();
    tx.all_column_manifests(&platform).delete_all().await.unwrap();
    tx.commit().await.unwrap();
    assert!(found(ColumnsFormat::ARROW).await.is_empty() && found(ColumnsFormat::CURRENT).await.is_empty());
}

//! Which process saves the columns of a brand, and which of two saves counts.

use domain::{BrandId, Span, Timestamp};
use store::{ColumnManifest, FactWatermark, Projects, Scope, Store, UnleasedColumnManifest};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    a_lease_says_who_saves,
    of_two_saves_one_counts,
    manifests_are_found_by_their_brands,
    a_manifest_is_forgotten_unless_a_process_may_save,
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
    let mut found = tx.all_column_manifests(&platform).of_brands(&brands).await.unwrap();
    found.sort_by_key(|row| row.brand);
    let texts: Vec<String> = found.into_iter().filter_map(|row| row.manifest).collect();
    assert_eq!(texts, brands[..2].iter().map(|brand| format!("of {brand}")).collect::<Vec<_>>());
    assert_eq!(tx.all_column_manifests(&platform).of_brands(&[]).await.unwrap(), []);
    drop(tx);
    let mut tx = store.begin().await.unwrap();
    tx.all_column_manifests(&platform).delete_all().await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = store.read().await.unwrap();
    assert_eq!(tx.all_column_manifests(&platform).of_brands(&brands).await.unwrap(), []);
}

async fn a_manifest_is_forgotten_unless_a_process_may_save(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let brand = app.ensure_brand("Acme").await.id;
    let scope = platform.scope(brand, Projects::All);
    let unleased = async |after: BrandId, now: i64| {
        let mut tx = store.read().await.unwrap();
        tx.all_column_manifests(&platform).unleased(after, at(now), 10).await.unwrap()
    };
    let replace_unleased = async |revision: i64, now: i64, text: Option<&str>| {
        let mut tx = store.begin().await.unwrap();
        let mut manifests = tx.all_column_manifests(&platform);
        let is_replaced = manifests.replace_unleased(brand, revision, at(now), text).await.unwrap();
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
    };
    assert_eq!(unleased(BrandId(0), 59).await, []);
    assert_eq!(unleased(BrandId(0), 60).await, [found.clone()]);
    let mut tx = store.begin().await.unwrap();
    tx.fact_retention(&scope).raise_watermark(FactWatermark::IncursionsKeptFrom, at(5)).await.unwrap();
    tx.fact_retention(&scope).raise_watermark(FactWatermark::RuntimeKeptFrom, at(6)).await.unwrap();
    tx.commit().await.unwrap();
    (found.incursions_kept_from, found.runtime_kept_from) = (Some(at(5)), Some(at(6)));
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

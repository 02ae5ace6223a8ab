//! The sequence number and the registry version of a brand.

use store::Projects;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    roles_and_restrictions_raise_the_registry_version,
    numbers_of_facts_have_no_gaps_and_no_doubles,
    registry_and_facts_count_apart
);

async fn numbers_of_facts_have_no_gaps_and_no_doubles(app: TestApp) {
    let brand = app.ensure_brand("Acme").await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand.id, Projects::All);
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (store, scope) = (store.clone(), scope.clone());
        writers.spawn(async move {
            let mut tx = store.begin().await.unwrap();
            let last = tx.lock_and_allocate_seq(&scope, 3).await.unwrap().last_seq;
            tx.commit().await.unwrap();
            last
        });
    }
    let mut ends = writers.join_all().await;
    ends.sort_unstable();
    let expected: Vec<i64> = (1..=50).map(|writer| writer * 3).collect();
    assert_eq!(ends, expected);
}

async fn registry_and_facts_count_apart(app: TestApp) {
    let brand = app.ensure_brand("Acme").await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand.id, Projects::All);
    let mut tx = store.begin().await.unwrap();
    let before = tx.counters(&scope).await.unwrap();
    tx.lock_and_allocate_seq(&scope, 5).await.unwrap();
    let after = tx.lock_and_bump_registry(&scope).await.unwrap();
    assert_eq!(after.last_seq, before.last_seq + 5);
    assert_eq!(after.registry_version, before.registry_version + 1);
    // Rolled back with the transaction.
    drop(tx);
    assert_eq!(store.read().await.unwrap().counters(&scope).await.unwrap(), before);
}

async fn roles_and_restrictions_raise_the_registry_version(app: TestApp) {
    let brand = app.ensure_brand("Acme").await;
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(brand.id, Projects::All);
    let version = || async { store.read().await.unwrap().counters(&scope).await.unwrap().registry_version };
    let email = domain::EmailAddress::parse("ada@example.com").unwrap();
    let mut last = version().await;
    for step in 0..3 {
        match step {
            0 => app.create_user("ada@example.com", domain::Role::Admin).await,
            1 => app.app.set_access(&email, Some(domain::Role::Viewer), None).await.unwrap(),
            _ => app.app.restrict_user(&email, Some(&[])).await.unwrap(),
        }
        let now = version().await;
        assert!(now > last, "step {step}");
        last = now;
    }
}

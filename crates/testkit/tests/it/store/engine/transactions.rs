//! Guarantees of transactions.

use std::time::Duration;

use domain::{Name, Timestamp};
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    what_is_not_committed_never_was,
    brands_of_one_name_are_all_found_whatever_its_case,
    fifty_writers_all_get_through,
    what_stands_apart_has_a_connection_when_all_others_are_taken,
);

async fn what_is_not_committed_never_was(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let name = Name::parse("Gone").unwrap();
    let mut tx = store.begin().await.unwrap();
    tx.brands(&platform).add(&name, Timestamp::from_seconds(1)).await.unwrap();
    drop(tx);
    assert!(store.read().await.unwrap().brands(&platform).by_name(&name).await.unwrap().is_empty());
}

async fn brands_of_one_name_are_all_found_whatever_its_case(app: TestApp) {
    let first = app.ensure_brand("Ácme  Works").await;
    app.ensure_brand("Acme Works East").await;
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let name = Name::parse("acme works").unwrap();
    let second = tx.brands(&platform).add(&name, Timestamp::from_seconds(1)).await.unwrap();
    let found = tx.brands(&platform).by_name(&name).await.unwrap();
    assert_eq!(found.iter().map(|brand| brand.id).collect::<Vec<_>>(), [first.id, second.id]);
}

async fn fifty_writers_all_get_through(app: TestApp) {
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..50 {
        let app = std::sync::Arc::clone(&app.app);
        writers.spawn(async move {
            app.create_brand(&Name::parse(&format!("Brand {n}")).unwrap()).await.map(drop)
        });
    }
    for outcome in writers.join_all().await {
        outcome.unwrap();
    }
    assert_eq!(app.app.list_all_brands().await.unwrap().len(), 50);
}

async fn what_stands_apart_has_a_connection_when_all_others_are_taken(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let mut taken = Vec::new();
    // Further readers wait or are refused; either way there are no more connections.
    while let Ok(Ok(mut tx)) = tokio::time::timeout(Duration::from_secs(3), store.read()).await {
        let count = tokio::time::timeout(Duration::from_secs(3), tx.brands(&platform).all()).await;
        if !matches!(count, Ok(Ok(_))) {
            break;
        }
        taken.push(tx);
    }
    assert!(!taken.is_empty());
    // Building columns has reserved connections, independent of requests.
    let apart = store.with_reserved_connections();
    apart.read().await.unwrap().brands(&platform).all().await.unwrap();
    apart.snapshot().await.unwrap().brands(&platform).all().await.unwrap();
    drop(taken);
}

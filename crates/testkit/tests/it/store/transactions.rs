//! What a transaction promises.

use domain::{Name, Timestamp};
use store::Error;
use testkit::{TestApp, on_both_engines};

on_both_engines!(
    what_is_not_committed_never_was,
    a_name_is_taken_whatever_its_case,
    fifty_writers_all_get_through
);

async fn what_is_not_committed_never_was(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let name = Name::parse("Gone").unwrap();
    let mut tx = store.begin().await.unwrap();
    tx.brands(&platform).add(&name, Timestamp::from_seconds(1)).await.unwrap();
    drop(tx);
    assert!(store.read().await.unwrap().brands(&platform).by_name(&name).await.unwrap().is_empty());
}

async fn a_name_is_taken_whatever_its_case(app: TestApp) {
    app.brand("Ácme  Works").await;
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let name = Name::parse("acme works").unwrap();
    let refused = tx.brands(&platform).add(&name, Timestamp::from_seconds(1)).await;
    assert!(matches!(refused, Err(Error::Duplicate(_))), "{refused:?}");
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
    assert_eq!(app.app.all_brands().await.unwrap().len(), 50);
}

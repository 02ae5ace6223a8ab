//! Which process writes the copy of a brand in the warehouse.

use domain::{Span, Timestamp};
use store::{Platform, Store};
use testkit::{TestApp, on_both_engines};

on_both_engines!(a_process_keeps_its_leases_until_another_takes_them);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_000) + Span::seconds(seconds)
}

/// Returns the worker of the only copy, and until when.
async fn lease(store: &Store, platform: &Platform) -> (Option<String>, Timestamp) {
    let copies = store.read().await.unwrap().warehouse_copies(platform).all().await.unwrap();
    let [copy] = copies.as_slice() else { panic!("{copies:?}") };
    (copy.worker.clone(), copy.leased_until)
}

async fn a_process_keeps_its_leases_until_another_takes_them(app: TestApp) {
    let brand = app.ensure_brand("Acme").await.id;
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let mut copies = tx.warehouse_copies(&platform);
    copies.add(brand, 1).await.unwrap();
    assert!(copies.take(brand, "one", at(0), at(15)).await.unwrap());
    assert!(!copies.take(brand, "other", at(14), at(29)).await.unwrap());
    // The database was away for longer than the lease, and nobody else has taken it.
    copies.renew("one", at(60)).await.unwrap();
    copies.renew("other", at(90)).await.unwrap();
    assert!(!copies.take(brand, "other", at(59), at(90)).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(lease(&store, &platform).await, (Some("one".to_owned()), at(60)));
    let mut tx = store.begin().await.unwrap();
    let mut copies = tx.warehouse_copies(&platform);
    assert!(copies.take(brand, "other", at(60), at(75)).await.unwrap());
    copies.renew("one", at(90)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(lease(&store, &platform).await, (Some("other".to_owned()), at(75)));
}

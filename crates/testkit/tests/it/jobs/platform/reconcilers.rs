//! Periodic work runs once per tick, however many processes there are.

use domain::Span;
use jobs::Reconciler;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::{TestApp, on_both_engines};

on_both_engines!(a_tick_is_one_processes, ticks_are_forgotten_in_time);

async fn a_tick_is_one_processes(app: TestApp) {
    let others = [app.second_instance().await, app.second_instance().await, app.second_instance().await];
    let ran = Arc::new(AtomicU32::new(0));
    let runners: Vec<_> = std::iter::once(&app)
        .chain(&others)
        .map(|app| {
            let ran = Arc::clone(&ran);
            let count = Reconciler::new("count", Span::seconds(20), move |_| {
                let ran = Arc::clone(&ran);
                async move {
                    ran.fetch_add(1, Ordering::SeqCst);
                    Ok(())
                }
            });
            Arc::new(app.new_runner().with_reconciler(count))
        })
        .collect();
    for tick in 1..=3 {
        let mut processes = tokio::task::JoinSet::new();
        for runner in &runners {
            let runner = Arc::clone(runner);
            processes.spawn(async move { runner.reconcile().await.unwrap() });
        }
        let did = processes.join_all().await.concat();
        assert_eq!(did.iter().filter(|name| **name == "count").count(), 1, "{did:?}");
        assert_eq!(ran.load(Ordering::SeqCst), tick);
        app.clock.advance(Span::seconds(20));
    }
}

async fn ticks_are_forgotten_in_time(app: TestApp) {
    let (store, platform) = app.database().open().await;
    let slots = async || store.read().await.unwrap().jobs(&platform).slots("forget_old").await.unwrap();
    let did = app.runner().reconcile().await.unwrap();
    assert!(did.contains(&"sum_refused_logins") && did.contains(&"forget_old"), "{did:?}");
    assert_eq!(app.runner().reconcile().await.unwrap(), [""; 0], "this tick has already run");
    app.clock.advance(Span::minutes(60));
    app.runner().reconcile().await.unwrap();
    assert_eq!(slots().await, 2);
    app.clock.advance(Span::minutes(4 * 24 * 60));
    app.runner().reconcile().await.unwrap();
    assert_eq!(slots().await, 1);
}

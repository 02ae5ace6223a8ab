//! Several workers, and workers that are cut off: every crossing is one firing and one message.

use std::sync::Arc;
use std::time::Duration;

use domain::Span;
use serde_json::{Value, json};
use testkit::{TestApp, on_both_engines};
use tokio::task::JoinSet;

use super::world::AlertWorld;

on_both_engines!(
    many_workers_fire_once,
    a_worker_keeps_a_brand_until_its_lease_ends,
    a_worker_with_an_old_fence_writes_nothing,
    what_was_not_committed_fires_at_the_next_evaluation,
    another_process_sends_what_a_dead_one_found,
    a_clearing_is_written_once,
    evaluation_survives_a_clock_that_is_set_back,
    evaluations_that_outlast_their_leases_get_further,
    what_one_evaluation_leaves_the_next_one_writes,
);

async fn count(world: &AlertWorld, table: &str) -> i64 {
    testkit::count_rows(world.app.database()).await[table]
}

async fn many_workers_fire_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "split_by": "machine" })).await;
    let other = world.app.second_instance().await;
    for machine in 1..=3 {
        world.incursions(machine, 3).await;
    }
    let mut tasks = JoinSet::new();
    for number in 0..8 {
        let runner = Arc::clone(if number % 2 == 0 { world.app.runner() } else { other.runner() });
        tasks.spawn(async move { runner.evaluate_alerts().await.unwrap().fired });
    }
    let fired: u64 = tasks.join_all().await.into_iter().sum();
    assert_eq!((fired, world.firings(rule).await.len()), (3, 3));
    tokio::join!(world.app.run_jobs(), other.run_jobs());
    assert_eq!(world.app.mails().len() + other.mails().len(), 3);
    assert_eq!(count(&world, "alert_deliveries").await, 3);
}

async fn a_worker_keeps_a_brand_until_its_lease_ends(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({})).await;
    let other = world.app.second_instance().await;
    assert_eq!(world.evaluate().await.brands, 1);
    world.incursions(1, 3).await;
    assert_eq!(other.evaluate_alerts().await.brands, 0);
    world.app.clock.advance(Span::seconds(14));
    assert_eq!(other.evaluate_alerts().await.brands, 0);
    world.app.clock.advance(Span::seconds(1));
    assert_eq!(other.evaluate_alerts().await.fired, 1);
    // Now it is the other way round.
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.brands, 0);
    // Who comes back reads what the other has written.
    world.app.clock.advance(Span::minutes(2));
    world.incursions(1, 1).await;
    let done = world.evaluate().await;
    assert_eq!((done.brands, done.fired), (1, 0));
    world.app.run_jobs().await;
}

async fn a_worker_with_an_old_fence_writes_nothing(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({})).await;
    assert_eq!(world.evaluate().await.brands, 1);
    // Another worker has had the brand since, which this one does not know.
    let moved = "update alert_cursors set fence = fence + 2";
    testkit::execute_raw_sql(world.app.database(), moved).await.unwrap();
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 0);
    assert_eq!(count(&world, "alert_firings").await, 0);
    // It has noticed, and begins anew.
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

async fn what_was_not_committed_fires_at_the_next_evaluation(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let rule = world.rule(&json!({ "split_by": "machine" })).await;
    world.evaluate().await;
    // The message cannot be written, and with it nothing else.
    let broken = "alter table alert_messages rename to alert_messages_kept";
    testkit::execute_raw_sql(world.app.database(), broken).await.unwrap();
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 0);
    assert_eq!(count(&world, "alert_firings").await, 0);
    let mended = "alter table alert_messages_kept rename to alert_messages";
    testkit::execute_raw_sql(world.app.database(), mended).await.unwrap();
    assert_eq!(world.evaluate().await.fired, 1);
    assert_eq!(world.firings(rule).await.len(), 1);
    assert_eq!(world.mails().await.len(), 1);
}

async fn another_process_sends_what_a_dead_one_found(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({})).await;
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 1);
    let other = world.app.second_instance().await;
    other.run_jobs().await;
    assert_eq!((world.app.mails().len(), other.mails().len()), (0, 1));
    world.advance_minutes(1);
    assert_eq!(other.evaluate_alerts().await.fired, 0);
}

async fn a_clearing_is_written_once(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "notify_on_clear": true })).await;
    world.incursions(1, 3).await;
    assert_eq!(world.mails().await.len(), 1);
    let other = world.app.second_instance().await;
    world.advance_minutes(61);
    let (one, two) = tokio::join!(world.evaluate(), other.evaluate_alerts());
    assert_eq!(one.cleared + two.cleared, 1);
    tokio::join!(world.app.run_jobs(), other.run_jobs());
    assert_eq!(world.app.mails().len() + other.mails().len(), 2);
}

async fn evaluation_survives_a_clock_that_is_set_back(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({})).await;
    assert_eq!(world.evaluate().await.brands, 1);
    world.app.clock.adjust_wall_by(Span::minutes(-600));
    world.incursions(1, 3).await;
    assert_eq!(world.evaluate().await.fired, 1);
    world.app.run_jobs().await;
}

/// Posts an incursion of each of so many tags; more than one evaluation writes if there are more than 200.
async fn incursions_of_tags(world: &AlertWorld, count: usize) {
    let now = world.app.clock.now();
    let event = |number: usize| {
        let (uid, tag) = (world.next_uid(), format!("MANY-{number}"));
        json!({ "uid": uid, "kind": "incursion", "tag": tag, "zone": "warning", "started_at": now })
    };
    let events: Vec<Value> = (0..count).map(event).collect();
    for batch in events.chunks(100) {
        world.events(1, batch).await;
    }
}

/// Lets a second pass for every 20 statements of two processes, so that finding what explains 400 crossings takes longer than a lease.
async fn let_time_pass(world: &AlertWorld, other: &TestApp) {
    let count = || world.app.app.store.statement_count() + other.app.store.statement_count();
    let mut seen = count();
    loop {
        tokio::time::sleep(Duration::from_micros(200)).await;
        while count() >= seen + 20 {
            seen += 20;
            world.app.clock.advance(Span::seconds(1));
        }
    }
}

async fn evaluations_that_outlast_their_leases_get_further(app: TestApp) {
    let world = AlertWorld::new(app).await;
    world.rule(&json!({ "split_by": "tag", "threshold": 1, "window_minutes": 1440 })).await;
    let other = world.app.second_instance().await;
    incursions_of_tags(&world, 400).await;
    let began = world.app.clock.now();
    let evaluate = async |app: &TestApp| {
        while count(&world, "alert_firings").await < 400 {
            app.evaluate_alerts().await;
        }
    };
    let both = async { tokio::join!(evaluate(&world.app), evaluate(&other)) };
    let is_done = tokio::select! {
        ((), ()) = both => true,
        () = let_time_pass(&world, &other) => false,
        () = tokio::time::sleep(Duration::from_secs(600)) => false,
    };
    assert!(is_done, "{} of 400 crossings fired", count(&world, "alert_firings").await);
    let splits = "select cast(count(distinct split_key) as text) from alert_firings";
    assert_eq!(testkit::query_raw_sql(world.app.database(), splits).await, ["400"]);
    assert_eq!(count(&world, "alert_firings").await, 400);
    assert!(world.app.clock.now() - began > Span::seconds(60), "leases of 15 seconds did not matter");
    world.app.run_jobs().await;
}

async fn what_one_evaluation_leaves_the_next_one_writes(app: TestApp) {
    let world = AlertWorld::new(app).await;
    let many = world.rule(&json!({ "split_by": "tag", "threshold": 1 })).await;
    let few = world.rule(&json!({ "name": "Few", "threshold": 1 })).await;
    incursions_of_tags(&world, 250).await;
    let done = world.evaluate().await;
    assert_eq!((done.fired, done.unfinished), (201, 1));
    assert_eq!(world.firings(few).await.len(), 1);
    // The rest is due at once, for every worker.
    let done = world.evaluate().await;
    assert_eq!((done.brands, done.fired, done.unfinished), (1, 50, 0));
    assert_eq!(world.firings(many).await.len(), 250);
    assert_eq!(world.evaluate().await.brands, 0);
    world.app.run_jobs().await;
}

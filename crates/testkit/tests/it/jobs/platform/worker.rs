//! A worker that runs on its own.

use std::sync::Arc;
use std::time::Duration;

use app::jobs::LeaseStatus;
use domain::{LinkPurpose, Span, UserState};
use jobs::Outcome;
use store::{Claimable, JobCounts};
use testkit::{Engine, TestApp, on_both_engines};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use crate::jobs::{enqueue, issue, user};

on_both_engines!(
    a_commit_wakes_the_worker,
    a_stop_waits_for_the_job_in_hand,
    a_job_stays_held_for_as_long_as_its_worker_is_at_it,
    a_worker_that_has_lost_its_job_lets_go_of_it
);

struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Starts an application with the shortest possible leases and a worker that has begun an endless job. The `Notify` is signalled when
/// the worker drops the job.
async fn app_with_running_job(engine: Engine) -> (TestApp, JoinHandle<u32>, Arc<Notify>) {
    let app = TestApp::start_with(engine, |config| config.jobs.lease_s = 1).await;
    enqueue(&app, "dig").await;
    let (begun, gone) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let theirs = (Arc::clone(&begun), Arc::clone(&gone));
    let runner = app.new_runner().with_handler("dig", move |_, _| {
        let (begun, gone) = theirs.clone();
        async move {
            let _dropped = NotifyOnDrop(gone);
            begun.notify_one();
            std::future::pending().await
        }
    });
    let worker = tokio::spawn(async move { runner.run_due().await.unwrap() });
    begun.notified().await;
    (app, worker, gone)
}

async fn a_job_stays_held_for_as_long_as_its_worker_is_at_it(engine: Engine) {
    let (app, worker, _) = app_with_running_job(engine).await;
    let (store, platform) = app.database().open().await;
    for _ in 0..3 {
        app.clock.advance(Span::millis(900));
        // Until the worker has sent a heartbeat.
        let soon = app.clock.now() + Span::millis(500);
        while store
            .read()
            .await
            .unwrap()
            .jobs(&platform)
            .has_abandoned(&[Claimable::any(&["dig"])], soon)
            .await
            .unwrap()
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    worker.abort();
    assert!(worker.await.unwrap_err().is_cancelled(), "it is still running");
}

async fn a_worker_that_has_lost_its_job_lets_go_of_it(engine: Engine) {
    let (app, worker, gone) = app_with_running_job(engine).await;
    let other = loop {
        app.clock.advance(Span::seconds(2));
        // `None` if the worker renewed its lease first.
        if let Some(lease) = app.app.claim_job(&["dig"], "another", Span::minutes(60)).await.unwrap() {
            break lease;
        }
    };
    gone.notified().await;
    assert_eq!(worker.await.unwrap(), 1);
    assert_eq!(app.app.finish_job(&other).await.unwrap(), LeaseStatus::Held, "and has not changed it");
}

async fn a_commit_wakes_the_worker(engine: Engine) {
    // The worker would not poll before this test times out.
    let app = TestApp::start_with(engine, |config| config.jobs.poll_interval_ms = 3_600_000).await;
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = tokio::spawn(Arc::clone(app.runner()).run(async { stopped.await.unwrap_or(()) }));
    for count in 1..=3 {
        issue(&app, &ada, LinkPurpose::Invitation).await;
        while app.mails().len() < count {
            tokio::task::yield_now().await;
        }
    }
    stop.send(()).unwrap();
    worker.await.unwrap();
    assert_eq!(app.app.job_counts().await.unwrap(), JobCounts::default());
}

async fn a_stop_waits_for_the_job_in_hand(app: TestApp) {
    enqueue(&app, "dig").await;
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let theirs = (Arc::clone(&begun), Arc::clone(&go_on));
    let runner = app.new_runner().with_handler("dig", move |_, _| {
        let (begun, go_on) = theirs.clone();
        async move {
            begun.notify_one();
            go_on.notified().await;
            Outcome::Done
        }
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = tokio::spawn(Arc::new(runner).run(async { stopped.await.unwrap_or(()) }));
    begun.notified().await;
    stop.send(()).unwrap();
    tokio::task::yield_now().await;
    assert!(!worker.is_finished());
    go_on.notify_one();
    worker.await.unwrap();
    assert_eq!(app.app.job_counts().await.unwrap(), JobCounts::default());
}

//! A worker that runs by itself.

use std::sync::Arc;

use domain::{LinkPurpose, UserState};
use jobs::Outcome;
use store::JobCounts;
use testkit::{Engine, TestApp, on_both_engines};
use tokio::sync::{Notify, oneshot};

use super::{enqueue, issue, user};

on_both_engines!(a_commit_wakes_the_worker, a_stop_waits_for_the_job_in_hand);

async fn a_commit_wakes_the_worker(engine: Engine) {
    // It would not look by itself before this test is given up.
    let app = TestApp::start_with(engine, |config| config.jobs.poll_ms = 3_600_000).await;
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
    let runner = app.new_runner().handling("dig", move |_, _| {
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

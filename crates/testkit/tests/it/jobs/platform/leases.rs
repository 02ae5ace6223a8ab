//! Leases of jobs, and what happens to workers that have lost theirs.

use std::collections::BTreeSet;

use app::jobs::LeaseStatus;
use domain::{AuditFilter, LinkPurpose, PageRequest, Span, UserState};
use store::{JobCounts, Projects};
use testkit::{TestApp, on_both_engines};

use crate::jobs::{enqueue, issue, user};

on_both_engines!(
    a_job_is_one_workers_until_its_lease_is_over,
    what_is_done_under_a_lost_lease_leaves_nothing_behind,
    many_workers_get_each_job_once,
    jobs_that_are_over_are_forgotten_in_time
);

const LEASE: Span = Span::seconds(60);

async fn a_job_is_one_workers_until_its_lease_is_over(app: TestApp) {
    enqueue(&app, "dig").await;
    let claim = |worker: &'static str| app.app.claim_job(&["dig", "fill"], worker, LEASE);
    assert!(
        app.app.claim_job(&["fill"], "c", LEASE).await.unwrap().is_none(),
        "it has no handler for this kind"
    );
    let first = claim("a").await.unwrap().unwrap();
    assert_eq!(first.attempt(), 1);
    assert!(claim("b").await.unwrap().is_none(), "the job is leased");
    // A heartbeat in time renews the lease.
    app.clock.advance(Span::seconds(59));
    assert_eq!(app.app.extend_lease(&first, LEASE).await.unwrap(), LeaseStatus::Held);
    app.clock.advance(Span::seconds(59));
    assert!(claim("b").await.unwrap().is_none());
    // Without a heartbeat, another worker gets the job.
    app.clock.advance(Span::seconds(1));
    let second = claim("b").await.unwrap().unwrap();
    assert_eq!((second.job(), second.attempt()), (first.job(), 2));
    assert_eq!(app.app.extend_lease(&first, LEASE).await.unwrap(), LeaseStatus::Lost);
    assert_eq!(app.app.finish_job(&first).await.unwrap(), LeaseStatus::Lost);
    assert_eq!(app.app.retry_job(&first, LEASE, "late").await.unwrap(), LeaseStatus::Lost);
    assert_eq!(app.app.repeat_job(&first, LEASE).await.unwrap(), LeaseStatus::Lost);
    assert_eq!(app.app.fail_job(&first, "late").await.unwrap(), LeaseStatus::Lost);
    let held = JobCounts { running: 1, ..JobCounts::default() };
    assert_eq!(app.app.job_counts().await.unwrap(), held, "all of that changed nothing");
    assert_eq!(app.app.finish_job(&second).await.unwrap(), LeaseStatus::Held);
    assert_eq!(app.app.finish_job(&second).await.unwrap(), LeaseStatus::Lost, "the lease is over");
    assert_eq!(app.app.job_counts().await.unwrap(), JobCounts::default());
}

async fn what_is_done_under_a_lost_lease_leaves_nothing_behind(app: TestApp) {
    let ada = user(&app, "ada@example.com", UserState::Invited).await;
    let link = issue(&app, &ada, LinkPurpose::Invitation).await;
    let kinds = [<app::jobs::AccountMail as app::jobs::Job>::KIND];
    let slow = app.app.claim_job(&kinds, "slow", LEASE).await.unwrap().unwrap();
    let letter = app.app.find_account_email(link.id).await.unwrap().unwrap();
    app.clock.advance(LEASE);
    assert_eq!(app.run_jobs().await, 1, "another takes it over and does it");
    assert_eq!(app.app.record_account_email_sent(&slow, &letter).await.unwrap(), LeaseStatus::Lost);
    let (store, platform) = app.database().open().await;
    let scope = platform.scope(ada.brand, Projects::All);
    let filter = AuditFilter { action: Some("mail.sent".to_owned()), ..AuditFilter::default() };
    let page = PageRequest { limit: 10, after: None };
    let rows =
        store.read().await.unwrap().audits_of(&scope).page(&filter, (None, None), &page).await.unwrap().rows;
    assert_eq!(rows.len(), 1, "recorded once");
}

async fn many_workers_get_each_job_once(app: TestApp) {
    let beside = app.second_instance().await;
    for _ in 0..40 {
        enqueue(&app, "dig").await;
    }
    let mut workers = tokio::task::JoinSet::new();
    for number in 0..8 {
        let app = std::sync::Arc::clone(if number % 2 == 0 { &app.app } else { &beside.app });
        workers.spawn(async move {
            let mut jobs = Vec::new();
            while let Some(lease) = app.claim_job(&["dig"], &number.to_string(), LEASE).await.unwrap() {
                jobs.push(lease.job());
                assert_eq!(app.finish_job(&lease).await.unwrap(), LeaseStatus::Held);
            }
            jobs
        });
    }
    let jobs = workers.join_all().await.concat();
    assert!(jobs.len() >= 40, "a worker that finds the rest leased may stop early, but nothing is lost");
    assert_eq!(jobs.iter().collect::<BTreeSet<_>>().len(), jobs.len(), "{jobs:?}");
}

async fn jobs_that_are_over_are_forgotten_in_time(app: TestApp) {
    app.allow_leftover_jobs();
    for _ in 0..3 {
        enqueue(&app, "dig").await;
    }
    let claim = async || app.app.claim_job(&["dig"], "a", LEASE).await.unwrap().unwrap();
    let (done, failed) = (claim().await, claim().await);
    assert_eq!(app.app.finish_job(&done).await.unwrap(), LeaseStatus::Held);
    assert_eq!(app.app.fail_job(&failed, "broken\u{0}spade").await.unwrap(), LeaseStatus::Held);
    let (store, platform) = app.database().open().await;
    let forget = async || {
        let before = app.clock.now();
        store.begin().await.unwrap().jobs(&platform).delete_finished(before, before).await.unwrap()
    };
    app.clock.advance(Span::minutes(6 * 24 * 60));
    app.app.delete_expired().await.unwrap();
    assert_eq!(forget().await, 2, "they are still there");
    app.clock.advance(Span::minutes(24 * 60 + 1));
    app.app.delete_expired().await.unwrap();
    assert_eq!(forget().await, 1, "the failed job is stored longer");
    app.clock.advance(Span::minutes(90 * 24 * 60));
    app.app.delete_expired().await.unwrap();
    assert_eq!(forget().await, 0);
    assert_eq!(app.app.job_counts().await.unwrap().waiting, 1, "unfinished jobs are never deleted");
}

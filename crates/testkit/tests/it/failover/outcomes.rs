//! Commits that the database did not confirm.

use std::sync::Arc;
use std::time::Duration;

use app::jobs::LeaseStatus;
use domain::Span;
use serde_json::{Value, json};
use store::{JobCounts, NewJob};
use testbed::CommitCut;
use testkit::{Database, Engine, TestApp};

use super::{Behind, NOW, assert_retryable};
use crate::ingest::events::{BerlinYard, incursion};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_with_a_key_is_answered_as_it_was_kept() {
    let behind = Behind::start(|_| {}).await;
    behind.proxy.cut_next_commit(CommitCut::BeforeAnswer);
    let made = behind.add_project("k-1").await.expect(201);
    assert!(!behind.proxy.waits_for_commit() && behind.project_count().await == 1);
    let again = behind.add_project("k-1").await.expect(201);
    assert_eq!((made.json(), made.header("location")), (again.json(), again.header("location")));
    assert_eq!(behind.project_count().await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_with_a_key_that_was_not_made_can_be_sent_again() {
    let behind = Behind::start(|_| {}).await;
    behind.proxy.cut_next_commit(CommitCut::BeforeServer);
    assert_retryable(&behind.add_project("k-1").await);
    assert!(!behind.proxy.waits_for_commit() && behind.project_count().await == 0);
    behind.add_project_with_retries("k-1").await;
    assert_eq!(behind.project_count().await, 1);
}

/// A look at the stored responses would find none, and the same request could be made twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_with_a_key_waits_for_its_commit_that_is_still_on_its_way() {
    let behind = Behind::start(|_| {}).await;
    behind.proxy.cut_next_commit(CommitCut::LateToServer);
    let made = behind.add_project("k-1").await.expect(201);
    assert!(!behind.proxy.waits_for_commit() && behind.project_count().await == 1);
    let again = behind.add_project("k-1").await.expect(201);
    assert_eq!((made.json(), made.header("location")), (again.json(), again.header("location")));
    assert_eq!(behind.project_count().await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_without_a_key_says_that_its_outcome_is_unknown() {
    let behind = Behind::start(|_| {}).await;
    for (at, projects) in [(CommitCut::BeforeAnswer, 1), (CommitCut::BeforeServer, 1)] {
        behind.proxy.cut_next_commit(at);
        let unknown = behind.add_project("").await.expect(503);
        assert_eq!(unknown.code(), "outcome_unknown");
        assert!(!unknown.headers.contains_key("retry-after"), "{at:?}");
        assert_eq!(behind.project_count().await, projects, "{at:?}");
    }
    behind.add_project_with_retries("").await;
    assert_eq!(behind.project_count().await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_committed_once_more_and_stored_once() {
    let direct = Database::migrated(Engine::Postgres).await;
    let proxy = Database::start_proxy();
    let yard = BerlinYard::set_up(TestApp::open_existing(direct.through(&proxy), NOW, |_| {}).await).await;
    // The first use of a token is recorded, which is a commit of its own.
    assert_eq!(yard.send_accepted(json!([incursion("first")])).await, (1, 0));
    for (at, expected) in [(CommitCut::BeforeAnswer, (0, 3)), (CommitCut::BeforeServer, (3, 0))] {
        proxy.cut_next_commit(at);
        let batch: Value = (0..3).map(|number| incursion(&format!("{at:?} {number}"))).collect();
        assert_eq!(yard.send_accepted(batch).await, expected, "{at:?}");
        assert!(!proxy.waits_for_commit());
    }
    assert_eq!(testkit::count_rows(&direct).await["incursions"], 7);
}

/// Refuses some incursions for a reason that stays.
const REFUSE_BAD: &str = "create function refuse() returns trigger language plpgsql as
    $$ begin if new.uid like 'bad%' then raise exception 'it is bad' using errcode = '22000'; end if; return new; end $$;
    create trigger refuse before insert on incursions for each row execute function refuse()";

/// The sessions that wait for a lock.
const WAITING: &str =
    "select pid::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_are_committed_without_a_batch_at_fault_are_committed_once_more_too() {
    let direct = Database::migrated(Engine::Postgres).await;
    let proxy = Database::start_proxy();
    let app = TestApp::open_existing(direct.through(&proxy), NOW, |_| {}).await;
    let yard = Arc::new(BerlinYard::set_up(app).await);
    assert_eq!(yard.send_accepted(json!([incursion("first")])).await, (1, 0));
    testkit::execute_raw_sql(&direct, REFUSE_BAD).await.unwrap();
    // None of those at fault gets as far as its commit.
    proxy.cut_next_commit(CommitCut::BeforeAnswer);
    let send_bad = |uid: &'static str| {
        let yard = Arc::clone(&yard);
        tokio::spawn(async move { yard.send(json!([incursion(uid)])).await.status.as_u16() })
    };
    let lock = testkit::block_writes(&direct, "incursions").await;
    let first = send_bad("bad-1");
    while testkit::query_raw_sql(&direct, WAITING).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // While the first waits, these two come together.
    let second = send_bad("bad-2");
    let good = {
        let yard = Arc::clone(&yard);
        tokio::spawn(async move { yard.send_accepted(json!([incursion("good")])).await })
    };
    while yard.app.app.ingest_state().queued < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(lock);
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (500, 500));
    assert_eq!(good.await.unwrap(), (0, 1), "the commit was made, and its answer was lost");
    assert!(!proxy.waits_for_commit());
    assert_eq!(testkit::count_rows(&direct).await["incursions"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_whose_end_was_not_confirmed_ends_once() {
    let direct = Database::migrated(Engine::Postgres).await;
    let proxy = Database::start_proxy();
    let app = TestApp::open_existing(direct.through(&proxy), NOW, |_| {}).await;
    let lease = Span::seconds(60);
    for (at, standing) in
        [(CommitCut::BeforeAnswer, LeaseStatus::Lost), (CommitCut::BeforeServer, LeaseStatus::Held)]
    {
        let (store, platform) = direct.open().await;
        let mut tx = store.begin().await.unwrap();
        let new = NewJob { kind: "dig", payload: "{}", run_at: NOW, brand: None };
        tx.jobs(&platform).enqueue(&new, NOW).await.unwrap();
        tx.commit().await.unwrap();
        let held = app.app.claim_job(&["dig"], "a", lease).await.unwrap().unwrap();
        proxy.cut_next_commit(at);
        let unknown = app.app.finish_job(&held).await.unwrap_err();
        assert_eq!(unknown.code, "outcome_unknown");
        // The runner takes it for a failure and schedules another attempt, which the fencing number refuses if the job has ended.
        let scheduled = loop {
            match app.app.retry_job(&held, Span::seconds(0), "the outcome is unknown").await {
                Ok(standing) => break standing,
                Err(error) => assert_eq!(error.code, "store_unavailable"),
            }
        };
        assert_eq!(scheduled, standing, "{at:?}");
        if scheduled == LeaseStatus::Held {
            let again = app.app.claim_job(&["dig"], "b", lease).await.unwrap().unwrap();
            assert_eq!(app.app.finish_job(&again).await.unwrap(), LeaseStatus::Held);
        }
        assert_eq!(app.app.job_counts().await.unwrap(), JobCounts::default());
    }
}

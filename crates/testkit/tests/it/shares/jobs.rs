//! Fair share of the workers.

use std::sync::{Arc, Mutex};

use domain::{BrandId, Span};
use jobs::Outcome;
use store::{Claimable, NewJob};
use testkit::{TestApp, on_both_engines};
use tokio::sync::{Semaphore, oneshot};

on_both_engines!(
    brands_take_turns,
    a_brand_leaves_a_worker_to_others,
    a_hundred_thousand_jobs_are_never_gone_through,
);

async fn enqueue(app: &TestApp, brand: Option<BrandId>, count: usize) {
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let now = app.clock.now();
    for _ in 0..count {
        tx.jobs(&platform)
            .enqueue(&NewJob { kind: "dig", payload: "{}", run_at: now, brand }, now)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

async fn brands_take_turns(app: TestApp) {
    let (greedy, modest) = (app.ensure_brand("Greedy").await.id, app.ensure_brand("Modest").await.id);
    enqueue(&app, Some(greedy), 20).await;
    enqueue(&app, Some(modest), 2).await;
    enqueue(&app, None, 1).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    let runner = app.new_runner().with_handler("dig", move |_, lease| {
        seen.lock().unwrap().push(lease.brand());
        async { Outcome::Done }
    });
    assert_eq!(runner.run_due().await.unwrap(), 23);
    let order = order.lock().unwrap();
    let last = |brand| order.iter().rposition(|one| *one == brand).unwrap();
    // Each brand gets one worker before any gets a second; jobs without a brand count as one brand.
    assert!(last(Some(modest)) <= 5 && last(None) <= 2, "{order:?}");
}

async fn a_brand_leaves_a_worker_to_others(app: TestApp) {
    let (greedy, modest) = (app.ensure_brand("Greedy").await.id, app.ensure_brand("Modest").await.id);
    enqueue(&app, Some(greedy), 10).await;
    let gate = Arc::new(Semaphore::new(0));
    let (handle, begun) = (Arc::clone(&gate), Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&begun);
    let runner = app.new_runner().with_handler("dig", move |_, lease| {
        let gate = Arc::clone(&handle);
        seen.lock().unwrap().push(lease.brand());
        async move {
            // Jobs of the greedy brand run until the end of the test.
            if lease.brand() == Some(greedy) {
                gate.acquire().await.unwrap().forget();
            }
            Outcome::Done
        }
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(Arc::new(runner).run(async { stopped.await.unwrap_or(()) }));
    let counts = || begun.lock().unwrap().iter().filter(|brand| **brand == Some(greedy)).count();
    let workers = app.config.jobs.workers as usize;
    while counts() < workers - 1 {
        tokio::task::yield_now().await;
    }
    enqueue(&app, Some(modest), 5).await;
    app.app.job_notify().notify_one();
    while begun.lock().unwrap().iter().filter(|brand| **brand == Some(modest)).count() < 5 {
        tokio::task::yield_now().await;
    }
    assert_eq!(counts(), workers - 1);
    gate.add_permits(10);
    while app.app.job_counts().await.unwrap() != store::JobCounts::default() {
        tokio::task::yield_now().await;
    }
    stop.send(()).unwrap();
    running.await.unwrap();
}

/// Finding and claiming due jobs uses an index, however many jobs wait and whichever brands have used their share.
async fn a_hundred_thousand_jobs_are_never_gone_through(app: TestApp) {
    app.allow_leftover_jobs();
    let (greedy, modest) = (app.ensure_brand("Greedy").await.id, app.ensure_brand("Modest").await.id);
    let columns = "jobs (kind, payload, state, attempts, fence, run_at, brand_id, created_at, updated_at)";
    let numbers = "with recursive n (n) as (select 1 union all select n + 1 from n where n < 100000)";
    let jobs = format!(
        "insert into {columns} {numbers} select 'dig', '{{}}', 'waiting', 0, 0, n, {greedy}, n, n from n;
         analyze jobs"
    );
    testkit::execute_raw_sql(app.database(), &jobs).await.unwrap();
    enqueue(&app, Some(modest), 1).await;
    let claimable = [
        Claimable { kinds: vec!["dig", "fill"], brands_at_limit: vec![greedy] },
        Claimable { kinds: vec!["pour"], brands_at_limit: vec![greedy] },
    ];
    let (store, platform) = app.database().open().await;
    let mut tx = store.begin().await.unwrap();
    let due = tx.jobs(&platform).due_brands(&claimable, app.clock.now()).await.unwrap();
    assert_eq!(due, [Some(modest)]);
    let plans = tx.jobs(&platform).explain_claims(&claimable, modest, app.clock.now()).await.unwrap();
    drop(tx);
    let text = plans.join("\n");
    let is_whole = |line: &&String| {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        // Only the first entry of the index is read there.
        line.starts_with("Seq Scan on jobs")
            || line.starts_with("SCAN") && line.contains("jobs") && !line.contains("jobs_turns")
    };
    assert!(plans.iter().filter(|line| line.contains("jobs_turns")).count() >= 5, "{text}");
    assert_eq!(plans.iter().find(is_whole), None, "{text}");
    assert!(!text.contains("Bitmap Heap Scan on jobs"), "{text}");

    let claim = |last| app.app.claim_next_job(last, &claimable, "worker", Span::minutes(5));
    assert_eq!(claim(None).await.unwrap().and_then(|lease| lease.brand()), Some(modest));
    assert!(claim(Some(modest)).await.unwrap().is_none(), "the other brand has used its share");
}

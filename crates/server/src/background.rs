//! Periodic work that every process does more often than reconcilers run.

use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use tokio::time::{MissedTickBehavior, interval};

/// More than mimalloc keeps in the heap of a thread.
const LARGE_BLOCK_BYTES: usize = 8 << 20;

/// Runs until it is dropped.
pub async fn run_housekeeping(app: Arc<App>) {
    let second = Duration::from_secs(1);
    tokio::join!(
        run_periodically(second, "sealing the audit log", || async { app.seal_audit_log().await.map(drop) }),
        // Needed here too, because workers only check the clock when they claim jobs.
        run_periodically(second, "checking the clock", || app.check_clock()),
        run_periodically(second, "returning memory", || async {
            return_free_memory();
            Ok(())
        }),
    );
}

/// mimalloc returns freed memory to the system when a large block is freed some time later. After a start, a login or a report nothing
/// may be freed for long, so that this block is; it is never written to and costs a few microseconds.
fn return_free_memory() {
    drop(black_box(Vec::<u8>::with_capacity(LARGE_BLOCK_BYTES)));
}

/// Completes the work that must not be left undone at a stop.
pub async fn finish_pending(app: &Arc<App>) {
    // Seals pending rows first. Flushing password resets adds more, and may have to wait for a busy store.
    seal(app).await;
    app.flush_password_resets().await;
    seal(app).await;
}

async fn seal(app: &App) {
    if let Err(error) = app.seal_audit_log().await {
        tracing::warn!("sealing the audit log failed: {error}");
    }
}

async fn run_periodically<F: Future<Output = Result<(), Error>>>(
    period: Duration,
    task: &str,
    mut work: impl FnMut() -> F,
) {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = work().await {
            tracing::warn!("{task} failed: {error}");
        }
    }
}

//! Periodic work that every process does more often than reconcilers run.

use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use domain::{Host, HostRole};
use tokio::time::{MissedTickBehavior, interval, timeout};

/// A block of more than 512 KiB has a page of its own, which mimalloc frees with it.
const LARGE_BLOCK_BYTES: usize = 8 << 20;

/// Time between two looks for secrets that are no longer kept for a second click.
const FORGET_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two looks for cached files that were not used for long.
const CACHE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Time for recording expired credentials at a stop. It is shorter than the time for all that must not be left undone.
const EXPIRIES_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs until it is dropped.
pub async fn run_housekeeping(app: Arc<App>, role: HostRole) {
    let second = Duration::from_secs(1);
    let heartbeat = Duration::from_micros(Host::HEARTBEAT_INTERVAL.micros().unsigned_abs());
    tokio::join!(
        run_periodically(second, "sealing the audit log", || async { app.seal_audit_log().await.map(drop) }),
        // Needed here too, because workers only check the clock when they claim jobs.
        run_periodically(second, "checking the clock", || app.check_clock()),
        run_periodically(second, "recording expired credentials", || app.record_noticed_expiries()),
        run_periodically(second, "returning memory", || async {
            return_free_memory();
            Ok(())
        }),
        run_periodically(FORGET_INTERVAL, "forgetting recent secrets", || async {
            app.forget_what_is_over();
            Ok(())
        }),
        run_periodically(CACHE_INTERVAL, "deleting unused files of the cache", || {
            app.remove_unused_cached_parts()
        }),
        run_periodically(heartbeat, "the heartbeat of this process", || app.record_heartbeat(role)),
    );
}

/// mimalloc returns freed memory to the system a second later at the earliest, and looks for it above all when a page is freed. After a
/// start, a login or a report that may not happen for a long time, so this frees one. It is never written to, so it takes no memory
/// (docs/decisions/0096-returning-memory.md).
fn return_free_memory() {
    drop(black_box(Vec::<u8>::with_capacity(LARGE_BLOCK_BYTES)));
}

/// Completes the work that must not be left undone at a stop.
pub async fn finish_pending(app: &Arc<App>) {
    // Seals pending rows first. Flushing password resets adds more, and may have to wait for a busy store.
    seal(app).await;
    tokio::join!(app.flush_password_resets(), record_expiries(app));
    seal(app).await;
    if let Err(error) = app.end_heartbeats().await {
        tracing::warn!("this process could not be taken off the list of hosts: {error}");
    }
}

async fn seal(app: &App) {
    if let Err(error) = app.seal_audit_log().await {
        tracing::warn!("sealing the audit log failed: {error}");
    }
}

async fn record_expiries(app: &App) {
    match timeout(EXPIRIES_TIMEOUT, app.record_noticed_expiries()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!("recording expired credentials failed: {error}"),
        Err(_) => tracing::warn!("recording expired credentials timed out"),
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

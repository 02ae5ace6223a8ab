//! Periodic work that every process does more often than reconcilers run.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use tokio::time::{MissedTickBehavior, interval};

/// Runs until it is dropped.
pub async fn run_housekeeping(app: Arc<App>) {
    let second = Duration::from_secs(1);
    tokio::join!(
        run_periodically(second, "sealing the audit log", || async { app.seal_audit_log().await.map(drop) }),
        // Needed here too, because workers only check the clock when they claim jobs.
        run_periodically(second, "checking the clock", || app.check_clock()),
    );
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

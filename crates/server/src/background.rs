//! What every process does by itself besides jobs and reconcilers: what has to happen more often than a tick.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use tokio::time::{MissedTickBehavior, interval};

/// Runs for ever.
pub async fn run_housekeeping(app: Arc<App>) {
    let second = Duration::from_secs(1);
    tokio::join!(
        run_periodically(second, "sealing the audit log", || async { app.seal_audit_log().await.map(drop) }),
        // Also where no jobs are claimed, which is when workers look at it.
        run_periodically(second, "watching the clock", || app.check_clock()),
    );
}

/// What must not be left undone at a stop.
pub async fn finish_pending(app: &Arc<App>) {
    // First what waits; then what the requests add, which may have to wait for a busy store.
    seal(app).await;
    app.flush_password_resets().await;
    seal(app).await;
}

async fn seal(app: &App) {
    if let Err(error) = app.seal_audit_log().await {
        tracing::warn!("sealing the audit log: {error}");
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
            tracing::warn!("{task}: {error}");
        }
    }
}

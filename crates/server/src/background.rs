//! What every process does by itself besides jobs and reconcilers: what has to happen more often than a tick.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use tokio::time::{MissedTickBehavior, interval};

/// Runs for ever.
pub async fn keep_house(app: Arc<App>) {
    let second = Duration::from_secs(1);
    tokio::join!(
        every(second, "sealing the audit log", || async { app.seal_audit_log().await.map(drop) }),
        // Also where no jobs are claimed, which is when workers look at it.
        every(second, "watching the clock", || app.keep_clock_watched()),
    );
}

/// What must not be left undone at a stop.
pub async fn finish(app: &Arc<App>) {
    // First what waits; then what the requests add, which may have to wait for a busy store.
    seal(app).await;
    app.password_resets_worked_off().await;
    seal(app).await;
}

async fn seal(app: &App) {
    if let Err(error) = app.seal_audit_log().await {
        tracing::warn!("sealing the audit log: {error}");
    }
}

async fn every<F: Future<Output = Result<(), Error>>>(
    pause: Duration,
    what: &str,
    mut work: impl FnMut() -> F,
) {
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = work().await {
            tracing::warn!("{what}: {error}");
        }
    }
}

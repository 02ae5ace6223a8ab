//! What a serving process does by itself. Each task looks at the store and repairs it; none takes input.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use app::{App, Error};
use tokio::time::{MissedTickBehavior, interval};

/// Runs for ever.
pub async fn keep_house(app: Arc<App>) {
    tokio::join!(
        every(Duration::from_secs(1), "sealing the audit log", || async {
            app.seal_audit_log().await.map(drop)
        }),
        every(Duration::from_secs(20), "summing up refused logins", || app.sum_refused_logins()),
        every(Duration::from_secs(60), "closing visits that lasted too long", || async {
            app.close_overdue_visits().await.map(drop)
        }),
        every(Duration::from_secs(3_600), "forgetting what is old", || app.forget_old()),
    );
}

/// What must not be left undone at a stop.
pub async fn finish(app: &App) {
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

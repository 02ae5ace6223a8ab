//! Follows brands into the warehouse while the process runs, if one is configured. Not a job: it never ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::Context;

/// Changes are looked for this often. A table is written twice a second at most, so that more often gains little.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// A failure that repeats is logged this often.
const WARNED_EVERY: Duration = Duration::from_secs(60);

/// Runs until it is stopped.
pub(crate) async fn run(context: Arc<Context>, worker: String, mut stopped: watch::Receiver<bool>) {
    let Some(mut followers) = context.app.warehouse_followers(&worker) else { return };
    let mut warned_at: Option<Instant> = None;
    while !*stopped.borrow() {
        if let Err(error) = followers.tick().await
            && warned_at.is_none_or(|at| at.elapsed() >= WARNED_EVERY)
        {
            warned_at = Some(Instant::now());
            tracing::warn!("the warehouse could not be followed: {error}");
        }
        tokio::select! {
            () = sleep(POLL_INTERVAL) => {}
            _ = stopped.changed() => break,
        }
    }
    followers.stop().await;
}

//! Keeps the columns of a brand near its last change while it is being queried, and saves them from time to time.

use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::BrandId;
use store::Scope;

use super::Inner;
use super::brand::BrandColumns;
use super::catch_up_error::{CatchUpError, Outdated};
use super::saver::ColumnSaver;
use super::state::ColumnsState;
use crate::Feed;

/// Intervals at which a followed brand catches up: right after the query of a reader, and long after it. Queries catch up by themselves,
/// too.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(50);
const MAX_FOLLOW_INTERVAL: Duration = Duration::from_secs(5);
/// A brand is followed for this long after its last query, and again from the next one on.
const FOLLOW_IDLE_LIMIT: Duration = Duration::from_secs(10 * 60);

/// Follows a brand until its columns are gone, and rests while it is not queried.
pub(super) async fn follow(
    inner: Weak<Inner>,
    brand: Arc<BrandColumns>,
    scope: Scope,
    mut saving: ColumnSaver,
) {
    let mut is_resting = false;
    loop {
        tokio::time::sleep(follow_interval(brand.unread_for())).await;
        let Some(inner) = inner.upgrade() else { return };
        let mut held = brand.lock().await;
        let Some(of) = held.as_mut() else {
            // Under the lock, so that whoever loads the columns again also starts following again.
            brand.end_following();
            inner.setup.feed_lags.end(Feed::Columns, scope.brand());
            drop(held);
            saving.release().await;
            return;
        };
        if brand.idle_for() >= FOLLOW_IDLE_LIMIT {
            if !is_resting {
                is_resting = true;
                inner.setup.feed_lags.end(Feed::Columns, scope.brand());
                let is_unsaved = of.has_dropped_expired() && saving.has_changes(of);
                let unsaved = is_unsaved.then(|| (of.load(), of.state_to_save()));
                drop(held);
                save(&brand, &mut saving, unsaved).await;
                saving.release().await;
            }
            continue;
        }
        is_resting = false;
        let began_at = inner.setup.clock.monotonic();
        match of.catch_up(&inner.reserved_store, &scope).await {
            Ok(()) if of.bytes() > inner.max_brand_bytes() => {
                brand.set_too_large(scope.brand());
                *held = None;
                continue;
            }
            Ok(()) => {
                brand.set_bytes(of.bytes());
                inner.note_caught_up(&brand, scope.brand(), began_at);
            }
            Err(CatchUpError::Columns(fault)) => {
                warn_of_damage(scope.brand(), &fault);
                brand.discard_held(&mut held);
                continue;
            }
            Err(CatchUpError::Outdated(reason)) => {
                note_outdated(scope.brand(), reason);
                *held = None;
                brand.set_bytes(0);
                continue;
            }
            // Queries report the error; here the next round tries again.
            Err(CatchUpError::Store(error)) => tracing::debug!("columns could not catch up: {error}"),
            Err(CatchUpError::Unreachable(reason)) => tracing::debug!("columns could not catch up: {reason}"),
        }
        let is_due = of.has_dropped_expired() && saving.is_due(of);
        let due = is_due.then(|| (of.load(), of.state_to_save()));
        drop(held);
        save(&brand, &mut saving, due).await;
    }
}

/// Saves columns if they are given with their number. They are dropped if parts of them are gone.
async fn save(brand: &BrandColumns, saving: &mut ColumnSaver, columns: Option<(u64, ColumnsState)>) {
    if let Some((load, state)) = columns
        && !saving.save(state).await
    {
        brand.discard(load).await;
    }
}

/// Logs that columns are damaged, or parts of them are gone.
pub(super) fn warn_of_damage(brand: BrandId, fault: &cube::Error) {
    tracing::warn!("the columns of brand {brand} will be rebuilt: {fault}");
}

/// Logs that columns are made anew: a fail-over or a recovery has taken changes away that they may include, or retention has become longer.
pub(super) fn note_outdated(brand: BrandId, reason: Outdated) {
    match reason {
        Outdated::WentBack => tracing::warn!(
            "the database may not have all changes of brand {brand} any more; its columns are made anew"
        ),
        Outdated::KeptLonger => {
            tracing::info!("brand {brand} keeps facts for longer; its columns are made anew");
        }
    }
}

/// Returns when a brand that was last read this long ago catches up again. Alerts ask about many brands, and again and again while facts
/// arrive; looking for changes in between would cost more than their questions.
fn follow_interval(unread_for: Duration) -> Duration {
    (unread_for / 10).clamp(FOLLOW_INTERVAL, MAX_FOLLOW_INTERVAL)
}

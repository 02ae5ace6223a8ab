//! Detects that the wall clock was set, and repairs stored times.
//!
//! Limits, caches and timeouts within a process use monotonic time, so that setting the clock does not affect them. Stored times can
//! only be wall-clock times, which are compared with monotonic time here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Clock, Monotonic, Span, Timestamp};

use crate::{App, Error};

/// Difference between wall-clock and monotonic time, or between two hosts, beyond which the clock counts as set.
const TOLERANCE: Span = Span::seconds(5);

/// The clock at the last check.
pub(crate) struct ClockWatch(Mutex<State>);

struct State {
    last: (Timestamp, Monotonic),
    /// Monotonic time at which the clock was last found set forward.
    last_set_forward: Option<Monotonic>,
    /// Number of times that stored times may have ended up in the future: the start counts, because the clock may have been set
    /// before it, and so does each time that the clock was found set back.
    set_back_count: u64,
    /// The value of `set_back_count` up to which stored times have been repaired.
    repaired_count: u64,
}

impl ClockWatch {
    pub fn new(clock: &Clock) -> Self {
        let last = (clock.now(), clock.monotonic());
        Self(Mutex::new(State { last, last_set_forward: None, set_back_count: 1, repaired_count: 0 }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the clock; returns the count up to which stored times need repair, if any, and the time since the clock was last set forward.
    fn check(&self, clock: &Clock) -> (Option<u64>, Option<Span>) {
        let (wall, elapsed) = (clock.now(), clock.monotonic());
        let mut state = self.state();
        let (last_wall, last_elapsed) = std::mem::replace(&mut state.last, (wall, elapsed));
        let drift_micros = (wall - last_wall).micros() - (elapsed - last_elapsed).micros();
        if drift_micros > TOLERANCE.micros() {
            tracing::warn!("the clock was set forward by {} s", drift_micros / 1_000_000);
            state.last_set_forward = Some(elapsed);
        } else if drift_micros < -TOLERANCE.micros() {
            tracing::warn!("the clock was set back by {} s", -drift_micros / 1_000_000);
            state.set_back_count += 1;
        }
        let repair_due = (state.repaired_count < state.set_back_count).then_some(state.set_back_count);
        (repair_due, state.last_set_forward.map(|at| elapsed - at))
    }

    /// Records a repair. If the clock was set back again meanwhile, another one is due.
    fn mark_repaired(&self, set_back: u64) {
        let mut state = self.state();
        state.repaired_count = state.repaired_count.max(set_back);
    }
}

#[macros::boxed]
impl App {
    /// Checks the clock, and repairs stored times if it was set back. Returns whether expired leases of this length may be taken over:
    /// after the clock was set forward, their holders first get a whole lease to renew them.
    pub(crate) async fn watch_clock(&self, lease: Span) -> Result<bool, Error> {
        let (repair_due, since_forward) = self.clock_watch.check(&self.clock);
        if let Some(set_back) = repair_due {
            self.clamp_future_expiries().await?;
            self.clock_watch.mark_repaired(set_back);
        }
        Ok(since_forward.is_none_or(|since| since >= lease))
    }

    /// Checks the clock in a process that claims no jobs: stored times in the future would lock people out of it as well.
    pub async fn check_clock(&self) -> Result<(), Error> {
        self.watch_clock(Span::seconds(0)).await.map(drop)
    }

    /// Shortens every stored expiry that was computed while the clock was ahead to one lifetime from now.
    pub async fn clamp_future_expiries(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let cut = tx.clamp_future_timestamps(&self.platform, now, now + TOLERANCE).await?;
        if cut > 0 {
            tx.commit().await?;
            tracing::warn!("{cut} rows had expiry times from while the clock was ahead; they were shortened");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_while_rows_are_mended_is_mended_again() {
        let clock = Clock::manual_at(Timestamp::from_seconds(1_772_366_430));
        let watch = ClockWatch::new(&clock);
        let at_start = watch.check(&clock).0.unwrap();
        clock.adjust_wall_by(Span::seconds(-60));
        let (again, _) = watch.check(&clock);
        watch.mark_repaired(at_start);
        assert_eq!(watch.check(&clock).0, again, "what was mended is what was there at the start");
        watch.mark_repaired(again.unwrap());
        assert_eq!(watch.check(&clock).0, None);
    }
}

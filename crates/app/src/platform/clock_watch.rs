//! Notices that the clock was set, and mends what that would do to rows.
//!
//! Limits, caches and timeouts within a process count elapsed time, so that setting the clock does nothing to them. What is stored
//! can only be stamped with the time on the wall: it is compared with elapsed time here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Clock, Monotonic, Span, Timestamp};

use crate::{App, Error};

/// By how much the two may differ between two looks, and the clocks of two hosts, before the clock counts as set.
const TOLERANCE: Span = Span::seconds(5);

/// How the clock stood when it was last looked at.
pub(crate) struct ClockWatch(Mutex<State>);

struct State {
    last: (Timestamp, Monotonic),
    /// When it was last found set forward.
    last_set_forward: Option<Monotonic>,
    /// How often rows may have come to lie in the future: the start counts, since the clock may have been set before it, and so does
    /// every time that it was found set back.
    set_back_count: u64,
    /// How many of those were mended.
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

    /// Looks at the clock; tells if rows are to be mended, as of which time that it was set back, and for how long it has not been set
    /// forward, if it ever was.
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

    /// Rows were mended that were stamped before that time. If the clock was set back again meanwhile, there is more to mend.
    fn mark_repaired(&self, set_back: u64) {
        let mut state = self.state();
        state.repaired_count = state.repaired_count.max(set_back);
    }
}

impl App {
    /// Looks whether the clock was set, and mends rows if it was set back. Tells whether a lease of that length that looks over is
    /// over: not before its holder has had its whole length to renew it after the clock was set forward.
    pub(crate) async fn watch_clock(&self, lease: Span) -> Result<bool, Error> {
        let (repair_due, since_forward) = self.clock_watch.check(&self.clock);
        if let Some(set_back) = repair_due {
            self.clamp_future_expiries().await?;
            self.clock_watch.mark_repaired(set_back);
        }
        Ok(since_forward.is_none_or(|since| since >= lease))
    }

    /// The same in a process that claims no jobs: what is stamped in the future locks people out of it all the same.
    pub async fn check_clock(&self) -> Result<(), Error> {
        self.watch_clock(Span::seconds(0)).await.map(drop)
    }

    /// Cuts every stored end that was stamped while the clock was ahead to one length from now.
    pub async fn clamp_future_expiries(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let cut = tx.clamp_future_timestamps(&self.platform, now, now + TOLERANCE).await?;
        if cut > 0 {
            tx.commit().await?;
            tracing::warn!(
                "{cut} rows had been stamped while the clock was ahead; they end one length from now"
            );
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

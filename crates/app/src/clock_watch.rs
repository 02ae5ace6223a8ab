//! Notices that the clock was set, and mends what that would do to rows.
//!
//! Limits, caches and timeouts within a process count elapsed time, so that setting the clock does nothing to them. What is stored
//! can only be stamped with the time on the wall: it is compared with elapsed time here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Clock, Monotonic, Span, Timestamp};

use crate::{App, Error};

/// By how much the two may differ between two looks, and the clocks of two hosts, before the clock counts as set.
const SLACK: Span = Span::seconds(5);

/// How the clock stood when it was last looked at.
pub(crate) struct ClockWatch(Mutex<State>);

struct State {
    last: (Timestamp, Monotonic),
    /// When it was last found set forward.
    set_forward: Option<Monotonic>,
    /// Whether what was stamped in the future has been mended since the start, and since the clock was last found set back.
    is_mended: bool,
}

impl ClockWatch {
    pub fn new(clock: &Clock) -> Self {
        let last = (clock.now(), clock.monotonic());
        Self(Mutex::new(State { last, set_forward: None, is_mended: false }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the clock; tells whether rows are to be mended, and for how long it has not been set forward, if it ever was.
    fn look(&self, clock: &Clock) -> (bool, Option<Span>) {
        let (wall, elapsed) = (clock.now(), clock.monotonic());
        let mut state = self.state();
        let (last_wall, last_elapsed) = std::mem::replace(&mut state.last, (wall, elapsed));
        let by = (wall - last_wall).micros() - (elapsed - last_elapsed).micros();
        if by > SLACK.micros() {
            tracing::warn!("the clock was set forward by {} s", by / 1_000_000);
            state.set_forward = Some(elapsed);
        } else if by < -SLACK.micros() {
            tracing::warn!("the clock was set back by {} s", -by / 1_000_000);
            state.is_mended = false;
        }
        (!state.is_mended, state.set_forward.map(|at| elapsed - at))
    }
}

impl App {
    /// Looks whether the clock was set, and mends rows if it was set back. Tells whether a lease of that length that looks over is
    /// over: not before its holder has had its whole length to renew it after the clock was set forward.
    pub(crate) async fn watch_clock(&self, lease: Span) -> Result<bool, Error> {
        let (is_to_mend, since_forward) = self.clock_watch.look(&self.clock);
        if is_to_mend {
            self.cut_future_ends().await?;
        }
        Ok(since_forward.is_none_or(|since| since >= lease))
    }

    /// Cuts every stored end that was stamped while the clock was ahead to one length from now.
    pub async fn cut_future_ends(&self) -> Result<(), Error> {
        let now = self.clock.now();
        let mut tx = self.store.begin().await?;
        let cut = tx.cut_future_ends(&self.platform, now, now + SLACK).await?;
        if cut > 0 {
            tx.commit().await?;
            tracing::warn!(
                "{cut} rows had been stamped while the clock was ahead; they end one length from now"
            );
        }
        self.clock_watch.state().is_mended = true;
        Ok(())
    }
}

//! The duration of each stage of a commit, logged at `debug` for performance work.

use domain::{Clock, Monotonic};

/// The stages of one commit.
pub(super) struct StageTimings<'a> {
    clock: &'a Clock,
    last: Monotonic,
    durations_us: Vec<(&'static str, i64)>,
}

impl<'a> StageTimings<'a> {
    pub fn new(clock: &'a Clock) -> Self {
        Self { clock, last: clock.monotonic(), durations_us: Vec::with_capacity(8) }
    }

    /// Ends a stage.
    pub fn end(&mut self, stage: &'static str) {
        let now = self.clock.monotonic();
        self.durations_us.push((stage, (now - self.last).micros()));
        self.last = now;
    }

    pub fn log(&self, events: usize, incursions: usize) {
        tracing::debug!(events, incursions, took_us = ?self.durations_us, "committed events");
    }
}

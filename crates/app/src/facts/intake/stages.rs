//! How long each part of a commit took, for whoever looks for what is slow: logged at `debug`.

use domain::{Clock, Monotonic};

/// The parts of one commit.
pub(super) struct Stages<'a> {
    clock: &'a Clock,
    last: Monotonic,
    took: Vec<(&'static str, i64)>,
}

impl<'a> Stages<'a> {
    pub fn new(clock: &'a Clock) -> Self {
        Self { clock, last: clock.monotonic(), took: Vec::with_capacity(8) }
    }

    /// A part is over.
    pub fn end(&mut self, stage: &'static str) {
        let now = self.clock.monotonic();
        self.took.push((stage, (now - self.last).micros()));
        self.last = now;
    }

    /// Writes it down.
    pub fn tell(&self, events: usize, incursions: usize) {
        tracing::debug!(events, incursions, took_us = ?self.took, "a commit of the intake");
    }
}

//! What live streams did in this process, for /metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use super::event::LiveEvent;

#[derive(Debug, Default)]
pub(super) struct LiveCounters {
    open: AtomicU64,
    ended: AtomicU64,
    polls: AtomicU64,
    failed_polls: AtomicU64,
    alerts: AtomicU64,
    progress: AtomicU64,
    devices: AtomicU64,
    facts: AtomicU64,
}

/// Numbers since this process started.
#[derive(Clone, Copy, Debug)]
pub struct LiveStats {
    /// Streams that are open.
    pub open: u64,
    /// Brands that are looked at.
    pub hubs: u64,
    /// Streams that ended because access had ended or changed.
    pub ended: u64,
    /// Looks at brands that succeeded, and that failed.
    pub polls: u64,
    pub failed_polls: u64,
    /// Events that were sent, by name.
    pub events: [(&'static str, u64); 4],
}

impl LiveCounters {
    pub fn count_opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub fn count_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_poll(&self, has_succeeded: bool) {
        let count = if has_succeeded { &self.polls } else { &self.failed_polls };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_events(&self, events: &[LiveEvent]) {
        for event in events {
            let count = match event {
                LiveEvent::Alerts { .. } => &self.alerts,
                LiveEvent::Progress(_) => &self.progress,
                LiveEvent::Devices(_) => &self.devices,
                LiveEvent::Facts { .. } => &self.facts,
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn stats(&self, hubs: usize) -> LiveStats {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        LiveStats {
            open: of(&self.open),
            hubs: hubs as u64,
            ended: of(&self.ended),
            polls: of(&self.polls),
            failed_polls: of(&self.failed_polls),
            events: [
                ("alerts", of(&self.alerts)),
                ("progress", of(&self.progress)),
                ("devices", of(&self.devices)),
                ("facts", of(&self.facts)),
            ],
        }
    }
}

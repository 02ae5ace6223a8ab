//! The only source of the current time and of elapsed time.

use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use crate::{Span, Timestamp};

/// A clock, passed as an argument so that tests can control it.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The operating system's clock.
    #[default]
    System,
    /// A clock that moves only when a test advances it; clones share it.
    Manual(Arc<ManualClock>),
}

/// The state of a manual clock, in microseconds.
#[derive(Debug)]
pub struct ManualClock {
    wall_us: AtomicI64,
    elapsed_us: AtomicI64,
}

/// A reading of a monotonic clock, for limits, caches and timeouts within a process.
///
/// It counts from an arbitrary instant that differs between processes, so it must never be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monotonic(i64);

impl Monotonic {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }
}

impl Add<Span> for Monotonic {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.micros()))
    }
}

impl Sub for Monotonic {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        Span::from_micros(self.0.saturating_sub(other.0))
    }
}

impl Clock {
    /// Returns a manual clock that shows `at`.
    pub fn manual_at(at: Timestamp) -> Self {
        Self::Manual(Arc::new(ManualClock {
            wall_us: AtomicI64::new(at.micros()),
            elapsed_us: AtomicI64::new(0),
        }))
    }

    /// Returns the wall-clock time. It may jump forward or back when the clock is set.
    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "the only place that reads the system's clock")]
            Self::System => Timestamp::from_micros(jiff::Timestamp::now().as_microsecond()),
            Self::Manual(hands) => Timestamp::from_micros(hands.wall_us.load(Ordering::SeqCst)),
        }
    }

    /// Returns the time elapsed since an arbitrary instant, unaffected by changes to the wall clock.
    pub fn monotonic(&self) -> Monotonic {
        match self {
            Self::System => {
                #[expect(clippy::disallowed_methods, reason = "the only place that reads the system's clock")]
                static START: LazyLock<Instant> = LazyLock::new(Instant::now);
                Monotonic(i64::try_from(START.elapsed().as_micros()).unwrap_or(i64::MAX))
            }
            Self::Manual(hands) => Monotonic(hands.elapsed_us.load(Ordering::SeqCst)),
        }
    }

    /// Advances a manual clock; does nothing to the system's clock.
    pub fn advance(&self, span: Span) {
        if let Self::Manual(hands) = self {
            hands.wall_us.fetch_add(span.micros(), Ordering::SeqCst);
            hands.elapsed_us.fetch_add(span.micros(), Ordering::SeqCst);
        }
    }

    /// Adjusts the wall time of a manual clock, back if the span is negative, without any monotonic time passing.
    pub fn adjust_wall_by(&self, span: Span) {
        if let Self::Manual(hands) = self {
            hands.wall_us.fetch_add(span.micros(), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_the_clock_lets_no_time_pass() {
        let clock = Clock::manual_at(Timestamp::from_seconds(1_000));
        let (wall, elapsed) = (clock.now(), clock.monotonic());
        clock.adjust_wall_by(Span::seconds(-600));
        assert_eq!((clock.now() - wall, clock.monotonic() - elapsed), (Span::seconds(-600), Span::ZERO));
        clock.clone().advance(Span::seconds(5));
        assert_eq!(clock.monotonic() - elapsed, Span::seconds(5));
        assert_eq!(clock.now() - wall, Span::seconds(-595));
    }

    #[test]
    fn the_machines_never_goes_back() {
        let readings: Vec<Monotonic> = (0..100).map(|_| Clock::System.monotonic()).collect();
        assert!(readings.is_sorted());
    }
}

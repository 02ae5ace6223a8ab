//! The only source of the present moment, and of how much time has passed.

use std::ops::{Add, Sub};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use crate::{Span, Timestamp};

/// Tells the time. Passed to whoever needs it, so that tests can move it.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that stands still until it is moved; clones move together.
    Manual(Arc<ManualClock>),
}

/// Where a clock stands that tests move, in microseconds.
#[derive(Debug)]
pub struct ManualClock {
    wall_us: AtomicI64,
    elapsed_us: AtomicI64,
}

/// A reading of a clock that never goes back and that nobody sets: for limits, caches and timeouts within a process.
///
/// It counts from an arbitrary moment, another one in each process, so it is never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monotonic(i64);

impl Monotonic {
    /// That many microseconds after the arbitrary moment.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the arbitrary moment.
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
    /// A clock that stands at `at` until it is moved.
    pub fn manual_at(at: Timestamp) -> Self {
        Self::Manual(Arc::new(ManualClock {
            wall_us: AtomicI64::new(at.micros()),
            elapsed_us: AtomicI64::new(0),
        }))
    }

    /// The present moment, as people and other machines know it. It may be set, forward and back.
    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
            Self::System => Timestamp::from_micros(jiff::Timestamp::now().as_microsecond()),
            Self::Manual(hands) => Timestamp::from_micros(hands.wall_us.load(Ordering::SeqCst)),
        }
    }

    /// How much time has passed since an arbitrary moment, whatever the clock on the wall was set to meanwhile.
    pub fn monotonic(&self) -> Monotonic {
        match self {
            Self::System => {
                #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
                static START: LazyLock<Instant> = LazyLock::new(Instant::now);
                Monotonic(i64::try_from(START.elapsed().as_micros()).unwrap_or(i64::MAX))
            }
            Self::Manual(hands) => Monotonic(hands.elapsed_us.load(Ordering::SeqCst)),
        }
    }

    /// Lets time pass on a standing clock; the machine's clock stays what it is.
    pub fn advance(&self, span: Span) {
        if let Self::Manual(hands) = self {
            hands.wall_us.fetch_add(span.micros(), Ordering::SeqCst);
            hands.elapsed_us.fetch_add(span.micros(), Ordering::SeqCst);
        }
    }

    /// Sets a standing clock forward, or back by a negative span, without any time passing.
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

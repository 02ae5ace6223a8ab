//! The only source of the present moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::{Span, Timestamp};

/// Tells the time. Passed to whoever needs it, so that tests can move it.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that stands still until it is moved; clones move together.
    Moved(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `at` until it is moved.
    pub fn standing_at(at: Timestamp) -> Self {
        Self::Moved(Arc::new(AtomicI64::new(at.micros())))
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
            Self::System => Timestamp::from_micros(jiff::Timestamp::now().as_microsecond()),
            Self::Moved(at) => Timestamp::from_micros(at.load(Ordering::SeqCst)),
        }
    }

    /// Moves a standing clock forward; the machine's clock stays what it is.
    pub fn advance(&self, span: Span) {
        if let Self::Moved(at) = self {
            at.fetch_add(span.micros(), Ordering::SeqCst);
        }
    }
}

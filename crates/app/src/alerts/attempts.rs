//! When something that could not be delivered is tried again.

use domain::{Span, Timestamp};

/// Attempts that everything gets however old it is: it may have waited for a worker.
const LEAST_ATTEMPTS: i64 = 3;

/// The times of attempts at mails or at calls of webhooks.
pub(super) struct AttemptTimes {
    /// Seconds from each attempt to the next; the last is repeated.
    pub delays_s: &'static [i64],
    /// How long it is tried.
    pub max_age: Span,
}

impl AttemptTimes {
    /// Returns the time of the next attempt after `attempts` that failed, or `None` if the one that was made now was the last. The
    /// delay is stretched by `jitter_permille`.
    pub fn next(
        &self,
        since: Timestamp,
        attempts: i64,
        now: Timestamp,
        jitter_permille: i64,
    ) -> Option<Timestamp> {
        let place = usize::try_from(attempts - 1).unwrap_or_default().min(self.delays_s.len() - 1);
        let at = now + Span::millis(self.delays_s[place] * jitter_permille);
        let last = since + self.max_age;
        match now < last {
            true => Some(at.min(last)),
            false => (attempts < LEAST_ATTEMPTS).then_some(at),
        }
    }
}

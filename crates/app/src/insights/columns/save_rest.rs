//! The pause after saves that failed.

use domain::{Monotonic, Span};

/// The pause is doubled so often, up to 16 minutes.
const MAX_DOUBLINGS: u32 = 4;

/// The pause after saves that failed: a minute, and twice as long after each further failure. Every attempt writes all parts before it
/// fails, so that many of them would take the last room of a disk again and again from whoever else needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SaveRest {
    /// Failures in a row.
    failures: u32,
    until: Option<Monotonic>,
}

impl SaveRest {
    /// Begins the pause after another failure, and returns how long it is.
    pub fn begin(&mut self, now: Monotonic) -> Span {
        let length = Span::minutes(1 << self.failures.min(MAX_DOUBLINGS));
        self.failures = self.failures.saturating_add(1);
        self.until = Some(now + length);
        length
    }

    pub fn is_over(&self, now: Monotonic) -> bool {
        self.until.is_none_or(|until| now >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_in_a_row_makes_the_pause_longer_up_to_a_limit() {
        let (mut rest, at) =
            (SaveRest::default(), |minutes: i64| Monotonic::from_micros(0) + Span::minutes(minutes));
        assert!(rest.is_over(at(0)), "nothing has failed");
        let lengths = [0; 7].map(|_| rest.begin(at(0)));
        assert_eq!(lengths, [1, 2, 4, 8, 16, 16, 16].map(Span::minutes));
        assert!(!rest.is_over(at(15)) && rest.is_over(at(16)));
    }
}
